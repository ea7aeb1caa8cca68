// Operands: values in registers, as immediates, in memory.

#include <cstdint>

#include "backend/baseline/constants.h"
#include "backend/baseline/lowering.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {

void Lowering::MaterializeBits(Register reg, const ConstantPart& part, unsigned bytes) {
  if (!IsVector(reg)) {
    // Not the form that changes the flags: they may hold a comparison.
    assembler_.MovImmediate(reg, part.low, /*may_change_flags=*/false);
    return;
  }
  if (part.low == 0 && part.high == 0) {
    assembler_.VectorZero(reg);
    return;
  }
  if (bytes <= 8 && assembler_.FloatImmediate(bytes == 8, reg, part.low)) return;
  const uint32_t place = pool_.Constant(part.low, bytes == 16 ? part.high : 0, bytes);
  assembler_.VectorLoad(bytes, reg, Mem::Relative(RelativeTo::kPool, place));
}

void Lowering::MaterializeAddress(Register reg, const ir::Global* global, int64_t offset) {
  if (const uint32_t table = PoolPlaceOf(global); table != kNone) {
    return assembler_.Lea(reg,
                          Mem::Relative(RelativeTo::kPool, table, static_cast<int32_t>(offset)));
  }
  const uint32_t symbol = SymbolOf(global);
  if (IsNear(global) && IsCloseToSymbol(offset)) {
    assembler_.Lea(reg, Mem::Relative(RelativeTo::kSymbol, symbol, static_cast<int32_t>(offset)));
  } else if (!IsNear(global) && offset == static_cast<int32_t>(offset)) {
    assembler_.Load(8, reg, LiteralOf(symbol));
    if (offset != 0) assembler_.Lea(reg, Mem::At(reg, static_cast<int32_t>(offset)));
  } else {
    assembler_.Load(8, reg, Mem::Relative(RelativeTo::kPool, pool_.AddressOf(symbol, offset)));
  }
}

void Lowering::Materialize(Register reg, const ir::Constant& constant, unsigned number) {
  const ConstantPart part = PartOf(constant, number);
  switch (part.kind) {
    case ConstantPart::Kind::kBits: {
      unsigned bytes = 8;
      if (IsVector(reg)) bytes = PartsOf(constant.type).parts[number].bytes;
      MaterializeBits(reg, part, bytes);
      return;
    }
    case ConstantPart::Kind::kAddress:
      MaterializeAddress(reg, part.global, static_cast<int64_t>(part.low));
      return;
    case ConstantPart::Kind::kBlockAddress:
      assembler_.Lea(reg, Mem::Relative(RelativeTo::kLabel, AddressLabelOf(part.block)));
      return;
    case ConstantPart::Kind::kUnsupported:
      assembler_.Trap();  // Not reached: such functions are not covered.
      return;
  }
}

const ir::Instruction* Lowering::DeferredOf(ir::Operand value) const {
  const uint32_t number = NumberOf(value);
  if (number == kNone) return nullptr;
  const ValuePart& part = analysis_.values()[number];
  if (!part.is_deferred || part.reg != kNoRegister || part.is_spilled) return nullptr;
  return function_->DefinitionOf(value);
}

Register Lowering::In(ir::Operand value, unsigned part) {
  if (const ir::Constant* constant = ConstantOf(value)) {
    const Register reg = locations_.Temporary(PartsOf(constant->type).parts[part].is_vector);
    Materialize(reg, *constant, part);
    return reg;
  }
  if (const ir::Instruction* deferred = DeferredOf(value)) Lower(*deferred);
  return locations_.In(NumberOf(value) + part);
}

Register Lowering::Copy(ir::Operand value, unsigned part) {
  if (value.IsConstant()) return In(value, part);
  if (const ir::Instruction* deferred = DeferredOf(value)) Lower(*deferred);
  return locations_.Copy(NumberOf(value) + part);
}

void Lowering::Claim(Register reg, ir::Operand value, unsigned part) {
  if (const ir::Constant* constant = ConstantOf(value)) {
    locations_.Claim(reg);
    Materialize(reg, *constant, part);
    return;
  }
  if (const ir::Instruction* deferred = DeferredOf(value)) {
    Lower(*deferred);
    locations_.registers().Unpin(locations_.RegisterOf(NumberOf(value)));
  }
  locations_.Claim(reg, NumberOf(value) + part);
}

bool Lowering::DiesHere(ir::Operand value) const {
  const uint32_t number = NumberOf(value);
  return number != kNone && locations_.DiesHere(number);
}

Register Lowering::DefineFrom(const ir::Instruction& result, ir::Operand from, unsigned result_part,
                              unsigned from_part) {
  const uint32_t number = NumberOf(result) + result_part;
  if (const ir::Constant* constant = ConstantOf(from)) {
    const Register reg = locations_.Define(number);
    Materialize(reg, *constant, from_part);
    return reg;
  }
  if (const ir::Instruction* deferred = DeferredOf(from)) Lower(*deferred);
  return locations_.DefineFrom(number, NumberOf(from) + from_part);
}

void Lowering::Extend(Register dst, Register src, unsigned bits, bool is_signed, unsigned bytes) {
  if (bits >= bytes * 8) {
    if (dst != src) assembler_.Mov(bytes, dst, src);
    return;
  }
  if (bits == 8 || bits == 16 || bits == 32) {
    if (is_signed) {
      assembler_.SignExtend(bits / 8, bytes, dst, src);
    } else {
      assembler_.ZeroExtend(bits / 8, dst, src);
    }
    return;
  }
  if (dst != src) assembler_.Mov(bits <= 32 && !is_signed ? 4 : 8, dst, src);
  if (!is_signed && bits < 32) {
    assembler_.AluRi(Alu::kAnd, 4, dst, static_cast<int32_t>((uint32_t{1} << bits) - 1));
    return;
  }
  const uint8_t distance = static_cast<uint8_t>(bytes * 8 - bits);
  assembler_.ShiftRi(Shift::kShl, bytes, dst, distance);
  assembler_.ShiftRi(is_signed ? Shift::kSar : Shift::kShr, bytes, dst, distance);
}

Register Lowering::InExtended(ir::Operand value, bool is_signed, unsigned bytes) {
  const unsigned bits = BitsOf(TypeOf(value));
  if (const ir::Constant* constant = IntegerOf(value)) {
    const Register reg = locations_.Temporary(false);
    const uint64_t extended = is_signed ? constant->bits() : constant->unsigned_bits();
    assembler_.MovImmediate(reg, bytes == 4 ? static_cast<uint32_t>(extended) : extended, false);
    return reg;
  }
  const Register source = In(value);
  if (bits >= bytes * 8) return source;
  const Register reg = locations_.Temporary(false);
  Extend(reg, source, bits, is_signed, bytes);
  locations_.registers().Unpin(source);
  return reg;
}

Register Lowering::DefineExtended(const ir::Instruction& result, ir::Operand from, bool is_signed,
                                  unsigned bytes) {
  if (const ir::Constant* constant = IntegerOf(from)) {
    const Register reg = Define(result);
    const uint64_t extended = is_signed ? constant->bits() : constant->unsigned_bits();
    assembler_.MovImmediate(reg, bytes == 4 ? static_cast<uint32_t>(extended) : extended, false);
    return reg;
  }
  const unsigned bits = BitsOf(TypeOf(from));
  if (bits == bytes * 8 || DiesHere(from)) {
    const Register reg = DefineFrom(result, from);
    if (bits != bytes * 8) Extend(reg, reg, bits, is_signed, bytes);
    return reg;
  }
  const Register source = In(from);
  const Register reg = Define(result);
  Extend(reg, source, bits, is_signed, bytes);
  return reg;
}

bool Lowering::ImmediateOf(ir::Operand value, int32_t& immediate, unsigned number) const {
  const ir::Constant* constant = ConstantOf(value);
  if (constant == nullptr || constant->IsGlobal()) return false;
  const ConstantPart part = PartOf(*constant, number);
  if (part.kind != ConstantPart::Kind::kBits) return false;
  immediate = static_cast<int32_t>(part.low);
  return static_cast<int64_t>(part.low) == immediate;
}

ArithmeticOperand Lowering::OperandOf(ir::Operand value, unsigned bytes, unsigned part) {
  ArithmeticOperand operand;
  if (ImmediateOf(value, operand.immediate, part)) {
    operand.kind = ArithmeticOperand::Kind::kImmediate;
    return operand;
  }
  if (const ir::Instruction* deferred = DeferredOf(value)) {
    if (deferred->opcode == ir::Opcode::kLoad && deferred->type->store_size == bytes) {
      operand.kind = ArithmeticOperand::Kind::kMemory;
      operand.mem = AddressOf(OperandAt(*deferred, 0));
      return operand;
    }
  } else if (!value.IsConstant() && locations_.IsBestInMemory(NumberOf(value) + part)) {
    operand.kind = ArithmeticOperand::Kind::kMemory;
    operand.mem = SlotOf(frame_, analysis_.values()[NumberOf(value) + part]);
    return operand;
  }
  operand.reg = In(value, part);
  return operand;
}

void Lowering::EmitAlu(Alu alu, unsigned bytes, Register dst, const ArithmeticOperand& operand) {
  switch (operand.kind) {
    case ArithmeticOperand::Kind::kRegister:
      assembler_.AluRr(alu, bytes, dst, operand.reg);
      return;
    case ArithmeticOperand::Kind::kImmediate:
      assembler_.AluRi(alu, bytes, dst, operand.immediate);
      return;
    case ArithmeticOperand::Kind::kMemory:
      assembler_.AluRm(alu, bytes, dst, operand.mem);
      return;
  }
}

}  // namespace firstcall::baseline
