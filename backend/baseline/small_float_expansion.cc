#include "backend/baseline/small_float_expansion.h"

#include <string>

#include "absl/types/span.h"
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

ir::Type ScalarType(TypeKind kind, uint32_t bits) {
  ir::Type type;
  type.kind = kind;
  type.is_sized = true;
  type.bit_size = bits;
  type.store_size = type.alloc_size = type.alignment = (bits + 7) / 8;
  if (kind == TypeKind::kInteger) type.number = bits;
  return type;
}

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
    case IntrinsicId::kMaxnum:
    case IntrinsicId::kMinnum:
    case IntrinsicId::kNearbyint:
    case IntrinsicId::kPow:
    case IntrinsicId::kRint:
    case IntrinsicId::kRound:
    case IntrinsicId::kRoundeven:
    case IntrinsicId::kSin:
    case IntrinsicId::kSqrt:
    case IntrinsicId::kTrunc:
      return true;
    default:
      return false;
  }
}

}  // namespace

SmallFloatExpansion::SmallFloatExpansion()
    : float_(ScalarType(TypeKind::kFloat, 32)),
      bit_(ScalarType(TypeKind::kInteger, 1)),
      word16_(ScalarType(TypeKind::kInteger, 16)),
      word32_(ScalarType(TypeKind::kInteger, 32)) {}

bool SmallFloatExpansion::IsExpandedCall(const ir::Instruction& call) const {
  return call.opcode == Opcode::kCall && HasSmallFloats(call.type) &&
         IsComputedAsFloat(function_->IntrinsicOf(call));
}

bool SmallFloatExpansion::RoundsToBfloat(const ir::Instruction& instruction) const {
  if (instruction.type->scalar()->kind != TypeKind::kBFloat) return false;
  const IntrinsicId intrinsic = function_->IntrinsicOf(instruction);
  return instruction.opcode != Opcode::kFNeg && intrinsic != IntrinsicId::kFabs &&
         intrinsic != IntrinsicId::kCopysign && IsExpanded(instruction);
}

bool SmallFloatExpansion::IsExpanded(const ir::Instruction& instruction) const {
  const ir::Type* const to = instruction.type;
  const auto from = [&] { return function_->TypeOf(function_->OperandOf(instruction, 0)); };
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
  if (!like->IsVector()) return element;
  for (const OwnType& known : vectors_) {
    if (known.element == element && known.type.count == like->count) return &known.type;
  }
  OwnType& own = vectors_.emplace_back();
  own.element = element;
  own.type = ScalarType(TypeKind::kFixedVector, 0);
  own.type.count = like->count;
  own.type.bit_size = element->bit_size * like->count;
  own.type.store_size = own.type.alloc_size = (own.type.bit_size + 7) / 8;
  own.type.alignment = static_cast<uint32_t>(own.type.store_size);
  own.type.contained = absl::MakeConstSpan(&own.element, 1);
  return &own.type;
}

SmallFloatExpansion::Source SmallFloatExpansion::Add(Opcode opcode, const ir::Type* type,
                                                     std::initializer_list<Source> operands,
                                                     uint8_t code) {
  rewriter_.Add(opcode, type).code = code;
  for (const Source& source : operands) {
    if (source.is_old) {
      rewriter_.AddOldOperand(source.operand);
    } else {
      rewriter_.AddOperand(source.operand);
    }
  }
  return {rewriter_.Result()};
}

SmallFloatExpansion::Source SmallFloatExpansion::Integer(const ir::Type* type, uint64_t bits) {
  return {rewriter_.AddInteger(type, bits)};
}

SmallFloatExpansion::Source SmallFloatExpansion::Bits(const ir::Type* type, uint16_t bits) {
  // An integer's bits are sign-extended.
  if (!type->IsVector()) return Integer(type, static_cast<uint64_t>(static_cast<int16_t>(bits)));
  std::string& data = function_->data.emplace_back();
  for (uint64_t i = 0; i < type->count; ++i) {
    data.push_back(static_cast<char>(bits & 0xff));
    data.push_back(static_cast<char>(bits >> 8));
  }
  ir::Constant constant;
  constant.kind = ir::ConstantKind::kData;
  constant.type = type;
  constant.set_data(data);
  return {rewriter_.AddConstant(constant)};
}

SmallFloatExpansion::Source SmallFloatExpansion::ToBits(const Source& value) {
  return Add(Opcode::kBitCast, Shaped(&word16_, TypeOf(value)), {value});
}

// `convert(lane)` makes a lane of the result, which has the type `to`.
template <typename Convert>
SmallFloatExpansion::Source SmallFloatExpansion::ForEachLane(const Source& value,
                                                             const ir::Type* to,
                                                             const Convert& convert) {
  const ir::Type* const from = TypeOf(value);
  if (!from->IsVector()) return convert(value);
  ir::Constant nothing;
  nothing.kind = ir::ConstantKind::kPoison;
  nothing.type = to;
  Source result{rewriter_.AddConstant(nothing)};
  for (uint64_t i = 0; i < from->count; ++i) {
    const Source index = Integer(&word32_, i);
    const Source lane = convert(Add(Opcode::kExtractElement, from->element(), {value, index}));
    result = Add(Opcode::kInsertElement, to, {result, lane, index});
  }
  return result;
}

SmallFloatExpansion::Source SmallFloatExpansion::LaneToFloat(const Source& value) {
  if (IsHalf(*TypeOf(value))) return Add(Opcode::kFPExt, &float_, {value});
  const Source bits = Add(Opcode::kZExt, &word32_, {ToBits(value)});
  const Source shifted = Add(Opcode::kShl, &word32_, {bits, Integer(&word32_, 16)});
  return Add(Opcode::kBitCast, &float_, {shifted});
}

// Rounds to nearest, ties to even. A number that is none becomes a quiet one.
SmallFloatExpansion::Source SmallFloatExpansion::LaneFromFloat(const Source& value,
                                                               const ir::Type* type) {
  if (IsHalf(*type)) return Add(Opcode::kFPTrunc, type, {value});
  const ir::Type* const word = &word32_;
  const Source shift = Integer(word, 16);
  const Source bits = Add(Opcode::kBitCast, word, {value});
  const Source upper = Add(Opcode::kLShr, word, {bits, shift});
  const Source odd = Add(Opcode::kAnd, word, {upper, Integer(word, 1)});
  const Source half = Add(Opcode::kAdd, word, {bits, Integer(word, 0x7fff)});
  const Source rounded = Add(Opcode::kAdd, word, {half, odd});
  const Source quiet = Add(Opcode::kOr, word, {bits, Integer(word, 0x400000)});
  const Source is_none =
      Add(Opcode::kFCmp, &bit_, {value, value}, static_cast<uint8_t>(ir::Predicate::kUno));
  const Source chosen = Add(Opcode::kSelect, word, {is_none, quiet, rounded});
  const Source result = Add(Opcode::kLShr, word, {chosen, shift});
  return Add(Opcode::kBitCast, type, {Add(Opcode::kTrunc, &word16_, {result})});
}

SmallFloatExpansion::Source SmallFloatExpansion::ToFloat(const Source& value) {
  return ForEachLane(value, FloatLike(TypeOf(value)),
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
  const ir::Type* const bits = Shaped(&word16_, type);
  switch (function_->IntrinsicOf(call)) {
    case IntrinsicId::kFabs: {
      const Source magnitude =
          Add(Opcode::kAnd, bits, {ToBits(Old(call, 0)), Bits(bits, kSign - 1)});
      return Add(Opcode::kBitCast, type, {magnitude});
    }
    case IntrinsicId::kCopysign: {
      const Source magnitude =
          Add(Opcode::kAnd, bits, {ToBits(Old(call, 0)), Bits(bits, kSign - 1)});
      const Source sign = Add(Opcode::kAnd, bits, {ToBits(Old(call, 1)), Bits(bits, kSign)});
      return Add(Opcode::kBitCast, type, {Add(Opcode::kOr, bits, {magnitude, sign})});
    }
    default:
      break;
  }
  // By its number the intrinsic is that of floats.
  const ir::Call properties = function_->CallOf(call);
  const ir::Operand callee = function_->CalleeOf(call);
  std::vector<Source> arguments;
  for (uint32_t i = 0; i < properties.argument_count; ++i) {
    arguments.push_back(ToFloat(Old(call, i)));
  }
  rewriter_.Add(Opcode::kCall, wide);
  for (const Source& argument : arguments) rewriter_.AddOperand(argument.operand);
  rewriter_.CompleteCall(properties.function_type, properties.attributes, callee);
  return FromFloat({rewriter_.Result()}, type);
}

SmallFloatExpansion::Source SmallFloatExpansion::Write(const ir::Instruction& instruction) {
  const ir::Type* const type = instruction.type;
  switch (instruction.opcode) {
    case Opcode::kFNeg: {
      const ir::Type* const bits = Shaped(&word16_, type);
      const Source negated =
          Add(Opcode::kXor, bits, {ToBits(Old(instruction, 0)), Bits(bits, kSign)});
      return Add(Opcode::kBitCast, type, {negated});
    }
    case Opcode::kFCmp:
      return Add(Opcode::kFCmp, type, {ToFloat(Old(instruction, 0)), ToFloat(Old(instruction, 1))},
                 instruction.code);
    case Opcode::kFPExt: {
      const Source value = ToFloat(Old(instruction, 0));
      return type->scalar()->IsFloat() ? value : Add(Opcode::kFPExt, type, {value});
    }
    case Opcode::kFPTrunc:
      return ForEachLane(Old(instruction, 0), type,
                         [&](const Source& lane) { return LaneFromFloat(lane, type->scalar()); });
    case Opcode::kFPToSI:
    case Opcode::kFPToUI:
      return Add(instruction.opcode, type, {ToFloat(Old(instruction, 0))});
    case Opcode::kSIToFP:
    case Opcode::kUIToFP:
      return FromFloat(Add(instruction.opcode, FloatLike(type), {Old(instruction, 0)}), type);
    case Opcode::kCall:
      return WriteCall(instruction);
    default: {
      const Source left = ToFloat(Old(instruction, 0)), right = ToFloat(Old(instruction, 1));
      return FromFloat(Add(instruction.opcode, FloatLike(type), {left, right}), type);
    }
  }
}

bool SmallFloatExpansion::Expand(ir::Function& function, bool flushes_bfloat) {
  function_ = &function;
  bool has_any = false;
  for (const ir::Instruction& instruction : function.instructions) {
    if (!IsExpanded(instruction)) continue;
    if (flushes_bfloat && RoundsToBfloat(instruction)) return false;
    has_any = true;
  }
  if (!has_any) return false;
  rewriter_.Begin(function);
  for (const ir::Block& block : function.blocks) {
    rewriter_.BeginBlock(block.has_address_taken);
    for (const ir::Instruction& instruction : function.InstructionsOf(block)) {
      if (!IsExpanded(instruction)) {
        rewriter_.Copy(instruction);
        continue;
      }
      rewriter_.SetNewValue(instruction.value, Write(instruction).operand);
    }
    rewriter_.EndBlock();
  }
  rewriter_.Finish();
  return true;
}

}  // namespace firstcall::baseline
