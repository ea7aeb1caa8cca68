#include "bitcode/memory_records.h"

#include <cstdint>

#include "absl/base/optimization.h"
#include "absl/types/span.h"
#include "bitcode/module.h"
#include "bitcode/record_cursor.h"
#include "ir/instruction.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::bitcode {
namespace {

using ir::Instruction;
using ir::Opcode;
using ir::Operand;
using ir::Type;

// The packed number of an alloca: an alignment in two parts, and flags.
constexpr uint64_t kLowAlignment = 0x1f, kHighAlignment = 0x700;
constexpr int kHighAlignmentShift = 8 - 5;
constexpr uint64_t kInAlloca = 1 << 5, kExplicitType = 1 << 6, kSwiftError = 1 << 7;

// The flags of a getelementptr: "inbounds"; since LLVM 19 also "nusw" and "nuw", which the arrays
// lack.
constexpr uint64_t kInbounds = 1, kAddressFlags = 7;

// The scopes that all files have with these numbers.
constexpr uint64_t kSingleThreadScope = 0, kSystemScope = 1;

SyncScope ScopeOf(uint64_t number, BodyBuilder& body) {
  const absl::Span<const SyncScope> scopes = body.source().sync_scopes();
  if (number < scopes.size()) return scopes[number];
  if (number == kSingleThreadScope) return SyncScope::kSingleThread;
  if (number != kSystemScope) body.Fail("no scope of synchronization has this number");
  return SyncScope::kSystem;
}

// An ordering that is atomic, and then a scope.
inline void SetAtomic(Instruction& instruction, RecordCursor& record, BodyBuilder& body) {
  instruction.ordering = record.Ordering();
  if (!instruction.IsAtomic()) body.Fail("an atomic instruction that is not atomic");
  const SyncScope scope = ScopeOf(record.Number(), body);
  instruction.is_singlethread = scope == SyncScope::kSingleThread;
  instruction.has_other_scope = scope == SyncScope::kOther;
}

const Type* PointerType(uint64_t address_space, BodyBuilder& body) {
  const Type* type = address_space > UINT32_MAX
                         ? nullptr
                         : body.source().types().FindPointer(static_cast<uint32_t>(address_space));
  if (type != nullptr) return type;
  body.Refuse("an address of a type that the module lacks");
  return body.no_type();
}

inline Instruction& AppendLoad(RecordCursor& record, BodyBuilder& body) {
  const TypedOperand address = record.ValueAndType();
  Instruction& instruction = body.Append(Opcode::kLoad, record.ResultType());
  body.SetOperands(instruction, address.operand);
  instruction.alignment_log = record.AlignmentLog();
  instruction.is_volatile = record.Flag();
  return instruction;
}

inline Instruction& AppendStore(RecordCursor& record, BodyBuilder& body) {
  const TypedOperand address = record.ValueAndType();
  const TypedOperand value = record.ValueAndType();
  Instruction& instruction = body.AppendVoid(Opcode::kStore);
  body.SetOperands(instruction, address.operand, value.operand);
  instruction.alignment_log = record.AlignmentLog();
  instruction.is_volatile = record.Flag();
  return instruction;
}

}  // namespace

void ReadAlloca(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const Type* element = record.Type();
  record.Type();  // Of the number of elements.
  const Operand count = record.AbsoluteValue();
  const uint64_t packed = record.Number();
  if ((packed & kExplicitType) == 0) return body.Refuse("an alloca of an older form");
  if ((packed & ~(kLowAlignment | kHighAlignment | kInAlloca | kExplicitType | kSwiftError)) != 0) {
    return body.Refuse("an alloca with an unknown flag");
  }
  const uint64_t address_space =
      record.IsAtEnd() ? body.source().module().layout().alloca_address_space() : record.Number();
  Instruction& instruction = body.Append(Opcode::kAlloca, PointerType(address_space, body));
  body.SetOperands(instruction, count);
  instruction.source_type = element;
  instruction.is_inalloca = (packed & kInAlloca) != 0;
  instruction.is_swift_error = (packed & kSwiftError) != 0;
  instruction.alignment_log = record.AlignmentLogOf(
      (packed & kLowAlignment) | (packed & kHighAlignment) >> kHighAlignmentShift);
  record.ExpectEnd();
}

void ReadGetElementPtr(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const uint64_t flags = record.Number();
  if (flags > kAddressFlags) return body.Refuse("a getelementptr with an unknown flag");
  const Type* source = record.Type();
  const TypedOperand base = record.ValueAndType();
  Instruction& instruction = body.Append(Opcode::kGetElementPtr, base.type);
  instruction.is_inbounds = (flags & kInbounds) != 0;
  instruction.source_type = source;
  body.AddOperand(base.operand);
  const Type* vector = nullptr;  // Of an index, if there is one.
  while (!record.IsAtEnd()) {
    const TypedOperand index = record.ValueAndType();
    if (ABSL_PREDICT_FALSE(index.type->IsVector())) vector = index.type;
    body.AddOperand(index.operand);
  }
  body.Close(instruction);
  if (ABSL_PREDICT_TRUE(vector == nullptr) || base.type->IsVector()) return;
  const Type* type = body.source().types().FindVector(base.type, *vector);
  if (type == nullptr || base.type->IsVoid()) {
    return body.Refuse("addresses of a type that the module lacks");
  }
  body.SetResultType(instruction, type);
}

void ReadLoad(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  AppendLoad(record, body);
  record.ExpectEnd();
}

void ReadLoadAtomic(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  SetAtomic(AppendLoad(record, body), record, body);
  record.ExpectEnd();
}

void ReadStore(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  AppendStore(record, body);
  record.ExpectEnd();
}

void ReadStoreAtomic(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  SetAtomic(AppendStore(record, body), record, body);
  record.ExpectEnd();
}

void ReadFence(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  SetAtomic(body.AppendVoid(Opcode::kFence), record, body);
  record.ExpectEnd();
}

void ReadCmpXchg(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const TypedOperand address = record.ValueAndType();
  const TypedOperand expected = record.ValueAndType();
  const Operand desired = record.Value();
  const TypeTable& types = body.source().types();
  const Type* bit = types.FindInteger(1);
  const Type* type = bit == nullptr ? nullptr : types.FindStruct({expected.type, bit});
  if (type == nullptr) return body.Refuse("a cmpxchg whose result has a type the module lacks");
  Instruction& instruction = body.Append(Opcode::kCmpXchg, type);
  body.SetOperands(instruction, address.operand, expected.operand, desired);
  instruction.is_volatile = record.Flag();
  SetAtomic(instruction, record, body);
  instruction.failure_ordering = record.Ordering();
  instruction.is_weak = record.Flag();
  instruction.alignment_log = record.AlignmentLogOf(record.OptionalNumber());
  record.ExpectEnd();
}

void ReadAtomicRmw(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  const TypedOperand address = record.ValueAndType();
  const TypedOperand value = record.ValueAndType();
  const uint64_t operation = record.Number();
  if (operation > static_cast<uint64_t>(ir::AtomicOperation::kFMinimum)) {
    return body.Refuse("an unknown atomic operation");
  }
  Instruction& instruction = body.Append(Opcode::kAtomicRmw, value.type);
  body.SetOperands(instruction, address.operand, value.operand);
  instruction.code = static_cast<uint8_t>(operation);
  instruction.is_volatile = record.Flag();
  SetAtomic(instruction, record, body);
  instruction.alignment_log = record.AlignmentLogOf(record.OptionalNumber());
  record.ExpectEnd();
}

void ReadVAArg(RecordOperands operands, BodyBuilder& body) {
  RecordCursor record(operands, body);
  record.Type();  // Of the list.
  const Operand list = record.Value();
  Instruction& instruction = body.Append(Opcode::kVAArg, record.ResultType());
  body.SetOperands(instruction, list);
  record.ExpectEnd();
}

}  // namespace firstcall::bitcode
