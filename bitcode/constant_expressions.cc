// The expressions' part of ConstantReader: operations on constants.

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bitcode/constant_reader.h"
#include "bitcode/records.h"

namespace firstcall::bitcode {
namespace {

using ir::ConstantKind;
using ir::Opcode;

// The operations on integers that LLVM 19 has as expressions. False for others.
bool FindBinary(uint64_t code, Opcode& opcode) {
  switch (code) {
    case kBinaryAdd:
      opcode = Opcode::kAdd;
      return true;
    case kBinarySub:
      opcode = Opcode::kSub;
      return true;
    case kBinaryMul:
      opcode = Opcode::kMul;
      return true;
    case kBinaryXor:
      opcode = Opcode::kXor;
      return true;
    default:
      return false;
  }
}

bool FindCast(uint64_t code, Opcode& opcode) {
  if (code > kCastAddrSpaceCast) return false;
  opcode = static_cast<Opcode>(static_cast<uint64_t>(Opcode::kTrunc) + code);
  switch (opcode) {
    case Opcode::kTrunc:
    case Opcode::kPtrToInt:
    case Opcode::kIntToPtr:
    case Opcode::kBitCast:
    case Opcode::kAddrSpaceCast:
      return true;
    default:
      return false;
  }
}

}  // namespace

absl::Status ConstantReader::AddWith(ConstantKind kind, Opcode opcode, Operands values) {
  std::vector<ir::Operand> operands(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    if (!scope_.Refer(values[i], operands[i])) {
      return Wrong(absl::StrCat("it refers to value ", values[i], ", which is no constant"));
    }
  }
  ir::Constant& constant = Append();
  constant.kind = kind;
  constant.opcode = opcode;
  constant.set_operands(scope_.Keep(std::move(operands)));
  return absl::OkStatus();
}

// [operation, value, value]
absl::Status ConstantReader::AddBinary(Operands operands) {
  if (operands.size() < 3) return Wrong("an operation has no operands");
  Opcode opcode = Opcode::kUnreachable;
  const bool is_known = type_->scalar()->IsInteger() && FindBinary(operands[0], opcode);
  return AddWith(is_known ? ConstantKind::kExpression : ConstantKind::kOther, opcode,
                 operands.subspan(1, 2));
}

// [operation, type, value]
absl::Status ConstantReader::AddCast(Operands operands) {
  if (operands.size() < 3) return Wrong("a cast has no operand");
  Opcode opcode = Opcode::kUnreachable;
  if (FindCast(operands[0], opcode)) {
    return AddWith(ConstantKind::kExpression, opcode, operands.subspan(2, 1));
  }
  return AddWith(ConstantKind::kOther, Opcode::kUnreachable, operands.subspan(2, 1));
}

// [indexed type, flags, range, pairs of type and value]. The flags and the range are not kept.
absl::Status ConstantReader::AddGep(const Record& record) {
  Operands operands = record.operands;
  const bool is_old = record.code == kConstantOldGep || record.code == kConstantOldInboundsGep;
  if (is_old && operands.size() % 2 == 0) {
    return Unknown("an address has no type; so the file is an old one");
  }
  size_t skipped = is_old ? 1 : 2;
  if (record.code == kConstantGepWithRange && operands.size() > skipped) {
    // The width of the range, and two numbers, or how many words they have, and these.
    size_t words = 2;
    const bool is_wide = operands[skipped++] > 64;
    if (is_wide && operands.size() > skipped) {
      const uint64_t counts = operands[skipped++];
      words = (counts & UINT32_MAX) + (counts >> 32);
    }
    skipped += words;
  }
  if (operands.size() <= skipped || (operands.size() - skipped) % 2 != 0) {
    return Wrong("an address has not an even number of operands");
  }
  const ir::Type* const source = types_.Find(operands[0]);
  if (source == nullptr) return Wrong("an address has no type that is indexed");
  std::vector<uint64_t> values;
  for (size_t i = skipped + 1; i < operands.size(); i += 2) values.push_back(operands[i]);
  absl::Status status = AddWith(ConstantKind::kExpression, Opcode::kGetElementPtr, values);
  if (status.ok()) scope_.Last().set_source_type(source);
  return status;
}

// extractelement: [type, vector, type, index]; insertelement: [vector, element, type, index]. The
// type of the index may be missing. shufflevector: [vector, vector, mask], perhaps behind a type.
absl::Status ConstantReader::AddElementOperation(const Record& record) {
  const Operands operands = record.operands;
  const size_t least = record.code == kConstantLongShuffleVector ? 4 : 3;
  if (operands.size() < least) return Wrong("an operation on vectors has too few operands");
  const uint64_t index = operands[operands.size() == 4 ? 3 : 2];
  switch (record.code) {
    case kConstantExtractElement:
      return AddWith(ConstantKind::kExpression, Opcode::kExtractElement, {operands[1], index});
    case kConstantInsertElement:
      return AddWith(ConstantKind::kExpression, Opcode::kInsertElement,
                     {operands[0], operands[1], index});
    default:
      return AddWith(ConstantKind::kExpression, Opcode::kShuffleVector,
                     operands.subspan(least - 3, 3));
  }
}

// What LLVM 19 makes instructions of, or does not know either.
absl::Status ConstantReader::AddUnsupported(const Record& record) {
  const Operands operands = record.operands;
  size_t first = 0, count = operands.size();
  switch (record.code) {
    case kConstantUnary:  // [operation, value]
      first = 1;
      count = 1;
      break;
    case kConstantSelect:  // [value, value, value]
      count = 3;
      break;
    case kConstantCompare:  // [type, value, value, predicate]
      first = 1;
      count = 2;
      break;
    case kConstantSignedPointer:  // Only values.
    case kConstantSignedPointer2:
      break;
    case kConstantOldAssembly:  // Characters.
    case kConstantOldAssembly2:
    case kConstantOldAssembly3:
      count = 0;
      break;
    default:
      return Unknown(absl::StrCat("code ", record.code));
  }
  if (operands.size() < first + count) return Wrong("an operation has too few operands");
  return AddWith(ConstantKind::kOther, Opcode::kUnreachable, operands.subspan(first, count));
}

}  // namespace firstcall::bitcode
