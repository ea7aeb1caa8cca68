// Atomic operations on 8 to 64 bits. Loads that acquire and stores that release are instructions;
// updates are one instruction if the processor has Armv8.1's, and otherwise a loop that stores if
// nobody has stored since it loaded (Arm ARM, B2.9), with acquire and release semantics always.

#include "backend/baseline/lowering_aarch64.h"

namespace firstcall::baseline::aarch64 {
namespace {

using llvm::AtomicOrdering;
using llvm::AtomicRMWInst;

bool IsSigned(AtomicRMWInst::BinOp operation) {
  return operation == AtomicRMWInst::Max || operation == AtomicRMWInst::Min;
}

bool IsComparison(AtomicRMWInst::BinOp operation) {
  return IsSigned(operation) || operation == AtomicRMWInst::UMax ||
         operation == AtomicRMWInst::UMin;
}

unsigned OperationSize(unsigned bytes) { return bytes == 8 ? 8 : 4; }

}  // namespace

Register LoweringAArch64::InAddress(const llvm::Value* pointer) {
  return WithBaseOnly(AddressOf(pointer)).base;
}

void LoweringAArch64::LowerAtomicLoad(const llvm::LoadInst& load) {
  const unsigned bytes = BytesOf(&load);
  const bool acquires = llvm::isAcquireOrStronger(load.getOrdering());
  const Mem mem =
      acquires ? Mem::At(InAddress(load.getPointerOperand())) : AddressOf(load.getPointerOperand());
  const Register dst = Define(load);
  const Register general = IsVector(dst) ? kScratch : dst;
  if (acquires) {
    native_.LoadAcquire(bytes, general, mem.base);
  } else {
    native_.Load(bytes, general, mem);
  }
  if (IsVector(dst)) native_.ToVector(bytes, dst, general);
}

void LoweringAArch64::LowerAtomicStore(const llvm::StoreInst& store) {
  const unsigned bytes = BytesOf(store.getValueOperand());
  const bool releases = llvm::isReleaseOrStronger(store.getOrdering());
  const Mem mem = releases ? Mem::At(InAddress(store.getPointerOperand()))
                           : AddressOf(store.getPointerOperand());
  Register source = In(store.getValueOperand());
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
bool LoweringAArch64::LowerAtomicUpdateByOne(const AtomicRMWInst& update) {
  AtomicOp op = AtomicOp::kAdd;
  switch (update.getOperation()) {
    case AtomicRMWInst::Xchg:
    case AtomicRMWInst::Add:
    case AtomicRMWInst::Sub:
      break;
    case AtomicRMWInst::And:
      op = AtomicOp::kClear;
      break;
    case AtomicRMWInst::Or:
      op = AtomicOp::kSet;
      break;
    case AtomicRMWInst::Xor:
      op = AtomicOp::kXor;
      break;
    case AtomicRMWInst::Max:
      op = AtomicOp::kSignedMax;
      break;
    case AtomicRMWInst::Min:
      op = AtomicOp::kSignedMin;
      break;
    case AtomicRMWInst::UMax:
      op = AtomicOp::kUnsignedMax;
      break;
    case AtomicRMWInst::UMin:
      op = AtomicOp::kUnsignedMin;
      break;
    default:
      return false;
  }
  const unsigned bytes = BytesOf(&update);
  const Register base = InAddress(update.getPointerOperand());
  const Register value = In(update.getValOperand());
  const Register dst = Define(update);
  switch (update.getOperation()) {
    case AtomicRMWInst::Xchg:
      native_.Swap(bytes, dst, value, base);
      return true;
    case AtomicRMWInst::Sub:
      native_.Mov(8, kScratch, value);
      native_.Negate(OperationSize(bytes), kScratch);
      break;
    case AtomicRMWInst::And:
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

void LoweringAArch64::EmitAtomicOperation(AtomicRMWInst::BinOp operation, unsigned bytes,
                                          Register result, Register old, Register value) {
  const unsigned size = OperationSize(bytes);
  if (IsComparison(operation)) {
    if (size == bytes) {
      native_.AluRr(Alu::kCmp, size, value, old);
    } else {
      native_.CompareExtended(4, value, old, IsSigned(operation), bytes);
    }
    const Cond takes_value = operation == AtomicRMWInst::Max    ? Cond::kG
                             : operation == AtomicRMWInst::Min  ? Cond::kL
                             : operation == AtomicRMWInst::UMax ? Cond::kA
                                                                : Cond::kB;
    return native_.SelectInto(size, takes_value, result, value, old);
  }
  native_.Mov(size, result, operation == AtomicRMWInst::Xchg ? value : old);
  switch (operation) {
    case AtomicRMWInst::Xchg:
      return;
    case AtomicRMWInst::Add:
      return native_.AluRr(Alu::kAdd, size, result, value);
    case AtomicRMWInst::Sub:
      return native_.AluRr(Alu::kSub, size, result, value);
    case AtomicRMWInst::Or:
      return native_.AluRr(Alu::kOr, size, result, value);
    case AtomicRMWInst::Xor:
      return native_.AluRr(Alu::kXor, size, result, value);
    default:
      native_.AluRr(Alu::kAnd, size, result, value);
      if (operation == AtomicRMWInst::Nand) native_.Not(size, result);
      return;
  }
}

void LoweringAArch64::LowerAtomicUpdate(const AtomicRMWInst& update) {
  if (options_.coverage.has_atomic_updates && LowerAtomicUpdateByOne(update)) return;
  const AtomicRMWInst::BinOp operation = update.getOperation();
  const unsigned bytes = BytesOf(&update);
  const Register base = InAddress(update.getPointerOperand());
  const Register value = IsComparison(operation) && bytes < 4
                             ? InExtended(update.getValOperand(), IsSigned(operation), 4)
                             : In(update.getValOperand());
  const Register old = Define(update);
  const uint32_t again = NewLabel();
  Bind(again);
  native_.LoadExclusive(bytes, old, base);
  EmitAtomicOperation(operation, bytes, kScratch, old, value);
  native_.StoreExclusive(bytes, kValueScratch, kScratch, base);
  native_.CompareBranchNonZero(4, kValueScratch, again);
}

void LoweringAArch64::LowerCompareExchange(const llvm::AtomicCmpXchgInst& exchange) {
  const unsigned bytes = BytesOf(exchange.getCompareOperand());
  const Register base = InAddress(exchange.getPointerOperand());
  const Register value = In(exchange.getNewValOperand());
  const Register expected = In(exchange.getCompareOperand());
  const Register old = Define(exchange, 0);
  const auto compare = [&] {
    if (bytes < 4) {
      native_.CompareExtended(4, old, expected, /*is_signed=*/false, bytes);
    } else {
      native_.AluRr(Alu::kCmp, bytes, old, expected);
    }
  };
  if (options_.coverage.has_atomic_updates) {
    native_.Mov(8, old, expected);
    native_.CompareAndSwap(bytes, old, value, base);
    compare();
  } else {
    const uint32_t again = NewLabel(), done = NewLabel();
    Bind(again);
    native_.LoadExclusive(bytes, old, base);
    compare();
    native_.Jcc(Cond::kNe, done);
    native_.StoreExclusive(bytes, kValueScratch, value, base);
    native_.CompareBranchNonZero(4, kValueScratch, again);
    Bind(done);
  }
  native_.Set(Cond::kE, kScratch);
  locations_.registers().Unpin(base);
  locations_.registers().Unpin(value);
  locations_.registers().Unpin(expected);
  native_.Mov(4, Define(exchange, 1), kScratch);
}

void LoweringAArch64::LowerFence(const llvm::FenceInst& fence) {
  if (fence.getSyncScopeID() == llvm::SyncScope::SingleThread) return;
  native_.DataBarrier(/*loads_only=*/fence.getOrdering() == AtomicOrdering::Acquire);
}

}  // namespace firstcall::baseline::aarch64
