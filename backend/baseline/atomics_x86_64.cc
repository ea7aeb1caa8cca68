// Atomic operations on 8 to 64 bits. Loads and stores are ordered by the machine (Intel SDM volume
// 3, 9.2); a sequentially consistent store is an exchange.

#include "backend/baseline/lowering_x86_64.h"

namespace firstcall::baseline::x86_64 {

using ir::AtomicOperation;

void LoweringX86_64::LowerAtomicLoad(const ir::Instruction& load) {
  const Mem mem = AddressOf(OperandAt(load, 0));
  const unsigned bytes = static_cast<unsigned>(load.type->store_size);
  const Register dst = Define(load);
  if (IsVector(dst)) {
    native_.VectorLoad(bytes, dst, mem);
  } else {
    native_.Load(bytes, dst, mem);
  }
}

void LoweringX86_64::LowerAtomicStore(const ir::Instruction& store) {
  ir::Operand value = OperandAt(store, 1);
  const Mem mem = AddressOf(OperandAt(store, 0));
  const unsigned bytes = BytesOf(value);
  Register source = In(value);
  if (IsVector(source)) {
    native_.FromVector(bytes, kScratch, source);
  } else {
    native_.Mov(8, kScratch, source);
  }
  if (store.atomic_ordering() == ir::Ordering::kSequentiallyConsistent) {
    native_.XchgM(bytes, mem, kScratch);
  } else {
    native_.Store(bytes, mem, kScratch);
  }
}

void LoweringX86_64::LowerAtomicUpdate(const ir::Instruction& update) {
  const unsigned bytes = static_cast<unsigned>(update.type->store_size);
  const unsigned operation_bytes = bytes == 8 ? 8 : 4;
  ir::Operand operand = OperandAt(update, 1);
  switch (update.operation()) {
    case AtomicOperation::kXchg: {
      const Mem mem = AddressOf(OperandAt(update, 0));
      const Register value = Copy(operand);
      native_.XchgM(bytes, mem, value);
      return DefineIn(update, value);
    }
    case AtomicOperation::kAdd:
    case AtomicOperation::kSub: {
      const Mem mem = AddressOf(OperandAt(update, 0));
      const Register value = Copy(operand);
      if (update.operation() == AtomicOperation::kSub) {
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
  const Mem mem = AddressOf(OperandAt(update, 0));
  const Register value = In(operand);
  const uint32_t again = NewLabel();
  native_.Load(bytes, kRax, mem);
  Bind(again);
  native_.Mov(8, kScratch, kRax);
  const auto choose = [&](Cond keeps_old) {
    native_.AluRr(Alu::kCmp, bytes, kRax, value);
    native_.Select(Negate(keeps_old), operation_bytes, kScratch, value);
  };
  switch (update.operation()) {
    case AtomicOperation::kAnd:
      native_.AluRr(Alu::kAnd, operation_bytes, kScratch, value);
      break;
    case AtomicOperation::kNand:
      native_.AluRr(Alu::kAnd, operation_bytes, kScratch, value);
      native_.Not(operation_bytes, kScratch);
      break;
    case AtomicOperation::kOr:
      native_.AluRr(Alu::kOr, operation_bytes, kScratch, value);
      break;
    case AtomicOperation::kXor:
      native_.AluRr(Alu::kXor, operation_bytes, kScratch, value);
      break;
    case AtomicOperation::kMax:
      choose(Cond::kG);
      break;
    case AtomicOperation::kMin:
      choose(Cond::kL);
      break;
    case AtomicOperation::kUMax:
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

void LoweringX86_64::LowerCompareExchange(const ir::Instruction& exchange) {
  const unsigned bytes = BytesOf(OperandAt(exchange, 1));
  Claim(kRax, OperandAt(exchange, 1));
  const Mem mem = AddressOf(OperandAt(exchange, 0));
  const Register value = In(OperandAt(exchange, 2));
  native_.Lock();
  native_.Cmpxchg(bytes, mem, value);
  native_.Set(Cond::kE, kScratch);
  DefineIn(exchange, kRax, 0);
  locations_.registers().Unpin(mem.base);
  locations_.registers().Unpin(mem.index);
  native_.Mov(4, Define(exchange, 1), kScratch);
}

void LoweringX86_64::LowerFence(const ir::Instruction& fence) {
  if (fence.atomic_ordering() != ir::Ordering::kSequentiallyConsistent || fence.is_singlethread) {
    return;
  }
  native_.Mfence();
}

}  // namespace firstcall::baseline::x86_64
