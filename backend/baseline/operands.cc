#include "backend/baseline/operands.h"

#include <cstdint>

#include "absl/types/span.h"
#include "backend/baseline/edges.h"
#include "backend/baseline/instructions.h"
#include "backend/baseline/memory.h"
#include "backend/baseline/register_variables.h"
#include "backend/baseline/symbols.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {
namespace {

void MaterializeAddress(FunctionCode& code, Register reg, const ir::Global* global,
                        int64_t offset) {
  if (const uint32_t table = PoolPlaceOf(code, global); table != kNone) {
    return code.assembler.Lea(
        reg, Mem::Relative(RelativeTo::kPool, table, static_cast<int32_t>(offset)));
  }
  const uint32_t symbol = code.symbols.NumberOf(global);
  if (IsNear(code, global) && IsCloseToSymbol(offset)) {
    code.assembler.Lea(reg,
                       Mem::Relative(RelativeTo::kSymbol, symbol, static_cast<int32_t>(offset)));
  } else if (!IsNear(code, global) && offset == static_cast<int32_t>(offset)) {
    code.assembler.Load(8, reg, LiteralOf(code, symbol));
    if (offset != 0) code.assembler.Lea(reg, Mem::At(reg, static_cast<int32_t>(offset)));
  } else {
    code.assembler.Load(8, reg,
                        Mem::Relative(RelativeTo::kPool, code.pool.AddressOf(symbol, offset)));
  }
}

}  // namespace

const ir::Instruction* DeferredOf(const FunctionCode& code, ir::Operand value) {
  const uint32_t number = NumberOf(code, value);
  if (number == kNone) return nullptr;
  const ValuePart& part = code.facts.values[number];
  if (!part.is_deferred || part.reg != kNoRegister || part.is_spilled) return nullptr;
  return code.function->DefinitionOf(value);
}

bool DiesHere(const FunctionCode& code, ir::Operand value) {
  const uint32_t number = NumberOf(code, value);
  return number != kNone && code.locations.DiesHere(number);
}

Register In(FunctionCode& code, ir::Operand value, unsigned part) {
  if (const ir::Constant* constant = ConstantOf(code, value)) {
    const Register reg = code.locations.Temporary(PartsOf(constant->type).parts[part].is_vector);
    Materialize(code, reg, *constant, part);
    return reg;
  }
  if (const ir::Instruction* deferred = DeferredOf(code, value)) Lower(code, *deferred);
  return code.locations.In(NumberOf(code, value) + part);
}

Register Copy(FunctionCode& code, ir::Operand value, unsigned part) {
  if (value.IsConstant()) return In(code, value, part);
  if (const ir::Instruction* deferred = DeferredOf(code, value)) Lower(code, *deferred);
  return code.locations.Copy(NumberOf(code, value) + part);
}

void Claim(FunctionCode& code, Register reg, ir::Operand value, unsigned part) {
  if (const ir::Constant* constant = ConstantOf(code, value)) {
    code.locations.Claim(reg);
    Materialize(code, reg, *constant, part);
    return;
  }
  if (const ir::Instruction* deferred = DeferredOf(code, value)) {
    Lower(code, *deferred);
    code.locations.registers().Unpin(code.locations.RegisterOf(NumberOf(code, value)));
  }
  code.locations.Claim(reg, NumberOf(code, value) + part);
}

void Extend(FunctionCode& code, Register dst, Register src, unsigned bits, bool is_signed,
            unsigned bytes) {
  if (bits >= bytes * 8) {
    if (dst != src) code.assembler.Mov(bytes, dst, src);
    return;
  }
  if (bits == 8 || bits == 16 || bits == 32) {
    if (is_signed) {
      code.assembler.SignExtend(bits / 8, bytes, dst, src);
    } else {
      code.assembler.ZeroExtend(bits / 8, dst, src);
    }
    return;
  }
  if (dst != src) code.assembler.Mov(bits <= 32 && !is_signed ? 4 : 8, dst, src);
  if (!is_signed && bits < 32) {
    code.assembler.AluRi(Alu::kAnd, 4, dst, static_cast<int32_t>((uint32_t{1} << bits) - 1));
    return;
  }
  const uint8_t distance = static_cast<uint8_t>(bytes * 8 - bits);
  code.assembler.ShiftRi(Shift::kShl, bytes, dst, distance);
  code.assembler.ShiftRi(is_signed ? Shift::kSar : Shift::kShr, bytes, dst, distance);
}

Register InExtended(FunctionCode& code, ir::Operand value, bool is_signed, unsigned bytes) {
  const unsigned bits = BitsOf(TypeOf(code, value));
  if (const ir::Constant* constant = IntegerOf(code, value)) {
    const Register reg = code.locations.Temporary(false);
    const uint64_t extended = is_signed ? constant->bits() : constant->unsigned_bits();
    code.assembler.MovImmediate(reg, bytes == 4 ? static_cast<uint32_t>(extended) : extended,
                                false);
    return reg;
  }
  const Register source = In(code, value);
  if (bits >= bytes * 8) return source;
  const Register reg = code.locations.Temporary(false);
  Extend(code, reg, source, bits, is_signed, bytes);
  code.locations.registers().Unpin(source);
  return reg;
}

Register DefineFrom(FunctionCode& code, const ir::Instruction& result, ir::Operand from,
                    unsigned result_part, unsigned from_part) {
  const uint32_t number = NumberOf(code, result) + result_part;
  if (const ir::Constant* constant = ConstantOf(code, from)) {
    const Register reg = code.locations.Define(number);
    Materialize(code, reg, *constant, from_part);
    return reg;
  }
  if (const ir::Instruction* deferred = DeferredOf(code, from)) Lower(code, *deferred);
  return code.locations.DefineFrom(number, NumberOf(code, from) + from_part);
}

Register DefineExtended(FunctionCode& code, const ir::Instruction& result, ir::Operand from,
                        bool is_signed, unsigned bytes) {
  if (const ir::Constant* constant = IntegerOf(code, from)) {
    const Register reg = Define(code, result);
    const uint64_t extended = is_signed ? constant->bits() : constant->unsigned_bits();
    code.assembler.MovImmediate(reg, bytes == 4 ? static_cast<uint32_t>(extended) : extended,
                                false);
    return reg;
  }
  const unsigned bits = BitsOf(TypeOf(code, from));
  if (bits == bytes * 8 || DiesHere(code, from)) {
    const Register reg = DefineFrom(code, result, from);
    if (bits != bytes * 8) Extend(code, reg, reg, bits, is_signed, bytes);
    return reg;
  }
  const Register source = In(code, from);
  const Register reg = Define(code, result);
  Extend(code, reg, source, bits, is_signed, bytes);
  return reg;
}

void MaterializeBits(FunctionCode& code, Register reg, const ConstantPart& part, unsigned bytes) {
  if (!IsVector(reg)) {
    // Not the form that changes the flags: they may hold a comparison.
    code.assembler.MovImmediate(reg, part.low, /*may_change_flags=*/false);
    return;
  }
  if (part.low == 0 && part.high == 0) {
    code.assembler.VectorZero(reg);
    return;
  }
  if (bytes <= 8 && code.assembler.FloatImmediate(bytes == 8, reg, part.low)) return;
  const uint32_t place = code.pool.Constant(part.low, bytes == 16 ? part.high : 0, bytes);
  code.assembler.VectorLoad(bytes, reg, Mem::Relative(RelativeTo::kPool, place));
}

void Materialize(FunctionCode& code, Register reg, const ir::Constant& constant, unsigned number) {
  const ConstantPart part = PartOf(code, constant, number);
  switch (part.kind) {
    case ConstantPart::Kind::kBits: {
      unsigned bytes = 8;
      if (IsVector(reg)) bytes = PartsOf(constant.type).parts[number].bytes;
      MaterializeBits(code, reg, part, bytes);
      return;
    }
    case ConstantPart::Kind::kAddress:
      MaterializeAddress(code, reg, part.global, static_cast<int64_t>(part.low));
      return;
    case ConstantPart::Kind::kBlockAddress:
      code.assembler.Lea(reg, Mem::Relative(RelativeTo::kLabel, AddressLabelOf(code, part.block)));
      return;
    case ConstantPart::Kind::kUnsupported:
      code.assembler.Trap();  // Not reached: such functions are not covered.
      return;
  }
}

bool ImmediateOf(const FunctionCode& code, ir::Operand value, int32_t& immediate, unsigned number) {
  const ir::Constant* constant = ConstantOf(code, value);
  if (constant == nullptr || constant->IsGlobal()) return false;
  const ConstantPart part = PartOf(code, *constant, number);
  if (part.kind != ConstantPart::Kind::kBits) return false;
  immediate = static_cast<int32_t>(part.low);
  return static_cast<int64_t>(part.low) == immediate;
}

ArithmeticOperand OperandOf(FunctionCode& code, ir::Operand value, unsigned bytes, unsigned part) {
  ArithmeticOperand operand;
  if (ImmediateOf(code, value, operand.immediate, part)) {
    operand.kind = ArithmeticOperand::Kind::kImmediate;
    return operand;
  }
  if (const Register variable = VariableReadBy(code, value); variable != kNoRegister) {
    operand.reg = variable;
    return operand;
  }
  if (const ir::Instruction* deferred = DeferredOf(code, value)) {
    if (deferred->opcode == ir::Opcode::kLoad && deferred->type->store_size == bytes) {
      operand.kind = ArithmeticOperand::Kind::kMemory;
      operand.mem = AddressOf(code, OperandAt(code, *deferred, 0));
      return operand;
    }
  } else if (!value.IsConstant() && code.locations.IsBestInMemory(NumberOf(code, value) + part)) {
    operand.kind = ArithmeticOperand::Kind::kMemory;
    operand.mem = SlotOf(code.frame, code.facts.values[NumberOf(code, value) + part]);
    return operand;
  }
  operand.reg = In(code, value, part);
  return operand;
}

void EmitAlu(FunctionCode& code, Alu alu, unsigned bytes, Register dst,
             const ArithmeticOperand& operand) {
  switch (operand.kind) {
    case ArithmeticOperand::Kind::kRegister:
      code.assembler.AluRr(alu, bytes, dst, operand.reg);
      return;
    case ArithmeticOperand::Kind::kImmediate:
      code.assembler.AluRi(alu, bytes, dst, operand.immediate);
      return;
    case ArithmeticOperand::Kind::kMemory:
      code.assembler.AluRm(alu, bytes, dst, operand.mem);
      return;
  }
}

void CountDown(FunctionCode& code, ir::Operand operand) {
  const uint32_t number = NumberOf(code, operand);
  if (number == kNone) return;
  if (code.locations.Used(number) && code.facts.values[number].is_deferred) {
    CountDownOperands(code, *code.function->DefinitionOf(operand));
  }
}

void CountDownOperands(FunctionCode& code, const ir::Instruction& instruction) {
  const absl::Span<const ir::Operand> operands = code.function->OperandsOf(instruction);
  if (instruction.opcode == ir::Opcode::kStore) {
    // The order in which values die decides which slots later values get. The stored value dies
    // before the pointer.
    CountDown(code, operands[1]);
    CountDown(code, operands[0]);
    return;
  }
  for (ir::Operand operand : operands) CountDown(code, operand);
}

}  // namespace firstcall::baseline
