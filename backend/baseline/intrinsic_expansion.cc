#include "backend/baseline/intrinsic_expansion.h"

#include "backend/baseline/value_parts.h"
#include "ir/constant.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"
#include "ir/type.h"

namespace firstcall::baseline {
namespace {

using ir::IntrinsicId;
using ir::Opcode;
using ir::Predicate;

// A power of two as a floating-point number of `type`.
uint64_t BitsOfPower(const ir::Type* type, unsigned exponent) {
  return type->IsDouble() ? uint64_t{1023 + exponent} << 52 : uint64_t{127 + exponent} << 23;
}

bool IsExpanded(const ir::Function& function, const ir::Instruction& call) {
  if (call.opcode != Opcode::kCall) return false;
  const IntrinsicId intrinsic = function.IntrinsicOf(call);
  const auto argument = [&] { return function.TypeAt(call, 0); };
  switch (intrinsic) {
    case IntrinsicId::kMaximum:
    case IntrinsicId::kMinimum:
      return IsScalarFloat(call.type) && !call.is_strict;
    case IntrinsicId::kFptosiSat:
    case IntrinsicId::kFptouiSat:
      return call.type->IsInteger() && call.type->number <= 64 && IsScalarFloat(argument());
    case IntrinsicId::kBitreverse:
      return call.type->IsInteger() && call.type->number <= 64;
    case IntrinsicId::kVectorReduceFmax:
    case IntrinsicId::kVectorReduceFmaximum:
    case IntrinsicId::kVectorReduceFmin:
    case IntrinsicId::kVectorReduceFminimum:
      return IsScalarFloat(call.type) && PartCount(argument()) != 0;
    case IntrinsicId::kVectorExtract:
    case IntrinsicId::kVectorInsert:
      return PartCount(call.type) != 0 && PartCount(argument()) != 0;
    default:
      return false;
  }
}

}  // namespace

ExpansionWriter::Source IntrinsicExpansion::WriteMaximum(const Source& left, const Source& right,
                                                         bool is_maximum) {
  const ir::Type* const type = writer_.TypeOf(left);
  const ir::Type* const word = writer_.types().Integer(static_cast<uint32_t>(type->bit_size));
  const Source sum = writer_.Add(Opcode::kFAdd, type, {left, right});
  // Of numbers that are equal, only the signs of zeros can differ.
  const Source left_bits = writer_.Add(Opcode::kBitCast, word, {left});
  const Source right_bits = writer_.Add(Opcode::kBitCast, word, {right});
  const Source bits =
      writer_.Add(is_maximum ? Opcode::kAnd : Opcode::kOr, word, {left_bits, right_bits});
  const Source of_equal = writer_.Add(Opcode::kBitCast, type, {bits});
  const Source is_left =
      writer_.Compare(is_maximum ? Predicate::kOgt : Predicate::kOlt, left, right);
  const Source larger = writer_.Select(is_left, left, right);
  const Source is_equal = writer_.Compare(Predicate::kOeq, left, right);
  const Source of_numbers = writer_.Select(is_equal, of_equal, larger);
  const Source is_none = writer_.Compare(Predicate::kUno, left, right);
  return writer_.Select(is_none, sum, of_numbers);
}

ExpansionWriter::Source IntrinsicExpansion::WriteMaxnum(const Source& left, const Source& right,
                                                        bool is_maximum) {
  const Source is_left =
      writer_.Compare(is_maximum ? Predicate::kOgt : Predicate::kOlt, left, right);
  const Source is_none = writer_.Compare(Predicate::kUno, right, right);
  return writer_.Select(is_left, left, writer_.Select(is_none, left, right));
}

ExpansionWriter::Source IntrinsicExpansion::WriteReduction(const ir::Instruction& call) {
  const IntrinsicId intrinsic = writer_.function().IntrinsicOf(call);
  const bool is_maximum = intrinsic == IntrinsicId::kVectorReduceFmax ||
                          intrinsic == IntrinsicId::kVectorReduceFmaximum;
  const bool keeps_nan = intrinsic == IntrinsicId::kVectorReduceFmaximum ||
                         intrinsic == IntrinsicId::kVectorReduceFminimum;
  const Source vector = writer_.Old(call, 0);
  Source result = writer_.ExtractLane(vector, 0);
  for (uint64_t lane = 1; lane < writer_.TypeOf(vector)->count; ++lane) {
    const Source other = writer_.ExtractLane(vector, lane);
    result = keeps_nan ? WriteMaximum(result, other, is_maximum)
                       : WriteMaxnum(result, other, is_maximum);
  }
  return result;
}

ExpansionWriter::Source IntrinsicExpansion::WriteSaturation(const ir::Instruction& call,
                                                            bool is_signed) {
  const ir::Type* const type = call.type;
  const unsigned bits = type->number - (is_signed ? 1 : 0);
  const Source number = writer_.Old(call, 0);
  const ir::Type* const from = writer_.TypeOf(number);
  const uint64_t most = bits == 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  const Source converted =
      writer_.Add(is_signed ? Opcode::kFPToSI : Opcode::kFPToUI, type, {number});
  const Source end = writer_.Float(from, BitsOfPower(from, bits));
  const Source is_large = writer_.Compare(Predicate::kOge, number, end);
  const Source limited = writer_.Select(is_large, writer_.Integer(type, most), converted);
  if (!is_signed) {
    // What is no number becomes zero, too.
    const Source is_small = writer_.Compare(Predicate::kUlt, number, writer_.Float(from, 0));
    return writer_.Select(is_small, writer_.Integer(type, 0), limited);
  }
  const uint64_t sign = uint64_t{1} << (from->bit_size - 1);
  const Source begin = writer_.Float(from, BitsOfPower(from, bits) | sign);
  const Source is_small = writer_.Compare(Predicate::kOlt, number, begin);
  const Source of_numbers = writer_.Select(is_small, writer_.Integer(type, ~most), limited);
  const Source is_none = writer_.Compare(Predicate::kUno, number, number);
  return writer_.Select(is_none, writer_.Integer(type, 0), of_numbers);
}

// Exchanges neighbours: single bits, then pairs of bits, and so on. The result of 64 bits has what
// is wanted at its upper end.
ExpansionWriter::Source IntrinsicExpansion::WriteReversal(const ir::Instruction& call) {
  constexpr uint64_t kLower[] = {0x5555555555555555u, 0x3333333333333333u, 0x0f0f0f0f0f0f0f0fu,
                                 0x00ff00ff00ff00ffu, 0x0000ffff0000ffffu, 0x00000000ffffffffu};
  const ir::Type* const type = call.type;
  const ir::Type* const word = writer_.types().Integer(64);
  Source bits = writer_.Old(call, 0);
  if (type->number != 64) bits = writer_.Add(Opcode::kZExt, word, {bits});
  unsigned distance = 1;
  for (uint64_t lower : kLower) {
    const Source count = writer_.Integer(word, distance), mask = writer_.Integer(word, lower);
    const Source shifted = writer_.Add(Opcode::kLShr, word, {bits, count});
    const Source down = writer_.Add(Opcode::kAnd, word, {shifted, mask});
    const Source kept = writer_.Add(Opcode::kAnd, word, {bits, mask});
    const Source up = writer_.Add(Opcode::kShl, word, {kept, count});
    bits = writer_.Add(Opcode::kOr, word, {down, up});
    distance *= 2;
  }
  if (type->number == 64) return bits;
  const Source moved =
      writer_.Add(Opcode::kLShr, word, {bits, writer_.Integer(word, 64 - type->number)});
  return writer_.Add(Opcode::kTrunc, type, {moved});
}

ExpansionWriter::Source IntrinsicExpansion::WriteLanes(const Source& to, uint64_t to_lane,
                                                       const Source& from, uint64_t from_lane,
                                                       uint64_t count) {
  Source result = to;
  for (uint64_t lane = 0; lane < count; ++lane) {
    result =
        writer_.InsertLane(result, writer_.ExtractLane(from, from_lane + lane), to_lane + lane);
  }
  return result;
}

ExpansionWriter::Source IntrinsicExpansion::Write(const ir::Instruction& call) {
  const ir::Function& function = writer_.function();
  // The reader has checked the number.
  const auto number_at = [&](uint32_t index) {
    return function.constant(function.OperandOf(call, index)).bits();
  };
  const IntrinsicId intrinsic = function.IntrinsicOf(call);
  switch (intrinsic) {
    case IntrinsicId::kMaximum:
    case IntrinsicId::kMinimum:
      return WriteMaximum(writer_.Old(call, 0), writer_.Old(call, 1),
                          intrinsic == IntrinsicId::kMaximum);
    case IntrinsicId::kFptosiSat:
    case IntrinsicId::kFptouiSat:
      return WriteSaturation(call, intrinsic == IntrinsicId::kFptosiSat);
    case IntrinsicId::kBitreverse:
      return WriteReversal(call);
    case IntrinsicId::kVectorExtract:
      return WriteLanes(writer_.Undefined(call.type), 0, writer_.Old(call, 0), number_at(1),
                        call.type->count);
    case IntrinsicId::kVectorInsert: {
      const Source part = writer_.Old(call, 1);
      return WriteLanes(writer_.Old(call, 0), number_at(2), part, 0, writer_.TypeOf(part)->count);
    }
    default:
      return WriteReduction(call);
  }
}

bool IntrinsicExpansion::Expand(ir::Function& function) {
  return writer_.Expand(
      function,
      [&](const ir::Instruction& instruction) { return IsExpanded(function, instruction); },
      [this](const ir::Instruction& call) { return Write(call); });
}

}  // namespace firstcall::baseline
