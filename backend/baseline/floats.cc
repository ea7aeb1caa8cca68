#include "backend/baseline/floats.h"

#include <cstdint>

#include "backend/baseline/calls.h"
#include "backend/baseline/memory.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/register_variables.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/value_slots.h"
#include "backend/baseline/vectors.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;

bool IsVectorOfBits(const ir::Type& type) {
  return type.IsVector() && type.element()->IsInteger(1);
}

// `op` of `dst` and an operand that may be in memory, if it is scalar.
void EmitFloat(FunctionCode& code, FloatOp op, const ir::Type* type, Register dst,
               ir::Operand operand) {
  if (Mem mem; IsFloatInMemory(code, operand, mem)) {
    return code.assembler.FloatRm(op, KindOf(type), dst, mem);
  }
  const Register variable = VariableReadBy(code, operand);
  code.assembler.FloatRr(op, KindOf(type), dst,
                         variable != kNoRegister ? variable : In(code, operand));
}

}  // namespace

FloatKind KindOf(const ir::Type* type) {
  const bool is_double = type->scalar()->IsDouble();
  if (type->IsVector()) return is_double ? FloatKind::kDoubles : FloatKind::kFloats;
  return is_double ? FloatKind::kDouble : FloatKind::kFloat;
}

bool IsFloatInMemory(FunctionCode& code, ir::Operand operand, Mem& mem) {
  const ir::Type* type = TypeOf(code, operand);
  if (type->IsVector()) return false;
  if (const ir::Constant* constant = ConstantOf(code, operand);
      constant != nullptr && constant->kind == ir::ConstantKind::kFloat && !constant->IsZero()) {
    const ConstantPart part = PartOf(code, *constant, 0);
    const uint32_t place = code.pool.Constant(part.low, 0, type->IsDouble() ? 8 : 4);
    mem = Mem::Relative(RelativeTo::kPool, place);
    return true;
  }
  if (VariableReadBy(code, operand) != kNoRegister) return false;
  const ir::Instruction* deferred = DeferredOf(code, operand);
  if (deferred != nullptr && deferred->opcode == Opcode::kLoad) {
    mem = AddressOf(code, OperandAt(code, *deferred, 0));
    return true;
  }
  if (deferred == nullptr && !operand.IsConstant() &&
      code.locations.IsBestInMemory(NumberOf(code, operand))) {
    mem = SlotOf(code.frame, code.facts.values[NumberOf(code, operand)]);
    return true;
  }
  return false;
}

void LowerFloatBinary(FunctionCode& code, const ir::Instruction& binary) {
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
      return CallLibrary(code, type->IsDouble() ? "fmod" : "fmodf", binary,
                         {OperandAt(code, binary, 0), OperandAt(code, binary, 1)});
  }
  if (type->IsVector()) {
    ForEachPart(code, binary, [&](unsigned i) {
      const Register source = In(code, OperandAt(code, binary, 1), i);
      const Register dst = DefineFrom(code, binary, OperandAt(code, binary, 0), i, i);
      code.assembler.FloatRr(op, KindOf(type), dst, source);
    });
    return;
  }
  // A right operand in a register is brought there first, and so is what addresses one in memory
  // only after the left one has its register: neither is the result's.
  const ir::Operand right = OperandAt(code, binary, 1);
  if (DeferredOf(code, right) == nullptr && !right.IsConstant() &&
      !code.locations.IsBestInMemory(NumberOf(code, right))) {
    const Register source = In(code, right);
    code.assembler.FloatRr(op, KindOf(type), DefineFrom(code, binary, OperandAt(code, binary, 0)),
                           source);
    return;
  }
  const Register dst = DefineFrom(code, binary, OperandAt(code, binary, 0));
  EmitFloat(code, op, type, dst, right);
}

void LowerFloatCast(FunctionCode& code, const ir::Instruction& cast) {
  if (IsSmallFloat(cast.type) || IsSmallFloat(TypeAt(code, cast, 0))) {
    return code.native.floats.LowerHalfCast(code, cast);
  }
  const Register source = In(code, OperandAt(code, cast, 0));
  code.assembler.ConvertFloat(cast.type->IsDouble(), Define(code, cast), source);
}

void LowerIntegerToFloat(FunctionCode& code, const ir::Instruction& cast, bool is_signed) {
  const ir::Operand source = OperandAt(code, cast, 0);
  const unsigned bits = BitsOf(TypeOf(code, source));
  const bool is_double = cast.type->IsDouble();
  if (bits > 64) {
    return CallLibrary(code,
                       is_signed   ? is_double ? "__floattidf" : "__floattisf"
                       : is_double ? "__floatuntidf"
                                   : "__floatuntisf",
                       cast, {source});
  }
  code.native.floats.EmitIntegerToFloat(code, cast, is_signed);
}

void LowerFloatToInteger(FunctionCode& code, const ir::Instruction& cast, bool is_signed) {
  const ir::Operand source = OperandAt(code, cast, 0);
  const unsigned bits = BitsOf(cast.type);
  const bool is_double = TypeOf(code, source)->IsDouble();
  if (bits > 64) {
    return CallLibrary(code,
                       is_signed   ? is_double ? "__fixdfti" : "__fixsfti"
                       : is_double ? "__fixunsdfti"
                                   : "__fixunssfti",
                       cast, {source});
  }
  code.native.floats.EmitFloatToInteger(code, cast, is_signed);
}

// The classes of numbers of one sign follow each other when the numbers are read as integers. So
// the number of limits that the magnitude reaches says which class the number has.
void LowerFloatClass(FunctionCode& code, const ir::Instruction& intrinsic) {
  const ir::Operand value = OperandAt(code, intrinsic, 0);
  const ir::Type* const type = TypeOf(code, value);
  const auto bits = static_cast<unsigned>(type->bit_size);
  const unsigned bits_of_fraction = type->IsDouble()                    ? 52
                                    : type->IsFloat()                   ? 23
                                    : type->kind == ir::TypeKind::kHalf ? 10
                                                                        : 7;
  const uint64_t normal = uint64_t{1} << bits_of_fraction;
  const uint64_t quiet = normal / 2;
  const uint64_t infinity = (uint64_t{1} << (bits - 1)) - normal;
  const uint64_t limits[] = {1, normal, infinity, infinity + 1, infinity | quiet};
  // The bits of LLVM's FPClassTest, by the number of limits reached.
  constexpr unsigned kPositive[] = {6, 7, 8, 9, 0, 1}, kNegative[] = {5, 4, 3, 2, 0, 1};
  constexpr unsigned kNegativeBegin = 8;
  const uint64_t wanted = ConstantOf(code, OperandAt(code, intrinsic, 1))->unsigned_bits();
  uint64_t answers = 0;
  for (unsigned i = 0; i < 6; ++i) {
    answers |= (wanted >> kPositive[i] & 1) << i;
    answers |= (wanted >> kNegative[i] & 1) << (kNegativeBegin + i);
  }
  Assembler& assembler = code.assembler;
  const Register scratch = code.architecture.scratch;
  const Register number = In(code, value);
  Register reached = code.architecture.shift_count;
  if (reached != kNoRegister) {
    code.locations.Claim(reached);
  } else {
    reached = code.locations.Temporary(false);
  }
  const Register magnitude = code.locations.Temporary(false);
  assembler.FromVector(bits == 64 ? 8 : 4, magnitude, number);
  if (bits == 16) assembler.ZeroExtend(2, magnitude, magnitude);
  assembler.Mov(8, reached, magnitude);
  assembler.ShiftRi(Shift::kShr, 8, reached, static_cast<uint8_t>(bits - 1));
  assembler.ShiftRi(Shift::kShl, 8, reached, 3);
  assembler.MovImmediate(scratch, (uint64_t{1} << (bits - 1)) - 1, true);
  assembler.AluRr(Alu::kAnd, 8, magnitude, scratch);
  for (uint64_t limit : limits) {
    assembler.MovImmediate(scratch, limit, true);
    assembler.AluRr(Alu::kCmp, 8, magnitude, scratch);
    assembler.Set(Cond::kAe, scratch);
    assembler.ZeroExtend(1, scratch, scratch);
    assembler.AluRr(Alu::kAdd, 8, reached, scratch);
  }
  code.locations.registers().UnpinWholly(magnitude);
  const Register dst = Define(code, intrinsic);
  assembler.MovImmediate(dst, answers, true);
  assembler.ShiftRr(Shift::kShr, 8, dst, reached);
}

void LowerVectorFloatIntrinsic(FunctionCode& code, const ir::Instruction& intrinsic) {
  const ir::Type* type = intrinsic.type;
  const ir::IntrinsicId id = code.function->IntrinsicOf(intrinsic);
  ConstantPart signs;
  signs.low = signs.high =
      type->scalar()->IsDouble() ? uint64_t{1} << 63 : uint64_t{0x8000000080000000u};
  ConstantPart others = signs;
  others.low = others.high = ~signs.low;
  const Register scratch = code.architecture.vector_scratch;
  ForEachPart(code, intrinsic, [&](unsigned i) {
    const auto operand = [&](unsigned number) {
      return In(code, OperandAt(code, intrinsic, number), i);
    };
    const auto copy_first = [&] {
      return DefineFrom(code, intrinsic, OperandAt(code, intrinsic, 0), i, i);
    };
    if (id == ir::IntrinsicId::kFmuladd) {
      const Register factor = operand(1), summand = operand(2);
      const Register dst = copy_first();
      return code.assembler.LanesMultiplyAdd(KindOf(type), dst, factor, summand);
    }
    const Register sign = id == ir::IntrinsicId::kCopysign ? operand(1) : kNoRegister;
    const Register dst = copy_first();
    MaterializeBits(code, scratch, others, 16);
    code.assembler.LanesRr(LaneOp::kAnd, 8, dst, scratch);
    if (sign == kNoRegister) return;
    MaterializeBits(code, scratch, signs, 16);
    code.assembler.LanesRr(LaneOp::kAnd, 8, scratch, sign);
    code.assembler.LanesRr(LaneOp::kOr, 8, dst, scratch);
  });
}

void LowerBitCast(FunctionCode& code, const ir::Instruction& cast) {
  const ir::Operand source = OperandAt(code, cast, 0);
  const ir::Type* const source_type = TypeOf(code, source);
  if (source_type != cast.type) {
    if (IsVectorOfBits(*source_type)) return CollectMaskBits(code, cast);
    if (IsVectorOfBits(*cast.type)) return LowerLanes(code, cast);
  }
  const PartList from = PartsOf(source_type), to = PartsOf(cast.type);
  if (from.count == to.count && from.parts[0].is_vector == to.parts[0].is_vector) {
    return ForEachPart(code, cast, [&](unsigned i) { DefineFrom(code, cast, source, i, i); });
  }
  if (to.count == 2) {
    const Register number = In(code, source);
    const Register low = Define(code, cast, 0);
    return code.native.vectors.SplitVector(low, Define(code, cast, 1), number);
  }
  if (from.count == 2) {
    const Register low = In(code, source, 0), high = In(code, source, 1);
    return code.native.vectors.JoinVector(Define(code, cast), low, high);
  }
  const Register reg = In(code, source);
  const unsigned bytes = to.parts[0].bytes == 8 ? 8 : 4;
  if (to.parts[0].is_vector) {
    code.assembler.ToVector(bytes, Define(code, cast), reg);
  } else {
    code.assembler.FromVector(bytes, Define(code, cast), reg);
  }
}

}  // namespace firstcall::baseline
