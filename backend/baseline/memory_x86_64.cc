#include "backend/baseline/memory_x86_64.h"

#include <cstdint>

#include "backend/baseline/memory.h"
#include "backend/baseline/operands.h"

namespace firstcall::baseline::x86_64 {

using ir::AtomicOperation;

void MemoryX86_64::LowerAtomicLoad(FunctionCode& code, const ir::Instruction& load) {
  const Mem mem = AddressOf(code, OperandAt(code, load, 0));
  const unsigned bytes = static_cast<unsigned>(load.type->store_size);
  const Register dst = Define(code, load);
  if (IsVector(dst)) {
    native_.VectorLoad(bytes, dst, mem);
  } else {
    native_.Load(bytes, dst, mem);
  }
}

void MemoryX86_64::LowerAtomicStore(FunctionCode& code, const ir::Instruction& store) {
  ir::Operand value = OperandAt(code, store, 1);
  const Mem mem = AddressOf(code, OperandAt(code, store, 0));
  const unsigned bytes = BytesOf(code, value);
  Register source = In(code, value);
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

void MemoryX86_64::LowerAtomicUpdate(FunctionCode& code, const ir::Instruction& update) {
  const unsigned bytes = static_cast<unsigned>(update.type->store_size);
  const unsigned operation_bytes = bytes == 8 ? 8 : 4;
  ir::Operand operand = OperandAt(code, update, 1);
  switch (update.operation()) {
    case AtomicOperation::kXchg: {
      const Mem mem = AddressOf(code, OperandAt(code, update, 0));
      const Register value = Copy(code, operand);
      native_.XchgM(bytes, mem, value);
      return DefineIn(code, update, value);
    }
    case AtomicOperation::kAdd:
    case AtomicOperation::kSub: {
      const Mem mem = AddressOf(code, OperandAt(code, update, 0));
      const Register value = Copy(code, operand);
      if (update.operation() == AtomicOperation::kSub) {
        native_.Negate(operation_bytes, value);
      }
      native_.Lock();
      native_.Xadd(bytes, mem, value);
      return DefineIn(code, update, value);
    }
    default:
      break;
  }
  // Until nobody has written in between: old in rax, new in the scratch register.
  code.locations.Claim(kRax);
  const Mem mem = AddressOf(code, OperandAt(code, update, 0));
  const Register value = In(code, operand);
  const uint32_t again = code.labels.New();
  native_.Load(bytes, kRax, mem);
  code.labels.Bind(again);
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
  DefineIn(code, update, kRax);
}

void MemoryX86_64::LowerCompareExchange(FunctionCode& code, const ir::Instruction& exchange) {
  const unsigned bytes = BytesOf(code, OperandAt(code, exchange, 1));
  Claim(code, kRax, OperandAt(code, exchange, 1));
  const Mem mem = AddressOf(code, OperandAt(code, exchange, 0));
  const Register value = In(code, OperandAt(code, exchange, 2));
  native_.Lock();
  native_.Cmpxchg(bytes, mem, value);
  native_.Set(Cond::kE, kScratch);
  DefineIn(code, exchange, kRax, 0);
  code.locations.registers().Unpin(mem.base);
  code.locations.registers().Unpin(mem.index);
  native_.Mov(4, Define(code, exchange, 1), kScratch);
}

void MemoryX86_64::LowerFence(const ir::Instruction& fence) {
  if (fence.atomic_ordering() != ir::Ordering::kSequentiallyConsistent || fence.is_singlethread) {
    return;
  }
  native_.Mfence();
}

void MemoryX86_64::CopyBlock(FunctionCode& code, ir::Operand to, const Mem& place, ir::Operand from,
                             uint64_t size) {
  if (to.IsNothing()) code.locations.Claim(kRdi);
  code.locations.Claim(kRcx);
  if (!to.IsNothing()) Claim(code, kRdi, to);
  Claim(code, kRsi, from);
  if (to.IsNothing()) native_.Lea(kRdi, place);
  native_.MovImmediate(kRcx, size, true);
  native_.RepMovsb();
}

}  // namespace firstcall::baseline::x86_64
