#include "backend/baseline/lane_arithmetic.h"

#include <cstdint>

#include "absl/container/inlined_vector.h"
#include "backend/baseline/comparisons.h"
#include "backend/baseline/element_indices.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/value_parts.h"

namespace firstcall::baseline {
namespace {

using ir::IntrinsicId;
using ir::Opcode;

// A minimum or maximum of integers: when the other operand takes the place of one that was compared
// with it.
struct MinMax {
  bool is_signed = false;
  Cond takes_other = Cond::kO;
};

MinMax MinMaxOf(IntrinsicId id) {
  switch (id) {
    case IntrinsicId::kSmax:
    case IntrinsicId::kVectorReduceSmax:
      return {true, Cond::kL};
    case IntrinsicId::kSmin:
    case IntrinsicId::kVectorReduceSmin:
      return {true, Cond::kG};
    case IntrinsicId::kUmax:
    case IntrinsicId::kVectorReduceUmax:
      return {false, Cond::kB};
    case IntrinsicId::kUmin:
    case IntrinsicId::kVectorReduceUmin:
      return {false, Cond::kA};
    default:
      return {};
  }
}

// A truth value is an integer of one bit: -1 or 0 if it has a sign.
Alu AluOfMasks(IntrinsicId id) {
  switch (id) {
    case IntrinsicId::kVectorReduceAdd:
    case IntrinsicId::kVectorReduceXor:
      return Alu::kXor;
    case IntrinsicId::kVectorReduceOr:
    case IntrinsicId::kVectorReduceUmax:
    case IntrinsicId::kVectorReduceSmin:
      return Alu::kOr;
    default:
      return Alu::kAnd;
  }
}

void ReduceMask(FunctionCode& code, const ir::Instruction& intrinsic, Register value) {
  const ir::Operand vector = OperandAt(code, intrinsic, 0);
  const unsigned count = LaneCount(TypeOf(code, vector));
  const Alu alu = AluOfMasks(code.function->IntrinsicOf(intrinsic));
  if (PartCount(TypeOf(code, vector)) == 1 && alu != Alu::kXor) {
    const Register bits = code.native.vectors.MaskBits(code, vector);
    const bool is_and = alu == Alu::kAnd;
    code.assembler.AluRi(Alu::kCmp, 4, bits, is_and ? (1 << count) - 1 : 0);
    code.assembler.Set(is_and ? Cond::kE : Cond::kNe, bits);
    return DefineIn(code, intrinsic, bits);
  }
  const Lanes lanes = LanesOf(code, vector);
  LoadLane(code, value, lanes, 0, /*is_signed=*/false);
  for (unsigned i = 1; i < count; ++i) {
    LoadLane(code, code.architecture.scratch, lanes, i, /*is_signed=*/false);
    code.assembler.AluRr(alu, 8, value, code.architecture.scratch);
  }
  DefineIn(code, intrinsic, value);
}

}  // namespace

void ConvertLanes(FunctionCode& code, const ir::Instruction& cast, const Lanes& result,
                  Register value) {
  const Lanes source = LanesOf(code, OperandAt(code, cast, 0));
  const bool to_mask = IsMask(cast.type);
  const bool is_zero_extended = cast.opcode == Opcode::kZExt || cast.opcode == Opcode::kIntToPtr;
  const bool zero_of_mask = is_zero_extended && IsMask(TypeAt(code, cast, 0));
  for (unsigned i = 0; i < LaneCount(cast.type); ++i) {
    LoadLane(code, value, source, i, !is_zero_extended || IsMask(TypeAt(code, cast, 0)));
    if (zero_of_mask || to_mask) code.assembler.AluRi(Alu::kAnd, 4, value, 1);
    if (to_mask) code.assembler.Negate(8, value);
    StoreLane(code, result, i, value);
  }
}

void ConvertFloatLanes(FunctionCode& code, const ir::Instruction& cast, const Lanes& result,
                       Register value) {
  const Lanes source = LanesOf(code, OperandAt(code, cast, 0));
  const Register number = code.architecture.vector_scratch;
  const bool to_double = cast.type->scalar()->IsDouble();
  const bool from_double = TypeAt(code, cast, 0)->scalar()->IsDouble();
  for (unsigned i = 0; i < LaneCount(cast.type); ++i) {
    const Mem from = source.At(i);
    switch (cast.opcode) {
      case Opcode::kSIToFP:
      case Opcode::kUIToFP:
        LoadLane(code, value, source, i, cast.opcode == Opcode::kSIToFP);
        code.assembler.IntegerToFloat(8, to_double, number, value);
        break;
      case Opcode::kFPToSI:
      case Opcode::kFPToUI:
        code.assembler.VectorLoad(source.stride, number, from);
        code.assembler.FloatToInteger(8, from_double, value, number);
        StoreLane(code, result, i, value);
        continue;
      default:
        code.assembler.VectorLoad(source.stride, number, from);
        code.assembler.ConvertFloat(to_double, number, number);
        break;
    }
    code.assembler.VectorStore(result.stride, result.At(i), number);
  }
}

void CombineLanes(FunctionCode& code, const ir::Instruction& instruction, const Lanes& result,
                  Register value) {
  const Opcode opcode = instruction.opcode;
  const bool is_shift = IsShift(opcode);
  const bool is_compare = opcode == Opcode::kICmp;
  const bool is_intrinsic = opcode == Opcode::kCall;
  const MinMax min_max = MinMaxOf(code.function->IntrinsicOf(instruction));
  const bool is_signed = opcode == Opcode::kAShr || min_max.is_signed ||
                         (is_compare && IsSigned(instruction.predicate()));
  const bool is_masked = IsMask(TypeAt(code, instruction, 0));
  const Lanes left = LanesOf(code, OperandAt(code, instruction, 0));
  const Lanes right = LanesOf(code, OperandAt(code, instruction, 1));
  const Register other = is_shift && code.architecture.shift_count != kNoRegister
                             ? code.architecture.shift_count
                             : code.architecture.scratch;
  for (unsigned i = 0; i < LaneCount(instruction.type); ++i) {
    LoadLane(code, value, left, i, is_signed || is_masked);
    LoadLane(code, other, right, i, is_signed || is_masked);
    if (is_compare) {
      code.assembler.AluRr(Alu::kCmp, 8, value, other);
      code.assembler.Set(CondOf(instruction.predicate()), value);
      code.assembler.ZeroExtend(1, value, value);
      code.assembler.Negate(8, value);
    } else if (is_intrinsic) {
      code.assembler.AluRr(Alu::kCmp, 8, value, other);
      code.assembler.Select(min_max.takes_other, 8, value, other);
    } else if (is_shift) {
      code.assembler.ShiftRr(opcode == Opcode::kShl    ? Shift::kShl
                             : opcode == Opcode::kAShr ? Shift::kSar
                                                       : Shift::kShr,
                             8, value, other);
    } else {
      code.assembler.MultiplyRr(8, value, other);
    }
    StoreLane(code, result, i, value);
  }
}

void ChangeLanes(FunctionCode& code, const ir::Instruction& intrinsic, const Lanes& result,
                 Register value) {
  const bool is_swap = code.function->IntrinsicOf(intrinsic) == IntrinsicId::kBswap;
  const Lanes source = LanesOf(code, OperandAt(code, intrinsic, 0));
  const unsigned bits = LaneBits(intrinsic.type);
  for (unsigned i = 0; i < LaneCount(intrinsic.type); ++i) {
    LoadLane(code, value, source, i, /*is_signed=*/!is_swap);
    if (is_swap) {
      code.assembler.SwapBytes(8, value);
      if (bits < 64) {
        code.assembler.ShiftRi(Shift::kShr, 8, value, static_cast<uint8_t>(64 - bits));
      }
    } else {
      code.assembler.Mov(8, code.architecture.scratch, value);
      code.assembler.Negate(8, value);
      code.assembler.Select(Cond::kS, 8, value, code.architecture.scratch);
    }
    StoreLane(code, result, i, value);
  }
}

void SaturateLanes(FunctionCode& code, const ir::Instruction& intrinsic, const Lanes& result,
                   Register value) {
  const IntrinsicId id = code.function->IntrinsicOf(intrinsic);
  const bool is_signed = id == IntrinsicId::kSaddSat || id == IntrinsicId::kSsubSat;
  const bool is_sum = id == IntrinsicId::kSaddSat || id == IntrinsicId::kUaddSat;
  const unsigned bits = LaneBits(intrinsic.type);
  const uint64_t most = (uint64_t{1} << (is_signed ? bits - 1 : bits)) - 1;
  const uint64_t least = is_signed ? ~most : 0;
  const Lanes left = LanesOf(code, OperandAt(code, intrinsic, 0));
  const Lanes right = LanesOf(code, OperandAt(code, intrinsic, 1));
  const Register other = code.architecture.scratch;
  const auto limit = [&](uint64_t bound, Cond exceeds) {
    code.assembler.MovImmediate(other, bound, true);
    code.assembler.AluRr(Alu::kCmp, 8, value, other);
    code.assembler.Select(exceeds, 8, value, other);
  };
  for (unsigned i = 0; i < LaneCount(intrinsic.type); ++i) {
    LoadLane(code, value, left, i, is_signed);
    LoadLane(code, other, right, i, is_signed);
    // 64 bits hold every sum and every difference.
    code.assembler.AluRr(is_sum ? Alu::kAdd : Alu::kSub, 8, value, other);
    limit(most, Cond::kG);
    limit(least, Cond::kL);
    StoreLane(code, result, i, value);
  }
}

void FunnelShiftLanes(FunctionCode& code, const ir::Instruction& intrinsic, const Lanes& result,
                      Register value) {
  const bool is_left = code.function->IntrinsicOf(intrinsic) == IntrinsicId::kFshl;
  const Lanes upper = LanesOf(code, OperandAt(code, intrinsic, 0));
  const Lanes lower = LanesOf(code, OperandAt(code, intrinsic, 1));
  const Lanes counts = LanesOf(code, OperandAt(code, intrinsic, 2));
  const auto bits = static_cast<uint8_t>(LaneBits(intrinsic.type));
  const Register scratch = code.architecture.scratch;
  const Register count =
      code.architecture.shift_count != kNoRegister ? code.architecture.shift_count : scratch;
  for (unsigned i = 0; i < LaneCount(intrinsic.type); ++i) {
    LoadLane(code, value, upper, i, /*is_signed=*/false);
    code.assembler.ShiftRi(Shift::kShl, 8, value, bits);
    LoadLane(code, scratch, lower, i, /*is_signed=*/false);
    code.assembler.AluRr(Alu::kOr, 8, value, scratch);
    LoadLane(code, count, counts, i, /*is_signed=*/false);
    code.assembler.AluRi(Alu::kAnd, 4, count, bits - 1);
    code.assembler.ShiftRr(is_left ? Shift::kShl : Shift::kShr, 8, value, count);
    if (is_left) code.assembler.ShiftRi(Shift::kShr, 8, value, bits);
    StoreLane(code, result, i, value);
  }
}

void ReduceLanes(FunctionCode& code, const ir::Instruction& intrinsic, Register value) {
  if (IsMask(TypeAt(code, intrinsic, 0))) return ReduceMask(code, intrinsic, value);
  const Lanes lanes = LanesOf(code, OperandAt(code, intrinsic, 0));
  const unsigned count = LaneCount(TypeAt(code, intrinsic, 0));
  MinMax min_max;
  Alu alu = Alu::kAdd;
  const bool is_product = code.function->IntrinsicOf(intrinsic) == IntrinsicId::kVectorReduceMul;
  switch (code.function->IntrinsicOf(intrinsic)) {
    case IntrinsicId::kVectorReduceAdd:
    case IntrinsicId::kVectorReduceMul:
      break;
    case IntrinsicId::kVectorReduceAnd:
      alu = Alu::kAnd;
      break;
    case IntrinsicId::kVectorReduceOr:
      alu = Alu::kOr;
      break;
    case IntrinsicId::kVectorReduceXor:
      alu = Alu::kXor;
      break;
    default:
      alu = Alu::kCmp;
      min_max = MinMaxOf(code.function->IntrinsicOf(intrinsic));
      break;
  }
  LoadLane(code, value, lanes, 0, min_max.is_signed);
  for (unsigned i = 1; i < count; ++i) {
    LoadLane(code, code.architecture.scratch, lanes, i, min_max.is_signed);
    if (is_product) {
      code.assembler.MultiplyRr(8, value, code.architecture.scratch);
      continue;
    }
    code.assembler.AluRr(alu, 8, value, code.architecture.scratch);
    if (alu == Alu::kCmp) {
      code.assembler.Select(min_max.takes_other, 8, value, code.architecture.scratch);
    }
  }
  DefineIn(code, intrinsic, value);
}

// From the first lane to the last one, as without fast-math flags.
void ReduceFloatLanes(FunctionCode& code, const ir::Instruction& intrinsic) {
  const ir::Operand vector = OperandAt(code, intrinsic, 1);
  const bool is_sum = code.function->IntrinsicOf(intrinsic) == IntrinsicId::kVectorReduceFadd;
  const FloatKind kind = intrinsic.type->IsDouble() ? FloatKind::kDouble : FloatKind::kFloat;
  const Lanes lanes = LanesOf(code, vector);
  const Register result = DefineFrom(code, intrinsic, OperandAt(code, intrinsic, 0));
  for (unsigned i = 0; i < LaneCount(TypeOf(code, vector)); ++i) {
    code.assembler.FloatRm(is_sum ? FloatOp::kAdd : FloatOp::kMul, kind, result, lanes.At(i));
  }
}

void ElementAddressLanes(FunctionCode& code, const ir::Instruction& element, const Lanes& result,
                         Register value) {
  struct Term {
    ir::Operand index;
    int32_t size;
    Lanes lanes;                      // Of a vector.
    Register extended = kNoRegister;  // Otherwise.
  };
  absl::InlinedVector<Term, 4> terms;
  uint64_t distance = 0;  // The offsets of members. Wraps, as addresses do.
  ForEachIndex(
      *code.function, element, [&](uint64_t offset) { distance += offset; },
      [&](ir::Operand index, uint64_t stride) {
        Term term{index, static_cast<int32_t>(stride), {}};
        if (TypeOf(code, index)->IsVector()) {
          term.lanes = LanesOf(code, index);
        } else {
          term.extended = InExtended(code, index, /*is_signed=*/true, 8);
        }
        terms.push_back(term);
      });
  const ir::Operand base = OperandAt(code, element, 0);
  const bool is_one_base = !TypeOf(code, base)->IsVector();
  const Register one_base = is_one_base ? In(code, base) : kNoRegister;
  const Lanes bases = is_one_base ? Lanes() : LanesOf(code, base);
  for (unsigned i = 0; i < LaneCount(element.type); ++i) {
    if (is_one_base) {
      code.assembler.Mov(8, value, one_base);
    } else {
      LoadLane(code, value, bases, i, false);
    }
    for (const Term& term : terms) {
      if (term.extended != kNoRegister) {
        code.assembler.MultiplyRri(8, code.architecture.scratch, term.extended, term.size);
      } else {
        LoadLane(code, code.architecture.scratch, term.lanes, i, /*is_signed=*/true);
        code.assembler.MultiplyRri(8, code.architecture.scratch, code.architecture.scratch,
                                   term.size);
      }
      code.assembler.AluRr(Alu::kAdd, 8, value, code.architecture.scratch);
    }
    if (distance != 0) {
      code.assembler.MovImmediate(code.architecture.scratch, distance, true);
      code.assembler.AluRr(Alu::kAdd, 8, value, code.architecture.scratch);
    }
    StoreLane(code, result, i, value);
  }
}

}  // namespace firstcall::baseline
