// Atomic instructions of 128 bits on AArch64: loops around exclusive accesses, which all processors
// have. A pair that was loaded was read at once only if a store of the pair succeeds.

#include "backend/baseline/memory.h"
#include "backend/baseline/memory_aarch64.h"
#include "backend/baseline/operands.h"

namespace firstcall::baseline::aarch64 {

using ir::AtomicOperation;

void MemoryAArch64::LowerWideUpdate(FunctionCode& code, const ir::Instruction& update) {
  const Register base = WithBaseOnly(code, AddressOf(code, OperandAt(code, update, 0))).base;
  const ir::Operand operand = OperandAt(code, update, 1);
  const Register low = In(code, operand, 0), high = In(code, operand, 1);
  const Register old_low = code.locations.Temporary(false);
  const Register old_high = code.locations.Temporary(false);
  const Register new_low = code.locations.Temporary(false);
  const Register new_high = code.locations.Temporary(false);
  const auto combine = [&](Alu of_low, Alu of_high) {
    native_.AluRr(of_low, 8, new_low, low);
    native_.AluRr(of_high, 8, new_high, high);
  };
  const bool is_exchange = update.operation() == AtomicOperation::kXchg;
  const uint32_t again = code.labels.New();
  code.labels.Bind(again);
  native_.LoadExclusivePair(old_low, old_high, base);
  native_.Mov(8, new_low, is_exchange ? low : old_low);
  native_.Mov(8, new_high, is_exchange ? high : old_high);
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
    native_.Not(8, new_low);
    native_.Not(8, new_high);
  }
  native_.StoreExclusivePair(kScratch, new_low, new_high, base);
  native_.CompareBranchNonZero(4, kScratch, again);
  DefineIn(code, update, old_low, 0);
  DefineIn(code, update, old_high, 1);
}

// If the pair is not as expected, what was loaded is stored again.
void MemoryAArch64::LowerWideExchange(FunctionCode& code, const ir::Instruction& exchange) {
  const Register base = WithBaseOnly(code, AddressOf(code, OperandAt(code, exchange, 0))).base;
  const ir::Operand expected = OperandAt(code, exchange, 1);
  const ir::Operand value = OperandAt(code, exchange, 2);
  const Register expected_low = In(code, expected, 0), expected_high = In(code, expected, 1);
  const Register low = In(code, value, 0), high = In(code, value, 1);
  const Register old_low = code.locations.Temporary(false);
  const Register old_high = code.locations.Temporary(false);
  const Register success = code.locations.Temporary(false);
  const uint32_t again = code.labels.New(), differs = code.labels.New(), done = code.labels.New();
  code.labels.Bind(again);
  native_.LoadExclusivePair(old_low, old_high, base);
  native_.AluRr(Alu::kCmp, 8, old_low, expected_low);
  native_.Jcc(Cond::kNe, differs);
  native_.AluRr(Alu::kCmp, 8, old_high, expected_high);
  native_.Jcc(Cond::kNe, differs);
  native_.StoreExclusivePair(kScratch, low, high, base);
  native_.CompareBranchNonZero(4, kScratch, again);
  native_.MovImmediate(success, 1, true);
  native_.Jmp(done);
  code.labels.Bind(differs);
  native_.StoreExclusivePair(kScratch, old_low, old_high, base);
  native_.CompareBranchNonZero(4, kScratch, again);
  native_.MovImmediate(success, 0, true);
  code.labels.Bind(done);
  DefineIn(code, exchange, old_low, 0);
  DefineIn(code, exchange, old_high, 1);
  DefineIn(code, exchange, success, 2);
}

}  // namespace firstcall::baseline::aarch64
