// Floating point, and conversions.

#include "backend/baseline/lowering.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;

bool IsVectorOfBits(const ir::Type& type) {
  return type.IsVector() && type.element()->IsInteger(1);
}

}  // namespace

FloatKind Lowering::KindOf(const ir::Type* type) {
  const bool is_double = type->scalar()->IsDouble();
  if (type->IsVector()) return is_double ? FloatKind::kDoubles : FloatKind::kFloats;
  return is_double ? FloatKind::kDouble : FloatKind::kFloat;
}

bool Lowering::IsFloatInMemory(ir::Operand operand, Mem& mem) {
  const ir::Type* type = TypeOf(operand);
  if (type->IsVector()) return false;
  if (const ir::Constant* constant = ConstantOf(operand);
      constant != nullptr && constant->kind == ir::ConstantKind::kFloat && !constant->IsZero()) {
    const ConstantPart part = PartOf(*constant, 0);
    const uint32_t place = pool_.Constant(part.low, 0, type->IsDouble() ? 8 : 4);
    mem = Mem::Relative(RelativeTo::kPool, place);
    return true;
  }
  const ir::Instruction* deferred = DeferredOf(operand);
  if (deferred != nullptr && deferred->opcode == Opcode::kLoad) {
    mem = AddressOf(OperandAt(*deferred, 0));
    return true;
  }
  if (deferred == nullptr && !operand.IsConstant() &&
      locations_.IsBestInMemory(NumberOf(operand))) {
    mem = SlotOf(frame_, analysis_.values()[NumberOf(operand)]);
    return true;
  }
  return false;
}

// `op` of `dst` and an operand that may be in memory, if it is scalar.
void Lowering::EmitFloat(FloatOp op, const ir::Type* type, Register dst, ir::Operand operand) {
  if (Mem mem; IsFloatInMemory(operand, mem)) return assembler_.FloatRm(op, KindOf(type), dst, mem);
  assembler_.FloatRr(op, KindOf(type), dst, In(operand));
}

void Lowering::LowerFloatBinary(const ir::Instruction& binary) {
  const ir::Type* type = binary.type;
  FloatOp op = FloatOp::kAdd;
  switch (binary.opcode) {
    case Opcode::kFAdd:
      op = FloatOp::kAdd;
      break;
    case Opcode::kFMul:
      op = FloatOp::kMul;
      break;
    case Opcode::kFSub:
      op = FloatOp::kSub;
      break;
    case Opcode::kFDiv:
      op = FloatOp::kDiv;
      break;
    default:
      return CallLibrary(type->IsDouble() ? "fmod" : "fmodf", binary,
                         {OperandAt(binary, 0), OperandAt(binary, 1)});
  }
  if (type->IsVector()) {
    ForEachPart(binary, [&](unsigned i) {
      const Register source = In(OperandAt(binary, 1), i);
      const Register dst = DefineFrom(binary, OperandAt(binary, 0), i, i);
      assembler_.FloatRr(op, KindOf(type), dst, source);
    });
    return;
  }
  // A right operand in a register is brought there first, and so is what addresses one in memory
  // only after the left one has its register: neither is the result's.
  const ir::Operand right = OperandAt(binary, 1);
  if (DeferredOf(right) == nullptr && !right.IsConstant() &&
      !locations_.IsBestInMemory(NumberOf(right))) {
    const Register source = In(right);
    assembler_.FloatRr(op, KindOf(type), DefineFrom(binary, OperandAt(binary, 0)), source);
    return;
  }
  const Register dst = DefineFrom(binary, OperandAt(binary, 0));
  EmitFloat(op, type, dst, right);
}

void Lowering::LowerFloatCast(const ir::Instruction& cast) {
  const Register source = In(OperandAt(cast, 0));
  assembler_.ConvertFloat(cast.type->IsDouble(), Define(cast), source);
}

void Lowering::LowerIntegerToFloat(const ir::Instruction& cast, bool is_signed) {
  const ir::Operand source = OperandAt(cast, 0);
  const unsigned bits = BitsOf(TypeOf(source));
  const bool is_double = cast.type->IsDouble();
  if (bits > 64) {
    return CallLibrary(is_signed   ? is_double ? "__floattidf" : "__floattisf"
                       : is_double ? "__floatuntidf"
                                   : "__floatuntisf",
                       cast, {source});
  }
  EmitIntegerToFloat(cast, is_signed);
}

void Lowering::LowerFloatToInteger(const ir::Instruction& cast, bool is_signed) {
  const ir::Operand source = OperandAt(cast, 0);
  const unsigned bits = BitsOf(cast.type);
  const bool is_double = TypeOf(source)->IsDouble();
  if (bits > 64) {
    return CallLibrary(is_signed   ? is_double ? "__fixdfti" : "__fixsfti"
                       : is_double ? "__fixunsdfti"
                                   : "__fixunssfti",
                       cast, {source});
  }
  EmitFloatToInteger(cast, is_signed);
}

void Lowering::LowerBitCast(const ir::Instruction& cast) {
  const ir::Operand source = OperandAt(cast, 0);
  const ir::Type* const source_type = TypeOf(source);
  if (source_type != cast.type) {
    if (IsVectorOfBits(*source_type)) return DefineIn(cast, MaskBits(source));
    if (IsVectorOfBits(*cast.type)) return LowerLanes(cast);
  }
  const PartList from = PartsOf(source_type), to = PartsOf(cast.type);
  if (from.count == to.count && from.parts[0].is_vector == to.parts[0].is_vector) {
    for (unsigned i = 0; i < to.count; ++i) DefineFrom(cast, source, i, i);
    return;
  }
  if (to.count == 2) {
    const Register number = In(source);
    const Register low = Define(cast, 0);
    return SplitVector(low, Define(cast, 1), number);
  }
  if (from.count == 2) {
    const Register low = In(source, 0), high = In(source, 1);
    return JoinVector(Define(cast), low, high);
  }
  const Register reg = In(source);
  const unsigned bytes = to.parts[0].bytes == 8 ? 8 : 4;
  if (to.parts[0].is_vector) {
    assembler_.ToVector(bytes, Define(cast), reg);
  } else {
    assembler_.FromVector(bytes, Define(cast), reg);
  }
}

}  // namespace firstcall::baseline
