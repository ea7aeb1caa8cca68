#include "backend/baseline/vectors.h"

#include <algorithm>
#include <cstdint>

#include "backend/baseline/lane_arithmetic.h"
#include "backend/baseline/lanes.h"
#include "backend/baseline/masked_accesses.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/value_parts.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;

// In a shuffle's mask: the lane of the result is undefined.
constexpr uint32_t kUndefinedLane = UINT32_MAX;

// The number of the lane that lane `lane` of a shuffle's result is a copy of. `mask` is a vector of
// i32.
uint32_t SourceLaneOf(const ir::Constant& mask, unsigned lane, const ir::Constants& constants) {
  switch (mask.kind) {
    case ir::ConstantKind::kNull:
      return 0;
    case ir::ConstantKind::kData: {
      uint32_t number = 0;  // Its lowest byte is the first.
      for (unsigned i = 4; i-- > 0;) {
        number = number << 8 | static_cast<uint8_t>(mask.data()[4 * lane + i]);
      }
      return number;
    }
    case ir::ConstantKind::kAggregate: {
      const ir::Constant& number = constants[mask.operands()[lane]];
      return number.IsInteger() ? static_cast<uint32_t>(number.unsigned_bits()) : kUndefinedLane;
    }
    default:
      return kUndefinedLane;
  }
}

void LowerExtractElement(FunctionCode& code, const ir::Instruction& extract, Register value) {
  Lanes lanes = LanesOf(code, OperandAt(code, extract, 0));
  // First, because what gives way may be stored by way of the scratch register.
  const Register dst = Define(code, extract);
  const unsigned count = LaneCount(TypeAt(code, extract, 0));
  const ir::Operand index = OperandAt(code, extract, 1);
  if (const ir::Constant* constant = ConstantOf(code, index); constant && constant->IsInteger()) {
    lanes.mem = lanes.At(static_cast<unsigned>(constant->LimitedTo(count - 1)));
  } else {
    lanes.mem = IndexedLane(code, lanes, index, count, value);
  }
  if (IsVector(dst)) {
    code.assembler.VectorLoad(lanes.stride, dst, lanes.mem);
  } else {
    code.assembler.Load(lanes.stride, dst, lanes.mem);
  }
}

void InsertLane(FunctionCode& code, const ir::Instruction& insert, const Lanes& result,
                Register value) {
  const ir::Operand vector = OperandAt(code, insert, 0);
  const ir::Operand element = OperandAt(code, insert, 1);
  const unsigned bits = LaneBits(insert.type);
  const ir::Constant* known = ConstantOf(code, vector);
  if (known == nullptr || !known->IsUndefined()) StoreParts(code, result.mem, vector);
  Register source = In(code, element);
  if (IsMask(insert.type)) {
    const Register mask = code.locations.Temporary(false);
    code.assembler.Mov(4, mask, source);
    code.assembler.AluRi(Alu::kAnd, 4, mask, 1);
    code.assembler.Negate(8, mask);
    source = mask;
  }
  if (IsVector(source) && bits == 16) {
    // A store of it would need the scratch register, which may be a part of the address.
    const Register number = code.locations.Temporary(false);
    code.assembler.FromVector(4, number, source);
    source = number;
  }
  Mem mem = result.mem;
  const ir::Operand index = OperandAt(code, insert, 2);
  const unsigned count = LaneCount(insert.type);
  if (const ir::Constant* constant = ConstantOf(code, index); constant && constant->IsInteger()) {
    mem = result.At(static_cast<unsigned>(constant->LimitedTo(count - 1)));
  } else {
    mem = IndexedLane(code, result, index, count, value);
  }
  if (IsVector(source)) {
    code.assembler.VectorStore(bits / 8, mem, source);
  } else {
    code.assembler.Store(bits / 8, mem, source);
  }
}

void ShuffleLanes(FunctionCode& code, const ir::Instruction& shuffle, const Lanes& result,
                  Register value) {
  const unsigned count = LaneCount(TypeAt(code, shuffle, 0));
  const Lanes sources[] = {LanesOf(code, OperandAt(code, shuffle, 0)),
                           LanesOf(code, OperandAt(code, shuffle, 1))};
  const ir::Constants constants = code.function->all_constants();
  const ir::Constant& mask = *ConstantOf(code, OperandAt(code, shuffle, 2));
  for (unsigned i = 0; i < LaneCount(shuffle.type); ++i) {
    const uint32_t lane = SourceLaneOf(mask, i, constants);
    if (lane >= 2 * count) continue;  // The lane is undefined.
    LoadLane(code, value, sources[lane / count], lane % count, /*is_signed=*/true);
    StoreLane(code, result, i, value);
  }
}

void SelectLanes(FunctionCode& code, const ir::Instruction& select, const Lanes& result,
                 Register value) {
  const Lanes condition = LanesOf(code, OperandAt(code, select, 0));
  const Lanes if_true = LanesOf(code, OperandAt(code, select, 1));
  const Lanes if_false = LanesOf(code, OperandAt(code, select, 2));
  for (unsigned i = 0; i < LaneCount(select.type); ++i) {
    LoadLane(code, value, if_false, i, true);
    LoadLane(code, code.architecture.scratch, if_true, i, true);
    code.assembler.AluMi(Alu::kCmp, 1, condition.At(i), 0);
    code.assembler.Select(Cond::kNe, 8, value, code.architecture.scratch);
    StoreLane(code, result, i, value);
  }
}

void SpreadMaskBits(FunctionCode& code, const ir::Instruction& cast, const Lanes& result,
                    Register value) {
  const ir::Operand source = OperandAt(code, cast, 0);
  Register bits = kNoRegister;
  for (unsigned i = 0; i < LaneCount(cast.type); ++i) {
    if (i % 64 == 0) {
      code.locations.registers().Unpin(bits);
      bits = In(code, source, i / 64);
    }
    code.assembler.Mov(8, value, bits);
    if (i % 64 != 0) code.assembler.ShiftRi(Shift::kShr, 8, value, static_cast<uint8_t>(i % 64));
    code.assembler.AluRi(Alu::kAnd, 4, value, 1);
    code.assembler.Negate(8, value);
    StoreLane(code, result, i, value);
  }
}

// The masks of each part have the width of the operands' lanes first.
void CompareParts(FunctionCode& code, const ir::Instruction& compare, const Lanes& result,
                  Register value) {
  const ir::Operand left = OperandAt(code, compare, 0), right = OperandAt(code, compare, 1);
  const ir::Type* const type = TypeOf(code, left);
  Lanes masks;
  masks.mem = code.lanes.Allocate(type);
  masks.stride = LaneBits(type) / 8;
  RegisterState& registers = code.locations.registers();
  for (unsigned i = 0; i < PartCount(type); ++i) {
    const Register a = In(code, left, i), b = In(code, right, i);
    const Register mask = code.locations.Temporary(true);
    code.native.vectors.CompareFloatLanes(compare.predicate(), type->scalar()->IsDouble(), mask, a,
                                          b);
    code.assembler.VectorStore(16, masks.mem.Plus(static_cast<int32_t>(16 * i)), mask);
    for (Register reg : {a, b, mask}) registers.Unpin(reg);
  }
  for (unsigned i = 0; i < LaneCount(type); ++i) {
    LoadLane(code, value, masks, i, /*is_signed=*/true);
    StoreLane(code, result, i, value);
  }
}

void RoundLanes(FunctionCode& code, const ir::Instruction& intrinsic, const Lanes& result) {
  const Lanes source = LanesOf(code, OperandAt(code, intrinsic, 0));
  const Register number = code.architecture.vector_scratch;
  for (unsigned i = 0; i < LaneCount(intrinsic.type); ++i) {
    code.assembler.VectorLoad(source.stride, number, source.At(i));
    code.native.floats.EmitRounding(code.function->IntrinsicOf(intrinsic),
                                    intrinsic.type->scalar()->IsDouble(), number);
    code.assembler.VectorStore(result.stride, result.At(i), number);
  }
}

bool IsDivision(Opcode opcode) {
  return opcode == Opcode::kUDiv || opcode == Opcode::kSDiv || opcode == Opcode::kURem ||
         opcode == Opcode::kSRem;
}

// Whether the processor's register for counts of shifts is needed.
bool ShiftsLanes(const FunctionCode& code, const ir::Instruction& instruction) {
  if (instruction.opcode != Opcode::kCall) return IsShift(instruction.opcode);
  const ir::IntrinsicId id = code.function->IntrinsicOf(instruction);
  return id == ir::IntrinsicId::kFshl || id == ir::IntrinsicId::kFshr;
}

// A place in the frame for the lanes of the result.
Lanes PlaceOfResult(FunctionCode& code, const ir::Instruction& result) {
  Lanes lanes;
  lanes.mem = code.lanes.Allocate(result.type);
  lanes.stride = LaneBits(result.type) / 8;
  return lanes;
}

// Makes the lanes the result of the instruction.
void DefineFromLanes(FunctionCode& code, const ir::Instruction& result, const Lanes& lanes) {
  const PartList list = PartsOf(result.type);
  if (list.count > 1) code.locations.registers().UnpinAll();
  for (unsigned i = 0; i < list.count; ++i) {
    const Register dst = Define(code, result, i);
    code.assembler.VectorLoad(list.parts[i].bytes, dst,
                              lanes.mem.Plus(static_cast<int32_t>(16 * i)));
    if (list.count > 1) code.locations.registers().Unpin(dst);
  }
}

void LowerLaneDivision(FunctionCode& code, const ir::Instruction& binary) {
  const Opcode opcode = binary.opcode;
  LaneDivision division;
  division.result = PlaceOfResult(code, binary);
  division.left = LanesOf(code, OperandAt(code, binary, 0));
  division.right = LanesOf(code, OperandAt(code, binary, 1));
  division.count = LaneCount(binary.type);
  division.is_signed = opcode == Opcode::kSDiv || opcode == Opcode::kSRem;
  division.is_remainder = opcode == Opcode::kSRem || opcode == Opcode::kURem;
  code.native.integers.EmitLaneDivision(code, division);
  DefineFromLanes(code, binary, division.result);
  code.lanes.FreeAll();
}

void LowerLanesOfIntrinsic(FunctionCode& code, const ir::Instruction& intrinsic,
                           const Lanes& result, Register value) {
  switch (code.function->IntrinsicOf(intrinsic)) {
    case ir::IntrinsicId::kMaskedLoad:
      return LoadSomeLanes(code, intrinsic, result, value);
    case ir::IntrinsicId::kMaskedStore:
      return StoreSomeLanes(code, intrinsic, value);
    case ir::IntrinsicId::kMaskedGather:
      return GatherLanes(code, intrinsic, result, value);
    case ir::IntrinsicId::kMaskedScatter:
      return ScatterLanes(code, intrinsic, value);
    case ir::IntrinsicId::kMaskedExpandload:
      return LoadNextLanes(code, intrinsic, result, value);
    case ir::IntrinsicId::kMaskedCompressstore:
      return StoreNextLanes(code, intrinsic, value);
    case ir::IntrinsicId::kVectorReduceFadd:
    case ir::IntrinsicId::kVectorReduceFmul:
      return ReduceFloatLanes(code, intrinsic);
    default:
      break;
  }
  if (!intrinsic.type->IsVector()) return ReduceLanes(code, intrinsic, value);
  switch (code.function->IntrinsicOf(intrinsic)) {
    case ir::IntrinsicId::kAbs:
    case ir::IntrinsicId::kBswap:
      return ChangeLanes(code, intrinsic, result, value);
    case ir::IntrinsicId::kSaddSat:
    case ir::IntrinsicId::kSsubSat:
    case ir::IntrinsicId::kUaddSat:
    case ir::IntrinsicId::kUsubSat:
      return SaturateLanes(code, intrinsic, result, value);
    case ir::IntrinsicId::kFshl:
    case ir::IntrinsicId::kFshr:
      return FunnelShiftLanes(code, intrinsic, result, value);
    case ir::IntrinsicId::kSqrt:
    case ir::IntrinsicId::kFloor:
    case ir::IntrinsicId::kCeil:
    case ir::IntrinsicId::kTrunc:
    case ir::IntrinsicId::kRint:
    case ir::IntrinsicId::kNearbyint:
    case ir::IntrinsicId::kRoundeven:
      return RoundLanes(code, intrinsic, result);
    default:
      return CombineLanes(code, intrinsic, result, value);
  }
}

}  // namespace

void LowerVectorBinary(FunctionCode& code, const ir::Instruction& binary) {
  // The lanes of a vector of i1 are added without carries.
  const bool is_mask = IsMask(binary.type);
  LaneOp op = LaneOp::kXor;
  switch (binary.opcode) {
    case Opcode::kAdd:
      if (!is_mask) op = LaneOp::kAdd;
      break;
    case Opcode::kSub:
      if (!is_mask) op = LaneOp::kSub;
      break;
    case Opcode::kAnd:
      op = LaneOp::kAnd;
      break;
    case Opcode::kOr:
      op = LaneOp::kOr;
      break;
    case Opcode::kXor:
      break;
    default:
      return LowerLanes(code, binary);
  }
  ForEachPart(code, binary, [&](unsigned i) {
    const Register right = In(code, OperandAt(code, binary, 1), i);
    const Register dst = DefineFrom(code, binary, OperandAt(code, binary, 0), i, i);
    code.assembler.LanesRr(op, LaneBits(binary.type) / 8, dst, right);
  });
}

void CollectMaskBits(FunctionCode& code, const ir::Instruction& cast) {
  const ir::Operand source = OperandAt(code, cast, 0);
  const unsigned count = LaneCount(TypeOf(code, source));
  if (PartCount(TypeOf(code, source)) == 1) {
    return DefineIn(code, cast, code.native.vectors.MaskBits(code, source));
  }
  const Lanes lanes = LanesOf(code, source);
  for (unsigned first = 0; first < count; first += 64) {
    const Register bits = code.locations.Temporary(false);
    code.assembler.MovImmediate(bits, 0, true);
    for (unsigned i = std::min(count, first + 64); i-- > first;) {
      LoadLane(code, code.architecture.scratch, lanes, i, /*is_signed=*/false);
      code.assembler.AluRi(Alu::kAnd, 4, code.architecture.scratch, 1);
      code.assembler.ShiftRi(Shift::kShl, 8, bits, 1);
      code.assembler.AluRr(Alu::kOr, 8, bits, code.architecture.scratch);
    }
    DefineIn(code, cast, bits, first / 64);
  }
  code.lanes.FreeAll();
}

void LowerLanes(FunctionCode& code, const ir::Instruction& instruction) {
  if (IsDivision(instruction.opcode)) return LowerLaneDivision(code, instruction);
  const bool is_vector = instruction.type->IsVector();
  if (ShiftsLanes(code, instruction) && code.architecture.shift_count != kNoRegister) {
    code.locations.Claim(code.architecture.shift_count);
  }
  const Register value = code.locations.Temporary(false);
  const Lanes result = is_vector ? PlaceOfResult(code, instruction) : Lanes();
  switch (instruction.opcode) {
    case Opcode::kExtractElement:
      LowerExtractElement(code, instruction, value);
      break;
    case Opcode::kInsertElement:
      InsertLane(code, instruction, result, value);
      break;
    case Opcode::kShuffleVector:
      ShuffleLanes(code, instruction, result, value);
      break;
    case Opcode::kSelect:
      SelectLanes(code, instruction, result, value);
      break;
    case Opcode::kZExt:
    case Opcode::kSExt:
    case Opcode::kTrunc:
    case Opcode::kPtrToInt:
    case Opcode::kIntToPtr:
      ConvertLanes(code, instruction, result, value);
      break;
    case Opcode::kFPTrunc:
    case Opcode::kFPExt:
    case Opcode::kSIToFP:
    case Opcode::kUIToFP:
    case Opcode::kFPToSI:
    case Opcode::kFPToUI:
      ConvertFloatLanes(code, instruction, result, value);
      break;
    case Opcode::kFCmp:
      CompareParts(code, instruction, result, value);
      break;
    case Opcode::kBitCast:
      SpreadMaskBits(code, instruction, result, value);
      break;
    case Opcode::kGetElementPtr:
      ElementAddressLanes(code, instruction, result, value);
      break;
    case Opcode::kCall:
      LowerLanesOfIntrinsic(code, instruction, result, value);
      break;
    default:
      CombineLanes(code, instruction, result, value);
      break;
  }
  if (is_vector) DefineFromLanes(code, instruction, result);
  code.lanes.FreeAll();
}

}  // namespace firstcall::baseline
