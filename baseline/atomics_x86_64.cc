// Atomic operations on 8 to 64 bits. Loads and stores are ordered by the machine (Intel SDM volume
// 3, 9.2); a sequentially consistent store is an exchange.

#include "baseline/lowering_x86_64.h"

namespace firstcall::baseline {

using llvm::AtomicRMWInst;

void LoweringX86_64::LowerAtomicLoad(const llvm::LoadInst& load) {
  const Mem mem = AddressOf(load.getPointerOperand());
  const unsigned bytes = BytesOf(&load);
  const Register dst = Define(load);
  if (IsVector(dst)) {
    assembler_.VectorLoad(bytes, dst, mem);
  } else {
    assembler_.Load(bytes, dst, mem);
  }
}

void LoweringX86_64::LowerAtomicStore(const llvm::StoreInst& store) {
  const llvm::Value* value = store.getValueOperand();
  const Mem mem = AddressOf(store.getPointerOperand());
  const unsigned bytes = BytesOf(value);
  Register source = In(value);
  if (IsVector(source)) {
    assembler_.FromVector(bytes, kScratch, source);
  } else {
    assembler_.Mov(8, kScratch, source);
  }
  if (store.getOrdering() == llvm::AtomicOrdering::SequentiallyConsistent) {
    assembler_.XchgM(bytes, mem, kScratch);
  } else {
    assembler_.Store(bytes, mem, kScratch);
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
      assembler_.XchgM(bytes, mem, value);
      return DefineIn(update, value);
    }
    case AtomicRMWInst::Add:
    case AtomicRMWInst::Sub: {
      const Mem mem = AddressOf(update.getPointerOperand());
      const Register value = Copy(operand);
      if (update.getOperation() == AtomicRMWInst::Sub) {
        assembler_.UnaryR(Unary::kNeg, operation_bytes, value);
      }
      assembler_.Lock();
      assembler_.Xadd(bytes, mem, value);
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
  assembler_.Load(bytes, kRax, mem);
  Bind(again);
  assembler_.Mov(8, kScratch, kRax);
  const auto choose = [&](Cond keeps_old) {
    assembler_.AluRr(Alu::kCmp, bytes, kRax, value);
    assembler_.Cmov(Negate(keeps_old), operation_bytes, kScratch, value);
  };
  switch (update.getOperation()) {
    case AtomicRMWInst::And:
      assembler_.AluRr(Alu::kAnd, operation_bytes, kScratch, value);
      break;
    case AtomicRMWInst::Nand:
      assembler_.AluRr(Alu::kAnd, operation_bytes, kScratch, value);
      assembler_.UnaryR(Unary::kNot, operation_bytes, kScratch);
      break;
    case AtomicRMWInst::Or:
      assembler_.AluRr(Alu::kOr, operation_bytes, kScratch, value);
      break;
    case AtomicRMWInst::Xor:
      assembler_.AluRr(Alu::kXor, operation_bytes, kScratch, value);
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
  assembler_.Lock();
  assembler_.Cmpxchg(bytes, mem, kScratch);
  assembler_.Jcc(Cond::kNe, again);
  DefineIn(update, kRax);
}

void LoweringX86_64::LowerCompareExchange(const llvm::AtomicCmpXchgInst& exchange) {
  const unsigned bytes = BytesOf(exchange.getCompareOperand());
  Claim(kRax, exchange.getCompareOperand());
  const Mem mem = AddressOf(exchange.getPointerOperand());
  const Register value = In(exchange.getNewValOperand());
  assembler_.Lock();
  assembler_.Cmpxchg(bytes, mem, value);
  assembler_.Setcc(Cond::kE, kScratch);
  DefineIn(exchange, kRax, 0);
  locations_.Unpin(mem.base);
  locations_.Unpin(mem.index);
  assembler_.Mov(4, Define(exchange, 1), kScratch);
}

void LoweringX86_64::LowerFence(const llvm::FenceInst& fence) {
  if (fence.getOrdering() != llvm::AtomicOrdering::SequentiallyConsistent ||
      fence.getSyncScopeID() == llvm::SyncScope::SingleThread) {
    return;
  }
  assembler_.Mfence();
}

}  // namespace firstcall::baseline
