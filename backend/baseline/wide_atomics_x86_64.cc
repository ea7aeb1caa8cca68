// Atomic instructions of 128 bits on x86-64. A comparison and exchange (CMPXCHG16B) has the
// expected number in rdx:rax, and the new one in rcx:rbx. rbx is claimed for the whole function
// (FunctionFacts::claimed_registers).

#include "backend/baseline/memory.h"
#include "backend/baseline/memory_x86_64.h"
#include "backend/baseline/opcodes_x86_64.h"
#include "backend/baseline/operands.h"

namespace firstcall::baseline::x86_64 {

using ir::AtomicOperation;

void MemoryX86_64::LowerWideLoad(FunctionCode& code, const ir::Instruction& load) {
  native_.Rm(op::kMovaps, kVectorScratch, AddressOf(code, OperandAt(code, load, 0)));
  code.locations.registers().UnpinAll();
  // First, because what gives way may be stored by way of a scratch register.
  const Register low = Define(code, load, 0), high = Define(code, load, 1);
  native_.FromVector(8, low, kVectorScratch);
  native_.Rr(op::kMovhlps, kVectorScratch, kVectorScratch);
  native_.FromVector(8, high, kVectorScratch);
}

void MemoryX86_64::LowerWideStore(FunctionCode& code, const ir::Instruction& store) {
  const ir::Operand value = OperandAt(code, store, 1);
  const Mem mem = AddressOf(code, OperandAt(code, store, 0));
  const Register low = In(code, value, 0), high = In(code, value, 1);
  native_.ToVector(8, kVectorScratch, low);
  native_.ToVector(8, kCycleScratch, high);
  native_.Rr(op::kPunpcklqdq, kVectorScratch, kCycleScratch);
  native_.Rm(op::kMovapsStore, kVectorScratch, mem);
  if (store.atomic_ordering() == ir::Ordering::kSequentiallyConsistent) native_.Mfence();
}

void MemoryX86_64::LowerWideUpdate(FunctionCode& code, const ir::Instruction& update) {
  for (Register reg : {kRax, kRdx, kRcx}) code.locations.Claim(reg);
  const Mem mem = WithBaseOnly(code, AddressOf(code, OperandAt(code, update, 0)));
  const ir::Operand operand = OperandAt(code, update, 1);
  const Register low = In(code, operand, 0), high = In(code, operand, 1);
  const auto combine = [&](Alu of_low, Alu of_high) {
    native_.AluRr(of_low, 8, kRbx, low);
    native_.AluRr(of_high, 8, kRcx, high);
  };
  const uint32_t again = code.labels.New();
  native_.Load(8, kRax, mem);
  native_.Load(8, kRdx, mem.Plus(8));
  code.labels.Bind(again);
  const bool is_exchange = update.operation() == AtomicOperation::kXchg;
  native_.Mov(8, kRbx, is_exchange ? low : kRax);
  native_.Mov(8, kRcx, is_exchange ? high : kRdx);
  switch (update.operation()) {
    case AtomicOperation::kXchg:
      break;
    case AtomicOperation::kAdd:
      combine(Alu::kAdd, Alu::kAdc);
      break;
    case AtomicOperation::kSub:
      combine(Alu::kSub, Alu::kSbb);
      break;
    case AtomicOperation::kOr:
      combine(Alu::kOr, Alu::kOr);
      break;
    case AtomicOperation::kXor:
      combine(Alu::kXor, Alu::kXor);
      break;
    default:
      combine(Alu::kAnd, Alu::kAnd);
      break;
  }
  if (update.operation() == AtomicOperation::kNand) {
    native_.Not(8, kRbx);
    native_.Not(8, kRcx);
  }
  native_.Lock();
  native_.CmpxchgWide(mem);
  native_.Jcc(Cond::kNe, again);
  DefineIn(code, update, kRax, 0);
  DefineIn(code, update, kRdx, 1);
}

void MemoryX86_64::LowerWideExchange(FunctionCode& code, const ir::Instruction& exchange) {
  const ir::Operand expected = OperandAt(code, exchange, 1);
  const ir::Operand value = OperandAt(code, exchange, 2);
  Claim(code, kRax, expected, 0);
  Claim(code, kRdx, expected, 1);
  Claim(code, kRcx, value, 1);
  const Mem mem = AddressOf(code, OperandAt(code, exchange, 0));
  native_.Mov(8, kRbx, In(code, value, 0));
  native_.Lock();
  native_.CmpxchgWide(mem);
  native_.Set(Cond::kE, kScratch);
  native_.Mov(4, kRcx, kScratch);
  DefineIn(code, exchange, kRax, 0);
  DefineIn(code, exchange, kRdx, 1);
  DefineIn(code, exchange, kRcx, 2);
}

}  // namespace firstcall::baseline::x86_64
