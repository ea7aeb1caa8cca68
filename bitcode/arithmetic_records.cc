#include "bitcode/arithmetic_records.h"

#include <array>
#include <cstddef>

#include "bitcode/record_cursor.h"
#include "bitcode/records.h"
#include "ir/opcode.h"
#include "ir/type.h"

namespace firstcall::bitcode {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Type;

// The flags of operations, as bits of a number.
constexpr uint64_t kNoUnsignedWrap = 1, kNoSignedWrap = 2;
constexpr uint64_t kExact = 1;
constexpr uint64_t kFirstFlag = 1;  // Of any operation that has one flag only.
// The flags that a number of fast-math flags may have. The lowest one was that of LLVM before 5.
constexpr uint64_t kFastMath = 0xfe;

// What a number of BinaryCode means, of integers and of floating-point numbers. kUnreachable: no
// operation.
struct Binary {
  Opcode integer, floating;
};
constexpr Opcode kNoOpcode = Opcode::kUnreachable;
constexpr std::array<Binary, kBinaryXor + 1> kBinary = {{{Opcode::kAdd, Opcode::kFAdd},
                                                         {Opcode::kSub, Opcode::kFSub},
                                                         {Opcode::kMul, Opcode::kFMul},
                                                         {Opcode::kUDiv, kNoOpcode},
                                                         {Opcode::kSDiv, Opcode::kFDiv},
                                                         {Opcode::kURem, kNoOpcode},
                                                         {Opcode::kSRem, Opcode::kFRem},
                                                         {Opcode::kShl, kNoOpcode},
                                                         {Opcode::kLShr, kNoOpcode},
                                                         {Opcode::kAShr, kNoOpcode},
                                                         {Opcode::kAnd, kNoOpcode},
                                                         {Opcode::kOr, kNoOpcode},
                                                         {Opcode::kXor, kNoOpcode}}};

void SetBinaryFlags(uint64_t flags, Instruction& instruction, BodyBuilder& body) {
  uint64_t known = 0;
  switch (instruction.opcode) {
    case Opcode::kAdd:
    case Opcode::kSub:
    case Opcode::kMul:
    case Opcode::kShl:
      known = kNoUnsignedWrap | kNoSignedWrap;
      instruction.no_unsigned_wrap = (flags & kNoUnsignedWrap) != 0;
      instruction.no_signed_wrap = (flags & kNoSignedWrap) != 0;
      break;
    case Opcode::kUDiv:
    case Opcode::kSDiv:
    case Opcode::kLShr:
    case Opcode::kAShr:
      known = kExact;
      instruction.is_exact = (flags & kExact) != 0;
      break;
    case Opcode::kOr:  // "disjoint", which the arrays lack.
      known = kFirstFlag;
      break;
    default:
      if (instruction.type->scalar()->IsFloatingPoint()) {
        return SetFastMath(flags, *instruction.type, instruction, body);
      }
      break;
  }
  if ((flags & ~known) != 0) body.Refuse("an operation with an unknown flag");
}

void SetCastFlags(uint64_t flags, Instruction& instruction, BodyBuilder& body) {
  uint64_t known = 0;
  switch (instruction.opcode) {
    case Opcode::kTrunc:
      known = kNoUnsignedWrap | kNoSignedWrap;
      instruction.no_unsigned_wrap = (flags & kNoUnsignedWrap) != 0;
      instruction.no_signed_wrap = (flags & kNoSignedWrap) != 0;
      break;
    case Opcode::kZExt:
    case Opcode::kUIToFP:  // "nneg", which the arrays lack.
      known = kFirstFlag;
      break;
    case Opcode::kFPTrunc:
    case Opcode::kFPExt:  // Since LLVM 20, fast-math flags, which the arrays lack.
      known = kFastMath;
      break;
    default:
      break;
  }
  if ((flags & ~known) != 0) body.Refuse("a cast with an unknown flag");
}

// Of i1, or a vector of i1 that is as long as `compared`.
const Type* ResultOfComparison(const Type& compared, BodyBuilder& body) {
  const TypeTable& types = body.source().types();
  const Type* type = types.FindInteger(1);
  if (type != nullptr && compared.IsVector()) type = types.FindVector(type, compared);
  if (type != nullptr) return type;
  body.Refuse("a comparison whose result has a type that the module lacks");
  return body.no_type();
}

bool IsPredicateOf(bool is_floating, uint64_t predicate) {
  if (is_floating) {
    return predicate <= static_cast<uint64_t>(ir::Predicate::kTrue);
  }
  return predicate >= static_cast<uint64_t>(ir::Predicate::kIcmpEq) &&
         predicate <= static_cast<uint64_t>(ir::Predicate::kIcmpSle);
}

}  // namespace

void SetFastMath(uint64_t flags, const Type& type, Instruction& instruction, BodyBuilder& body) {
  if (flags == 0) return;
  if ((flags & ~kFastMath) != 0) return body.Refuse("an unknown fast-math flag");
  const Type* number = &type;
  while (number->IsArray()) number = number->element();
  if (!number->scalar()->IsFloatingPoint()) {
    return body.Fail("fast-math flags of what is no floating-point number");
  }
  instruction.fast_math = static_cast<uint8_t>(flags);
}

void ReadUnary(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const TypedOperand operand = record.ValueAndType();
  if (record.Number() != kUnaryFNeg) body.Refuse("an unknown operation");
  Instruction& instruction = body.Append(Opcode::kFNeg, operand.type);
  body.SetOperands(instruction, operand.operand);
  SetFastMath(record.OptionalNumber(), *operand.type, instruction, body);
  record.ExpectEnd();
}

void ReadBinary(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const TypedOperand left = record.ValueAndType();
  const ir::Operand right = record.Value();
  const uint64_t code = record.Number();
  if (code >= kBinary.size()) return body.Refuse("an unknown operation");
  const bool is_floating = left.type->scalar()->IsFloatingPoint();
  const Opcode opcode = is_floating ? kBinary[code].floating : kBinary[code].integer;
  if (opcode == kNoOpcode) return body.Fail("an operation that floating-point numbers lack");
  Instruction& instruction = body.Append(opcode, left.type);
  body.SetOperands(instruction, left.operand, right);
  if (record.IsAtEnd()) return;
  SetBinaryFlags(record.Number(), instruction, body);
  record.ExpectEnd();
}

void ReadCast(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const TypedOperand operand = record.ValueAndType();
  const Type* type = record.ResultType();
  const uint64_t code = record.Number();
  if (code > kCastAddrSpaceCast) return body.Refuse("an unknown cast");
  // The opcodes have the order of the codes.
  const auto opcode = static_cast<Opcode>(static_cast<uint64_t>(Opcode::kTrunc) + code);
  Instruction& instruction = body.Append(opcode, type);
  body.SetOperands(instruction, operand.operand);
  if (record.IsAtEnd()) return;
  SetCastFlags(record.Number(), instruction, body);
  record.ExpectEnd();
}

void ReadCompare(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const TypedOperand left = record.ValueAndType();
  const ir::Operand right = record.Value();
  const uint64_t predicate = record.Number();
  const bool is_floating = left.type->scalar()->IsFloatingPoint();
  if (!IsPredicateOf(is_floating, predicate)) {
    return body.Fail("a comparison with a predicate that the type lacks");
  }
  Instruction& instruction = body.Append(is_floating ? Opcode::kFCmp : Opcode::kICmp,
                                         ResultOfComparison(*left.type, body));
  instruction.code = static_cast<uint8_t>(predicate);
  body.SetOperands(instruction, left.operand, right);
  if (record.IsAtEnd()) return;
  const uint64_t flags = record.Number();
  if (is_floating) {
    SetFastMath(flags, *left.type, instruction, body);
  } else if (flags > kFirstFlag) {  // "samesign" of LLVM 20, which the arrays lack.
    body.Refuse("a comparison with an unknown flag");
  }
  record.ExpectEnd();
}

void ReadSelect(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const TypedOperand if_true = record.ValueAndType();
  const ir::Operand if_false = record.Value();
  const TypedOperand condition = record.ValueAndType();
  Instruction& instruction = body.Append(Opcode::kSelect, if_true.type);
  body.SetOperands(instruction, condition.operand, if_true.operand, if_false);
  if (record.IsAtEnd()) return;
  SetFastMath(record.Number(), *if_true.type, instruction, body);
  record.ExpectEnd();
}

void ReadFreeze(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const TypedOperand operand = record.ValueAndType();
  Instruction& instruction = body.Append(Opcode::kFreeze, operand.type);
  body.SetOperands(instruction, operand.operand);
  record.ExpectEnd();
}

}  // namespace firstcall::bitcode
