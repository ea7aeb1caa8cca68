// Atomic operations on 8 to 64 bits. Loads and stores are ordered by the machine (Intel SDM volume
// 3, 9.2); a sequentially consistent store is an exchange.

#include "backend/baseline/lowering_x86_64.h"

namespace firstcall::baseline::x86_64 {

using llvm::AtomicRMWInst;

void LoweringX86_64::LowerAtomicLoad(const llvm::LoadInst& load) {
  const Mem mem = AddressOf(load.getPointerOperand());
  const unsigned bytes = BytesOf(&load);
  const Register dst = Define(load);
  if (IsVector(dst)) {
    native_.VectorLoad(bytes, dst, mem);
  } else {
    native_.Load(bytes, dst, mem);
  }
}

void LoweringX86_64::LowerAtomicStore(const llvm::StoreInst& store) {
  const llvm::Value* value = store.getValueOperand();
  const Mem mem = AddressOf(store.getPointerOperand());
  const unsigned bytes = BytesOf(value);
  Register source = In(value);
  if (IsVector(source)) {
    native_.FromVector(bytes, kScratch, source);
  } else {
    native_.Mov(8, kScratch, source);
  }
  if (store.getOrdering() == llvm::AtomicOrdering::SequentiallyConsistent) {
    native_.XchgM(bytes, mem, kScratch);
  } else {
    native_.Store(bytes, mem, kScratch);
  }
}

void LoweringX86_64::LowerAtomicUpdate(const AtomicRMWInst& update) {
  const unsigned bytes = BytesOf(&update);
  const unsigned operation_bytes = bytes == 8 ? 8 : 4;
  const llvm::Value* operand = update.getValOperand();
  switch (update.getOperation()) {
    case AtomicRMWInst::Xchg: {
      const Mem mem = AddressOf(update.getPointerOperand());
      const Register value = Copy(operand);
      native_.XchgM(bytes, mem, value);
      return DefineIn(update, value);
    }
    case AtomicRMWInst::Add:
    case AtomicRMWInst::Sub: {
      const Mem mem = AddressOf(update.getPointerOperand());
      const Register value = Copy(operand);
      if (update.getOperation() == AtomicRMWInst::Sub) {
        native_.Negate(operation_bytes, value);
      }
      native_.Lock();
      native_.Xadd(bytes, mem, value);
      return DefineIn(update, value);
    }
    default:
      break;
  }
  // Until nobody has written in between: old in rax, new in the scratch register.
  locations_.Claim(kRax);
  const Mem mem = AddressOf(update.getPointerOperand());
  const Register value = In(operand);
  const uint32_t again = NewLabel();
  native_.Load(bytes, kRax, mem);
  Bind(again);
  native_.Mov(8, kScratch, kRax);
  const auto choose = [&](Cond keeps_old) {
    native_.AluRr(Alu::kCmp, bytes, kRax, value);
    native_.Select(Negate(keeps_old), operation_bytes, kScratch, value);
  };
  switch (update.getOperation()) {
    case AtomicRMWInst::And:
      native_.AluRr(Alu::kAnd, operation_bytes, kScratch, value);
      break;
    case AtomicRMWInst::Nand:
      native_.AluRr(Alu::kAnd, operation_bytes, kScratch, value);
      native_.Not(operation_bytes, kScratch);
      break;
    case AtomicRMWInst::Or:
      native_.AluRr(Alu::kOr, operation_bytes, kScratch, value);
      break;
    case AtomicRMWInst::Xor:
      native_.AluRr(Alu::kXor, operation_bytes, kScratch, value);
      break;
    case AtomicRMWInst::Max:
      choose(Cond::kG);
      break;
    case AtomicRMWInst::Min:
      choose(Cond::kL);
      break;
    case AtomicRMWInst::UMax:
      choose(Cond::kA);
      break;
    default:
      choose(Cond::kB);
      break;
  }
  native_.Lock();
  native_.Cmpxchg(bytes, mem, kScratch);
  native_.Jcc(Cond::kNe, again);
  DefineIn(update, kRax);
}

void LoweringX86_64::LowerCompareExchange(const llvm::AtomicCmpXchgInst& exchange) {
  const unsigned bytes = BytesOf(exchange.getCompareOperand());
  Claim(kRax, exchange.getCompareOperand());
  const Mem mem = AddressOf(exchange.getPointerOperand());
  const Register value = In(exchange.getNewValOperand());
  native_.Lock();
  native_.Cmpxchg(bytes, mem, value);
  native_.Set(Cond::kE, kScratch);
  DefineIn(exchange, kRax, 0);
  locations_.registers().Unpin(mem.base);
  locations_.registers().Unpin(mem.index);
  native_.Mov(4, Define(exchange, 1), kScratch);
}

void LoweringX86_64::LowerFence(const llvm::FenceInst& fence) {
  if (fence.getOrdering() != llvm::AtomicOrdering::SequentiallyConsistent ||
      fence.getSyncScopeID() == llvm::SyncScope::SingleThread) {
    return;
  }
  native_.Mfence();
}

}  // namespace firstcall::baseline::x86_64
