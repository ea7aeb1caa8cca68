#include "backend/baseline/vectors.h"

#include <cstdint>

#include "backend/baseline/lane_arithmetic.h"
#include "backend/baseline/lanes.h"
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
  const Register bits = In(code, OperandAt(code, cast, 0));
  for (unsigned i = 0; i < LaneCount(cast.type); ++i) {
    code.assembler.Mov(4, value, bits);
    if (i != 0) code.assembler.ShiftRi(Shift::kShr, 4, value, static_cast<uint8_t>(i));
    code.assembler.AluRi(Alu::kAnd, 4, value, 1);
    code.assembler.Negate(8, value);
    StoreLane(code, result, i, value);
  }
}

void LowerLanesOfIntrinsic(FunctionCode& code, const ir::Instruction& intrinsic,
                           const Lanes& result, Register value) {
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

void LowerLanes(FunctionCode& code, const ir::Instruction& instruction) {
  const bool is_vector = instruction.type->IsVector();
  if (IsShift(instruction.opcode) && code.architecture.shift_count != kNoRegister) {
    code.locations.Claim(code.architecture.shift_count);
  }
  const Register value = code.locations.Temporary(false);
  Lanes result;
  if (is_vector) {
    result.mem = code.lanes.Allocate(instruction.type);
    result.stride = LaneBits(instruction.type) / 8;
  }
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
  if (is_vector) {
    const PartList list = PartsOf(instruction.type);
    if (list.count > 1) code.locations.registers().UnpinAll();
    for (unsigned i = 0; i < list.count; ++i) {
      const Register dst = Define(code, instruction, i);
      code.assembler.VectorLoad(list.parts[i].bytes, dst,
                                result.mem.Plus(static_cast<int32_t>(16 * i)));
      if (list.count > 1) code.locations.registers().Unpin(dst);
    }
  }
  code.lanes.FreeAll();
}

}  // namespace firstcall::baseline
