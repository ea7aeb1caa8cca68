#include "backend/baseline/memory_x86_64.h"

#include <cstdint>

#include "backend/baseline/memory.h"
#include "backend/baseline/opcodes_x86_64.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/value_parts.h"

namespace firstcall::baseline::x86_64 {

using ir::AtomicOperation;

void MemoryX86_64::LowerAtomicLoad(FunctionCode& code, const ir::Instruction& load) {
  if (PartCount(load.type) > 1) return LowerWideLoad(code, load);
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
  if (PartCount(TypeOf(code, value)) > 1) return LowerWideStore(code, store);
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
  if (PartCount(update.type) > 1) return LowerWideUpdate(code, update);
  const unsigned bytes = static_cast<unsigned>(update.type->store_size);
  const unsigned operation_bytes = bytes == 8 ? 8 : 4;
  ir::Operand operand = OperandAt(code, update, 1);
  switch (update.operation()) {
    case AtomicOperation::kXchg: {
      const Mem mem = AddressOf(code, OperandAt(code, update, 0));
      if (!update.type->IsIntegerOrPointer()) {
        native_.FromVector(bytes, kScratch, In(code, operand));
        native_.XchgM(bytes, mem, kScratch);
        return native_.ToVector(bytes, Define(code, update), kScratch);
      }
      const Register value = Copy(code, operand);
      native_.XchgM(bytes, mem, value);
      return DefineIn(code, update, value);
    }
    case AtomicOperation::kFAdd:
    case AtomicOperation::kFSub:
    case AtomicOperation::kFMax:
    case AtomicOperation::kFMin:
      return LowerAtomicFloatUpdate(code, update);
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
    case AtomicOperation::kUIncWrap: {  // To 0 from the operand on.
      const uint32_t done = code.labels.New();
      native_.AluRi(Alu::kAdd, operation_bytes, kScratch, 1);
      native_.AluRr(Alu::kCmp, bytes, kRax, value);
      native_.Jcc(Cond::kB, done);
      native_.MovImmediate(kScratch, 0, true);
      code.labels.Bind(done);
      break;
    }
    case AtomicOperation::kUDecWrap: {  // To the operand from 0, and from what is above.
      const uint32_t wraps = code.labels.New(), done = code.labels.New();
      native_.AluRi(Alu::kSub, operation_bytes, kScratch, 1);
      native_.CompareWithZero(bytes, kRax);
      native_.Jcc(Cond::kE, wraps);
      native_.AluRr(Alu::kCmp, bytes, kRax, value);
      native_.Jcc(Cond::kBe, done);
      code.labels.Bind(wraps);
      native_.Mov(8, kScratch, value);
      code.labels.Bind(done);
      break;
    }
    default:
      choose(Cond::kB);
      break;
  }
  native_.Lock();
  native_.Cmpxchg(bytes, mem, kScratch);
  native_.Jcc(Cond::kNe, again);
  DefineIn(code, update, kRax);
}

// Until nobody has written in between: old in rax, new in the scratch register.
void MemoryX86_64::LowerAtomicFloatUpdate(FunctionCode& code, const ir::Instruction& update) {
  const unsigned bytes = static_cast<unsigned>(update.type->store_size);
  const bool is_double = update.type->IsDouble();
  const AtomicOperation operation = update.operation();
  code.locations.Claim(kRax);
  const Mem mem = AddressOf(code, OperandAt(code, update, 0));
  const Register value = In(code, OperandAt(code, update, 1));
  const uint32_t again = code.labels.New(), chosen = code.labels.New();
  native_.Load(bytes, kRax, mem);
  code.labels.Bind(again);
  native_.ToVector(bytes, kVectorScratch, kRax);
  if (operation == AtomicOperation::kFAdd || operation == AtomicOperation::kFSub) {
    native_.FloatRr(operation == AtomicOperation::kFAdd ? FloatOp::kAdd : FloatOp::kSub,
                    is_double ? FloatKind::kDouble : FloatKind::kFloat, kVectorScratch, value);
  } else {
    // The operand, if it is beyond the old number, or if that is none. UCOMISS sets P if one of
    // both is none, and then C, too.
    const Op compare = op::Packed(op::kUcomiF, is_double);
    const uint32_t takes_operand = code.labels.New();
    native_.Rr(compare, kVectorScratch, kVectorScratch);
    native_.Jcc(Cond::kP, takes_operand);
    if (operation == AtomicOperation::kFMax) {
      native_.Rr(compare, value, kVectorScratch);
    } else {
      native_.Rr(compare, kVectorScratch, value);
    }
    native_.Jcc(Cond::kBe, chosen);
    code.labels.Bind(takes_operand);
    native_.VectorMov(kVectorScratch, value);
  }
  code.labels.Bind(chosen);
  native_.FromVector(bytes, kScratch, kVectorScratch);
  native_.Lock();
  native_.Cmpxchg(bytes, mem, kScratch);
  native_.Jcc(Cond::kNe, again);
  native_.ToVector(bytes, Define(code, update), kRax);
}

void MemoryX86_64::LowerCompareExchange(FunctionCode& code, const ir::Instruction& exchange) {
  if (PartCount(TypeAt(code, exchange, 1)) > 1) return LowerWideExchange(code, exchange);
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

// The call changes rax only.
void MemoryX86_64::LowerThreadLocalAddress(FunctionCode& code, const ir::Instruction& instruction,
                                           const ir::Global& variable) {
  code.locations.Claim(kRax);
  native_.Lea(kRax, Mem::Relative(RelativeTo::kDescriptor, code.symbols.NumberOf(&variable)));
  native_.CallM(Mem::At(kRax));
  native_.AddFromThread(kRax, 0);
  DefineIn(code, instruction, kRax);
}

}  // namespace firstcall::baseline::x86_64
