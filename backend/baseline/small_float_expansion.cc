#include "backend/baseline/small_float_expansion.h"

#include <algorithm>
#include <string>
#include <vector>

#include "backend/baseline/value_parts.h"
#include "ir/constant.h"
#include "ir/intrinsic.h"

namespace firstcall::baseline {
namespace {

using ir::IntrinsicId;
using ir::Opcode;
using ir::TypeKind;

constexpr uint16_t kSign = 0x8000;
constexpr uint32_t kMostLanes = 64;

bool IsHalf(const ir::Type& type) { return type.kind == TypeKind::kHalf; }

// Whether the function of floats, rounded, is the function of the smaller numbers.
bool IsComputedAsFloat(IntrinsicId intrinsic) {
  switch (intrinsic) {
    case IntrinsicId::kCeil:
    case IntrinsicId::kCopysign:
    case IntrinsicId::kCos:
    case IntrinsicId::kExp:
    case IntrinsicId::kExp2:
    case IntrinsicId::kFabs:
    case IntrinsicId::kFloor:
    case IntrinsicId::kLog:
    case IntrinsicId::kLog10:
    case IntrinsicId::kLog2:
    case IntrinsicId::kMaximum:
    case IntrinsicId::kMaxnum:
    case IntrinsicId::kMinimum:
    case IntrinsicId::kMinnum:
    case IntrinsicId::kNearbyint:
    case IntrinsicId::kPow:
    case IntrinsicId::kRint:
    case IntrinsicId::kRound:
    case IntrinsicId::kRoundeven:
    case IntrinsicId::kSin:
    case IntrinsicId::kSqrt:
    case IntrinsicId::kTrunc:
    case IntrinsicId::kVectorReduceFmax:
    case IntrinsicId::kVectorReduceFmaximum:
    case IntrinsicId::kVectorReduceFmin:
    case IntrinsicId::kVectorReduceFminimum:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool SmallFloatExpansion::IsExpandedCall(const ir::Instruction& call) const {
  if (call.opcode != Opcode::kCall) return false;
  const IntrinsicId intrinsic = function_->IntrinsicOf(call);
  if (intrinsic == IntrinsicId::kFptosiSat || intrinsic == IntrinsicId::kFptouiSat) {
    return HasSmallFloats(function_->TypeAt(call, 0));
  }
  return HasSmallFloats(call.type) && IsComputedAsFloat(intrinsic);
}

bool SmallFloatExpansion::RoundsToBfloat(const ir::Instruction& instruction) const {
  if (instruction.type->scalar()->kind != TypeKind::kBFloat) return false;
  const IntrinsicId intrinsic = function_->IntrinsicOf(instruction);
  return instruction.opcode != Opcode::kFNeg && intrinsic != IntrinsicId::kFabs &&
         intrinsic != IntrinsicId::kCopysign && IsExpanded(instruction);
}

bool SmallFloatExpansion::IsExpanded(const ir::Instruction& instruction) const {
  const ir::Type* const to = instruction.type;
  const auto from = [&] { return function_->TypeAt(instruction, 0); };
  if (to->IsVector() && (!to->IsFixedVector() || to->count > kMostLanes)) return false;
  switch (instruction.opcode) {
    case Opcode::kFAdd:
    case Opcode::kFSub:
    case Opcode::kFMul:
    case Opcode::kFDiv:
    case Opcode::kFRem:
    case Opcode::kFNeg:
      return HasSmallFloats(to);
    case Opcode::kFCmp:
    case Opcode::kFPToSI:
    case Opcode::kFPToUI:
      return HasSmallFloats(from());
    case Opcode::kFPExt:
      return HasSmallFloats(from()) && !(IsHalf(*from()) && to->IsFloat());
    case Opcode::kFPTrunc: {
      const ir::Type& scalar = *from()->scalar();
      if (!HasSmallFloats(to) || IsHalf(*to)) return false;
      return scalar.IsFloat() || (scalar.IsDouble() && IsHalf(*to->scalar()));
    }
    case Opcode::kSIToFP:
    case Opcode::kUIToFP: {
      constexpr uint32_t kBitsOfFloat = 24;
      return HasSmallFloats(to) &&
             (IsHalf(*to->scalar()) || from()->scalar()->number <= kBitsOfFloat);
    }
    case Opcode::kCall:
      return IsExpandedCall(instruction);
    default:
      return false;
  }
}

const ir::Type* SmallFloatExpansion::Shaped(const ir::Type* element, const ir::Type* like) {
  return like->IsVector() ? writer_.types().Vector(element, like->count) : element;
}

SmallFloatExpansion::Source SmallFloatExpansion::Bits(const ir::Type* type, uint16_t bits) {
  if (!type->IsVector()) return writer_.Integer(type, bits);
  std::string& data = writer_.function().data.emplace_back();
  for (uint64_t i = 0; i < type->count; ++i) {
    data.push_back(static_cast<char>(bits & 0xff));
    data.push_back(static_cast<char>(bits >> 8));
  }
  ir::Constant constant;
  constant.kind = ir::ConstantKind::kData;
  constant.type = type;
  constant.set_data(data);
  return {writer_.rewriter().AddConstant(constant)};
}

SmallFloatExpansion::Source SmallFloatExpansion::ToBits(const Source& value) {
  return writer_.Add(Opcode::kBitCast, Shaped(word16(), writer_.TypeOf(value)), {value});
}

// `convert(lane)` makes a lane of the result, which has the type `to`.
template <typename Convert>
SmallFloatExpansion::Source SmallFloatExpansion::ForEachLane(const Source& value,
                                                             const ir::Type* to,
                                                             const Convert& convert) {
  const ir::Type* const from = writer_.TypeOf(value);
  if (!from->IsVector()) return convert(value);
  Source result = writer_.Undefined(to);
  for (uint64_t i = 0; i < from->count; ++i) {
    result = writer_.InsertLane(result, convert(writer_.ExtractLane(value, i)), i);
  }
  return result;
}

SmallFloatExpansion::Source SmallFloatExpansion::LaneToFloat(const Source& value) {
  if (IsHalf(*writer_.TypeOf(value))) return writer_.Add(Opcode::kFPExt, float32(), {value});
  const Source bits = writer_.Add(Opcode::kZExt, word32(), {ToBits(value)});
  const Source shifted = writer_.Add(Opcode::kShl, word32(), {bits, writer_.Integer(word32(), 16)});
  return writer_.Add(Opcode::kBitCast, float32(), {shifted});
}

// Rounds to nearest, ties to even. A number that is none becomes a quiet one.
SmallFloatExpansion::Source SmallFloatExpansion::LaneFromFloat(const Source& value,
                                                               const ir::Type* type) {
  if (IsHalf(*type)) return writer_.Add(Opcode::kFPTrunc, type, {value});
  const ir::Type* const word = word32();
  const Source shift = writer_.Integer(word, 16);
  const Source bits = writer_.Add(Opcode::kBitCast, word, {value});
  const Source upper = writer_.Add(Opcode::kLShr, word, {bits, shift});
  const Source odd = writer_.Add(Opcode::kAnd, word, {upper, writer_.Integer(word, 1)});
  const Source half = writer_.Add(Opcode::kAdd, word, {bits, writer_.Integer(word, 0x7fff)});
  const Source rounded = writer_.Add(Opcode::kAdd, word, {half, odd});
  const Source quiet = writer_.Add(Opcode::kOr, word, {bits, writer_.Integer(word, 0x400000)});
  const Source is_none = writer_.Compare(ir::Predicate::kUno, value, value);
  const Source chosen = writer_.Select(is_none, quiet, rounded);
  const Source result = writer_.Add(Opcode::kLShr, word, {chosen, shift});
  return writer_.Add(Opcode::kBitCast, type, {writer_.Add(Opcode::kTrunc, word16(), {result})});
}

SmallFloatExpansion::Source SmallFloatExpansion::ToFloat(const Source& value) {
  return ForEachLane(value, FloatLike(writer_.TypeOf(value)),
                     [&](const Source& lane) { return LaneToFloat(lane); });
}

SmallFloatExpansion::Source SmallFloatExpansion::FromFloat(const Source& value,
                                                           const ir::Type* type) {
  return ForEachLane(value, type,
                     [&](const Source& lane) { return LaneFromFloat(lane, type->scalar()); });
}

SmallFloatExpansion::Source SmallFloatExpansion::WriteCall(const ir::Instruction& call) {
  const ir::Type* const type = call.type;
  const ir::Type* const wide = FloatLike(type);
  const ir::Type* const bits = Shaped(word16(), type);
  switch (function_->IntrinsicOf(call)) {
    case IntrinsicId::kFabs: {
      const Source magnitude =
          writer_.Add(Opcode::kAnd, bits, {ToBits(writer_.Old(call, 0)), Bits(bits, kSign - 1)});
      return writer_.Add(Opcode::kBitCast, type, {magnitude});
    }
    case IntrinsicId::kCopysign: {
      const Source magnitude =
          writer_.Add(Opcode::kAnd, bits, {ToBits(writer_.Old(call, 0)), Bits(bits, kSign - 1)});
      const Source sign =
          writer_.Add(Opcode::kAnd, bits, {ToBits(writer_.Old(call, 1)), Bits(bits, kSign)});
      return writer_.Add(Opcode::kBitCast, type,
                         {writer_.Add(Opcode::kOr, bits, {magnitude, sign})});
    }
    default:
      break;
  }
  // By its number the intrinsic is that of floats.
  std::vector<Source> arguments;
  for (uint32_t i = 0; i < writer_.function().CallOf(call).argument_count; ++i) {
    arguments.push_back(ToFloat(writer_.Old(call, i)));
  }
  if (!HasSmallFloats(type)) return writer_.Call(call, type, arguments);
  return FromFloat(writer_.Call(call, wide, arguments), type);
}

SmallFloatExpansion::Source SmallFloatExpansion::Write(const ir::Instruction& instruction) {
  const ir::Type* const type = instruction.type;
  switch (instruction.opcode) {
    case Opcode::kFNeg: {
      const ir::Type* const bits = Shaped(word16(), type);
      const Source negated =
          writer_.Add(Opcode::kXor, bits, {ToBits(writer_.Old(instruction, 0)), Bits(bits, kSign)});
      return writer_.Add(Opcode::kBitCast, type, {negated});
    }
    case Opcode::kFCmp:
      return writer_.Add(
          Opcode::kFCmp, type,
          {ToFloat(writer_.Old(instruction, 0)), ToFloat(writer_.Old(instruction, 1))},
          instruction.code);
    case Opcode::kFPExt: {
      const Source value = ToFloat(writer_.Old(instruction, 0));
      return type->scalar()->IsFloat() ? value : writer_.Add(Opcode::kFPExt, type, {value});
    }
    case Opcode::kFPTrunc:
      return ForEachLane(writer_.Old(instruction, 0), type,
                         [&](const Source& lane) { return LaneFromFloat(lane, type->scalar()); });
    case Opcode::kFPToSI:
    case Opcode::kFPToUI:
      return writer_.Add(instruction.opcode, type, {ToFloat(writer_.Old(instruction, 0))});
    case Opcode::kSIToFP:
    case Opcode::kUIToFP:
      return FromFloat(
          writer_.Add(instruction.opcode, FloatLike(type), {writer_.Old(instruction, 0)}), type);
    case Opcode::kCall:
      return WriteCall(instruction);
    default: {
      const Source left = ToFloat(writer_.Old(instruction, 0)),
                   right = ToFloat(writer_.Old(instruction, 1));
      return FromFloat(writer_.Add(instruction.opcode, FloatLike(type), {left, right}), type);
    }
  }
}

bool SmallFloatExpansion::Expand(ir::Function& function, bool flushes_bfloat) {
  function_ = &function;
  const auto is_expanded = [this](const ir::Instruction& instruction) {
    return IsExpanded(instruction);
  };
  if (flushes_bfloat && std::any_of(function.instructions.begin(), function.instructions.end(),
                                    [this](const ir::Instruction& instruction) {
                                      return RoundsToBfloat(instruction);
                                    })) {
    return false;
  }
  return writer_.Expand(function, is_expanded,
                        [this](const ir::Instruction& instruction) { return Write(instruction); });
}

}  // namespace firstcall::baseline
