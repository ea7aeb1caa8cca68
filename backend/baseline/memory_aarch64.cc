#include "backend/baseline/memory_aarch64.h"

#include <cstdint>

#include "backend/baseline/memory.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/value_parts.h"

namespace firstcall::baseline::aarch64 {
namespace {

using ir::AtomicOperation;
using ir::Ordering;

bool IsSigned(AtomicOperation operation) {
  return operation == AtomicOperation::kMax || operation == AtomicOperation::kMin;
}

bool IsComparison(AtomicOperation operation) {
  return IsSigned(operation) || operation == AtomicOperation::kUMax ||
         operation == AtomicOperation::kUMin;
}

// Whether the operation compares, so that small operands must be extended.
bool ComparesOperands(AtomicOperation operation) {
  return IsComparison(operation) || operation == AtomicOperation::kUIncWrap ||
         operation == AtomicOperation::kUDecWrap;
}

unsigned OperationSize(unsigned bytes) { return bytes == 8 ? 8 : 4; }

// Returns a register with the value of `pointer`.
Register InAddress(FunctionCode& code, ir::Operand pointer) {
  return WithBaseOnly(code, AddressOf(code, pointer)).base;
}

}  // namespace

void MemoryAArch64::LowerAtomicLoad(FunctionCode& code, const ir::Instruction& load) {
  const unsigned bytes = static_cast<unsigned>(load.type->store_size);
  const bool acquires = ir::Acquires(load.atomic_ordering());
  const Mem mem = acquires ? Mem::At(InAddress(code, OperandAt(code, load, 0)))
                           : AddressOf(code, OperandAt(code, load, 0));
  const Register dst = Define(code, load);
  const Register general = IsVector(dst) ? kScratch : dst;
  if (acquires) {
    native_.LoadAcquire(bytes, general, mem.base);
  } else {
    native_.Load(bytes, general, mem);
  }
  if (IsVector(dst)) native_.ToVector(bytes, dst, general);
}

void MemoryAArch64::LowerAtomicStore(FunctionCode& code, const ir::Instruction& store) {
  const unsigned bytes = BytesOf(code, OperandAt(code, store, 1));
  const bool releases = ir::Releases(store.atomic_ordering());
  const Mem mem = releases ? Mem::At(InAddress(code, OperandAt(code, store, 0)))
                           : AddressOf(code, OperandAt(code, store, 0));
  Register source = In(code, OperandAt(code, store, 1));
  if (IsVector(source)) {
    native_.FromVector(bytes, kScratch, source);
    source = kScratch;
  }
  if (releases) {
    native_.StoreRelease(bytes, source, mem.base);
  } else {
    native_.Store(bytes, mem, source);
  }
}

// False, and nothing emitted, if there is no such instruction.
bool MemoryAArch64::LowerAtomicUpdateByOne(FunctionCode& code, const ir::Instruction& update) {
  AtomicOp op = AtomicOp::kAdd;
  switch (update.operation()) {
    case AtomicOperation::kXchg:
    case AtomicOperation::kAdd:
    case AtomicOperation::kSub:
      break;
    case AtomicOperation::kAnd:
      op = AtomicOp::kClear;
      break;
    case AtomicOperation::kOr:
      op = AtomicOp::kSet;
      break;
    case AtomicOperation::kXor:
      op = AtomicOp::kXor;
      break;
    case AtomicOperation::kMax:
      op = AtomicOp::kSignedMax;
      break;
    case AtomicOperation::kMin:
      op = AtomicOp::kSignedMin;
      break;
    case AtomicOperation::kUMax:
      op = AtomicOp::kUnsignedMax;
      break;
    case AtomicOperation::kUMin:
      op = AtomicOp::kUnsignedMin;
      break;
    default:
      return false;
  }
  const unsigned bytes = static_cast<unsigned>(update.type->store_size);
  const Register base = InAddress(code, OperandAt(code, update, 0));
  const Register value = In(code, OperandAt(code, update, 1));
  const Register dst = Define(code, update);
  switch (update.operation()) {
    case AtomicOperation::kXchg:
      native_.Swap(bytes, dst, value, base);
      return true;
    case AtomicOperation::kSub:
      native_.Mov(8, kScratch, value);
      native_.Negate(OperationSize(bytes), kScratch);
      break;
    case AtomicOperation::kAnd:
      native_.Mov(8, kScratch, value);
      native_.Not(8, kScratch);
      break;
    default:
      native_.AtomicUpdate(op, bytes, dst, value, base);
      return true;
  }
  native_.AtomicUpdate(op, bytes, dst, kScratch, base);
  return true;
}

void MemoryAArch64::EmitAtomicOperation(AtomicOperation operation, unsigned bytes, Register result,
                                        Register old, Register value) {
  const unsigned size = OperationSize(bytes);
  if (IsComparison(operation)) {
    if (size == bytes) {
      native_.AluRr(Alu::kCmp, size, value, old);
    } else {
      native_.CompareExtended(4, value, old, IsSigned(operation), bytes);
    }
    const Cond takes_value = operation == AtomicOperation::kMax    ? Cond::kG
                             : operation == AtomicOperation::kMin  ? Cond::kL
                             : operation == AtomicOperation::kUMax ? Cond::kA
                                                                   : Cond::kB;
    return native_.SelectInto(size, takes_value, result, value, old);
  }
  native_.Mov(size, result, operation == AtomicOperation::kXchg ? value : old);
  switch (operation) {
    case AtomicOperation::kXchg:
      return;
    case AtomicOperation::kAdd:
      return native_.AluRr(Alu::kAdd, size, result, value);
    case AtomicOperation::kSub:
      return native_.AluRr(Alu::kSub, size, result, value);
    case AtomicOperation::kUIncWrap:  // To 0 from the operand on.
      native_.AluRi(Alu::kAdd, size, result, 1);
      native_.MovImmediate(kValueScratch, 0, true);
      native_.AluRr(Alu::kCmp, size, old, value);
      return native_.SelectInto(size, Cond::kAe, result, kValueScratch, result);
    case AtomicOperation::kUDecWrap:  // To the operand from 0, and from what is above.
      native_.AluRi(Alu::kSub, size, result, 1);
      native_.AluRr(Alu::kCmp, size, old, value);
      native_.SelectInto(size, Cond::kA, result, value, result);
      native_.CompareWithZero(size, old);
      return native_.SelectInto(size, Cond::kE, result, value, result);
    case AtomicOperation::kOr:
      return native_.AluRr(Alu::kOr, size, result, value);
    case AtomicOperation::kXor:
      return native_.AluRr(Alu::kXor, size, result, value);
    default:
      native_.AluRr(Alu::kAnd, size, result, value);
      if (operation == AtomicOperation::kNand) native_.Not(size, result);
      return;
  }
}

void MemoryAArch64::LowerAtomicFloatUpdate(FunctionCode& code, const ir::Instruction& update) {
  const auto bytes = static_cast<unsigned>(update.type->store_size);
  const bool is_double = update.type->IsDouble();
  const FloatKind kind = is_double ? FloatKind::kDouble : FloatKind::kFloat;
  const Register base = InAddress(code, OperandAt(code, update, 0));
  const Register value = In(code, OperandAt(code, update, 1));
  const Register old = code.locations.Temporary(false);
  const uint32_t again = code.labels.New();
  code.labels.Bind(again);
  native_.LoadExclusive(bytes, old, base);
  native_.ToVector(bytes, kVectorScratch, old);
  switch (update.operation()) {
    case AtomicOperation::kFAdd:
      native_.FloatRr(FloatOp::kAdd, kind, kVectorScratch, value);
      break;
    case AtomicOperation::kFSub:
      native_.FloatRr(FloatOp::kSub, kind, kVectorScratch, value);
      break;
    case AtomicOperation::kFMax:
      native_.FloatMaximumNumber(is_double, kVectorScratch, kVectorScratch, value);
      break;
    case AtomicOperation::kFMin:
      native_.FloatMinimumNumber(is_double, kVectorScratch, kVectorScratch, value);
      break;
    default:
      native_.VectorMov(kVectorScratch, value);
      break;
  }
  native_.FromVector(bytes, kScratch, kVectorScratch);
  native_.StoreExclusive(bytes, kValueScratch, kScratch, base);
  native_.CompareBranchNonZero(4, kValueScratch, again);
  native_.ToVector(bytes, Define(code, update), old);
}

void MemoryAArch64::LowerAtomicUpdate(FunctionCode& code, const ir::Instruction& update) {
  if (PartCount(update.type) > 1) return LowerWideUpdate(code, update);
  if (!update.type->IsIntegerOrPointer()) return LowerAtomicFloatUpdate(code, update);
  if (code.options.coverage.has_atomic_updates && LowerAtomicUpdateByOne(code, update)) return;
  const AtomicOperation operation = update.operation();
  const unsigned bytes = static_cast<unsigned>(update.type->store_size);
  const Register base = InAddress(code, OperandAt(code, update, 0));
  const Register value = ComparesOperands(operation) && bytes < 4
                             ? InExtended(code, OperandAt(code, update, 1), IsSigned(operation), 4)
                             : In(code, OperandAt(code, update, 1));
  const Register old = Define(code, update);
  const uint32_t again = code.labels.New();
  code.labels.Bind(again);
  native_.LoadExclusive(bytes, old, base);
  EmitAtomicOperation(operation, bytes, kScratch, old, value);
  native_.StoreExclusive(bytes, kValueScratch, kScratch, base);
  native_.CompareBranchNonZero(4, kValueScratch, again);
}

void MemoryAArch64::LowerCompareExchange(FunctionCode& code, const ir::Instruction& exchange) {
  if (PartCount(TypeAt(code, exchange, 1)) > 1) return LowerWideExchange(code, exchange);
  const unsigned bytes = BytesOf(code, OperandAt(code, exchange, 1));
  const Register base = InAddress(code, OperandAt(code, exchange, 0));
  const Register value = In(code, OperandAt(code, exchange, 2));
  const Register expected = In(code, OperandAt(code, exchange, 1));
  const Register old = Define(code, exchange, 0);
  const auto compare = [&] {
    if (bytes < 4) {
      native_.CompareExtended(4, old, expected, /*is_signed=*/false, bytes);
    } else {
      native_.AluRr(Alu::kCmp, bytes, old, expected);
    }
  };
  if (code.options.coverage.has_atomic_updates) {
    native_.Mov(8, old, expected);
    native_.CompareAndSwap(bytes, old, value, base);
    compare();
  } else {
    const uint32_t again = code.labels.New(), done = code.labels.New();
    code.labels.Bind(again);
    native_.LoadExclusive(bytes, old, base);
    compare();
    native_.Jcc(Cond::kNe, done);
    native_.StoreExclusive(bytes, kValueScratch, value, base);
    native_.CompareBranchNonZero(4, kValueScratch, again);
    code.labels.Bind(done);
  }
  native_.Set(Cond::kE, kScratch);
  code.locations.registers().Unpin(base);
  code.locations.registers().Unpin(value);
  code.locations.registers().Unpin(expected);
  native_.Mov(4, Define(code, exchange, 1), kScratch);
}

void MemoryAArch64::LowerFence(const ir::Instruction& fence) {
  if (fence.is_singlethread) return;
  native_.DataBarrier(/*loads_only=*/fence.atomic_ordering() == Ordering::kAcquire);
}

void MemoryAArch64::CopyBlock(FunctionCode& code, ir::Operand to, const Mem& place,
                              ir::Operand from, uint64_t size) {
  constexpr unsigned kPiece = 16;
  const Register target = !to.IsNothing() ? Copy(code, to) : code.locations.Temporary(false);
  if (to.IsNothing()) native_.Lea(target, place);
  const Register source = Copy(code, from);
  const uint32_t again = code.labels.New();
  native_.MovImmediate(kScratch, size / kPiece, true);
  code.labels.Bind(again);
  native_.VectorLoad(kPiece, kVectorScratch, Mem::At(source));
  native_.VectorStore(kPiece, Mem::At(target), kVectorScratch);
  native_.AddWide(source, source, kPiece);
  native_.AddWide(target, target, kPiece);
  native_.AluRi(Alu::kSub, 8, kScratch, 1);
  native_.Jcc(Cond::kNe, again);
  CopyBytes(code, Mem::At(target), Mem::At(source), size % kPiece);
}

void MemoryAArch64::LowerThreadLocalAddress(FunctionCode& code, const ir::Instruction& instruction,
                                            const ir::Global& variable) {
  code.locations.Claim(X(0));
  native_.CallDescriptor(code.symbols.NumberOf(&variable));
  native_.AddThreadPointer(X(0));
  DefineIn(code, instruction, X(0));
}

}  // namespace firstcall::baseline::aarch64
