// Vectors.
//
// Operations that the processor has for all lanes are one instruction. Others are made lane by lane
// with general registers: the operands are in memory then, and so is the result until it is
// complete. The lanes of a vector of i1 are masks, all of whose bits are the same, and together
// fill 16 bytes.

#include <algorithm>

#include "absl/container/inlined_vector.h"
#include "backend/baseline/element_indices.h"
#include "backend/baseline/lowering.h"
#include "backend/baseline/value_slots.h"

namespace firstcall::baseline {
namespace {

using ir::IntrinsicId;
using ir::Opcode;

bool IsMask(const ir::Type* type) { return type->scalar()->IsInteger(1); }

bool IsShift(Opcode opcode) {
  return opcode == Opcode::kShl || opcode == Opcode::kLShr || opcode == Opcode::kAShr;
}

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

}  // namespace

unsigned LaneCount(const ir::Type* type) { return static_cast<unsigned>(type->count); }

unsigned LaneBits(const ir::Type* type) {
  const ir::Type* element = type->element();
  if (element->IsInteger(1)) return 128 / LaneCount(type);
  return element->IsPointer() ? 64 : static_cast<unsigned>(element->bit_size);
}

void Lowering::LowerVectorBinary(const ir::Instruction& binary) {
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
      return LowerLanes(binary);
  }
  ForEachPart(binary, [&](unsigned i) {
    const Register right = In(OperandAt(binary, 1), i);
    const Register dst = DefineFrom(binary, OperandAt(binary, 0), i, i);
    assembler_.LanesRr(op, LaneBits(binary.type) / 8, dst, right);
  });
}

// Where the vector is in memory: in its slot, in the pool, or stored for this purpose.
Lowering::Lanes Lowering::LanesOf(ir::Operand vector) {
  Lanes lanes;
  lanes.stride = LaneBits(TypeOf(vector)) / 8;
  const unsigned parts = PartCount(TypeOf(vector));
  if (const ir::Constant* constant = ConstantOf(vector); constant && parts == 1) {
    const ConstantPart part = PartOf(*constant, 0);
    lanes.mem = Mem::Relative(RelativeTo::kPool, pool_.Constant(part.low, part.high, 16));
    return lanes;
  }
  if (const uint32_t number = NumberOf(vector);
      parts == 1 && analysis_.values()[number].is_spilled) {
    lanes.mem = SlotOf(frame_, analysis_.values()[number]);
    return lanes;
  }
  lanes.mem = TemporaryLanes(TypeOf(vector));
  StoreParts(lanes.mem, vector);
  return lanes;
}

void Lowering::StoreParts(const Mem& mem, ir::Operand vector) {
  const unsigned parts = PartCount(TypeOf(vector));
  for (unsigned i = 0; i < parts; ++i) {
    const Register reg = In(vector, i);
    assembler_.VectorStore(16, mem.Plus(static_cast<int32_t>(16 * i)), reg);
    locations_.registers().Unpin(reg);
  }
}

Mem Lowering::TemporaryLanes(const ir::Type* type) {
  if (PartCount(type) > 1) {
    constexpr int64_t kMostBytes = 128;
    if (wide_places_used_ == wide_places_.size()) {
      wide_places_.push_back(frame_.Allocate(kMostBytes, 16));
    }
    return frame_.At(wide_places_[wide_places_used_++]);
  }
  const int32_t slot = frame_.AllocateSlot(16);
  temporary_lanes_.push_back(slot);
  return frame_.At(slot);
}

void Lowering::LoadLane(Register dst, const Lanes& lanes, unsigned lane, bool is_signed) {
  const Mem mem = lanes.mem.Plus(static_cast<int32_t>(lane * lanes.stride));
  if (is_signed && lanes.stride < 8) {
    assembler_.LoadSigned(lanes.stride, 8, dst, mem);
  } else {
    assembler_.Load(lanes.stride, dst, mem);
  }
}

// Computes lane by lane into memory, and loads the result.
void Lowering::LowerLanes(const ir::Instruction& instruction) {
  const bool is_vector = instruction.type->IsVector();
  if (IsShift(instruction.opcode) && architecture_.shift_count != kNoRegister) {
    locations_.Claim(architecture_.shift_count);
  }
  const Register value = locations_.Temporary(false);
  Lanes result;
  if (is_vector) {
    result.mem = TemporaryLanes(instruction.type);
    result.stride = LaneBits(instruction.type) / 8;
  }
  switch (instruction.opcode) {
    case Opcode::kExtractElement:
      LowerExtractElement(instruction, value);
      break;
    case Opcode::kInsertElement:
      InsertLane(instruction, result, value);
      break;
    case Opcode::kShuffleVector:
      ShuffleLanes(instruction, result, value);
      break;
    case Opcode::kSelect:
      SelectLanes(instruction, result, value);
      break;
    case Opcode::kZExt:
    case Opcode::kSExt:
    case Opcode::kTrunc:
    case Opcode::kPtrToInt:
    case Opcode::kIntToPtr:
      ConvertLanes(instruction, result, value);
      break;
    case Opcode::kFPTrunc:
    case Opcode::kFPExt:
    case Opcode::kSIToFP:
    case Opcode::kUIToFP:
    case Opcode::kFPToSI:
    case Opcode::kFPToUI:
      ConvertFloatLanes(instruction, result, value);
      break;
    case Opcode::kBitCast:
      SpreadMaskBits(instruction, result, value);
      break;
    case Opcode::kGetElementPtr:
      ElementAddressLanes(instruction, result, value);
      break;
    case Opcode::kCall:
      if (is_vector) {
        CombineLanes(instruction, result, value);
      } else {
        ReduceLanes(instruction, value);
      }
      break;
    default:
      CombineLanes(instruction, result, value);
      break;
  }
  if (is_vector) {
    const PartList list = PartsOf(instruction.type);
    if (list.count > 1) locations_.registers().UnpinAll();
    for (unsigned i = 0; i < list.count; ++i) {
      const Register dst = Define(instruction, i);
      assembler_.VectorLoad(list.parts[i].bytes, dst,
                            result.mem.Plus(static_cast<int32_t>(16 * i)));
      if (list.count > 1) locations_.registers().Unpin(dst);
    }
  }
  wide_places_used_ = 0;
  for (int32_t slot : temporary_lanes_) frame_.FreeSlot(slot, 16);
  temporary_lanes_.clear();
}

void Lowering::LowerExtractElement(const ir::Instruction& extract, Register value) {
  Lanes lanes = LanesOf(OperandAt(extract, 0));
  // First, because what gives way may be stored by way of the scratch register.
  const Register dst = Define(extract);
  const unsigned count = LaneCount(TypeAt(extract, 0));
  const ir::Operand index = OperandAt(extract, 1);
  if (const ir::Constant* constant = ConstantOf(index); constant && constant->IsInteger()) {
    const uint64_t lane = constant->LimitedTo(count - 1);
    lanes.mem = lanes.mem.Plus(static_cast<int32_t>(lane * lanes.stride));
  } else {
    lanes.mem = IndexedLane(lanes, index, count, value);
  }
  if (IsVector(dst)) {
    assembler_.VectorLoad(lanes.stride, dst, lanes.mem);
  } else {
    assembler_.Load(lanes.stride, dst, lanes.mem);
  }
}

// The address of the lane with a number that is only known when the code runs; `value` is free. The
// number is in the scratch register, so no register may be taken before the address was used.
Mem Lowering::IndexedLane(const Lanes& lanes, ir::Operand index, unsigned count, Register value) {
  const Register number = InExtended(index, false, 8);
  assembler_.Mov(4, architecture_.scratch, number);
  assembler_.AluRi(Alu::kAnd, 4, architecture_.scratch, static_cast<int32_t>(count) - 1);
  assembler_.Lea(value, lanes.mem);
  Mem mem = Mem::At(value);
  mem.index = architecture_.scratch;
  mem.scale = lanes.stride == 8 ? 3 : lanes.stride == 4 ? 2 : lanes.stride == 2 ? 1 : 0;
  return mem;
}

void Lowering::InsertLane(const ir::Instruction& insert, const Lanes& result, Register value) {
  const ir::Operand vector = OperandAt(insert, 0);
  const ir::Operand element = OperandAt(insert, 1);
  const unsigned bits = LaneBits(insert.type);
  const ir::Constant* known = ConstantOf(vector);
  if (known == nullptr || !known->IsUndefined()) StoreParts(result.mem, vector);
  Register source = In(element);
  if (IsMask(insert.type)) {
    const Register mask = locations_.Temporary(false);
    assembler_.Mov(4, mask, source);
    assembler_.AluRi(Alu::kAnd, 4, mask, 1);
    assembler_.Negate(8, mask);
    source = mask;
  }
  Mem mem = result.mem;
  const ir::Operand index = OperandAt(insert, 2);
  const unsigned count = LaneCount(insert.type);
  if (const ir::Constant* constant = ConstantOf(index); constant && constant->IsInteger()) {
    const uint64_t lane = constant->LimitedTo(count - 1);
    mem = mem.Plus(static_cast<int32_t>(lane * result.stride));
  } else {
    mem = IndexedLane(result, index, count, value);
  }
  if (IsVector(source)) {
    assembler_.VectorStore(bits / 8, mem, source);
  } else {
    assembler_.Store(bits / 8, mem, source);
  }
}

void Lowering::ShuffleLanes(const ir::Instruction& shuffle, const Lanes& result, Register value) {
  const unsigned count = LaneCount(TypeAt(shuffle, 0));
  const Lanes sources[] = {LanesOf(OperandAt(shuffle, 0)), LanesOf(OperandAt(shuffle, 1))};
  const ir::Constants constants = function_->all_constants();
  const ir::Constant& mask = *ConstantOf(OperandAt(shuffle, 2));
  for (unsigned i = 0; i < LaneCount(shuffle.type); ++i) {
    const uint32_t lane = SourceLaneOf(mask, i, constants);
    if (lane >= 2 * count) continue;  // The lane is undefined.
    LoadLane(value, sources[lane / count], lane % count, /*is_signed=*/true);
    StoreLane(result, i, value);
  }
}

void Lowering::StoreLane(const Lanes& lanes, unsigned lane, Register value) {
  assembler_.Store(lanes.stride, lanes.mem.Plus(static_cast<int32_t>(lane * lanes.stride)), value);
}

void Lowering::SelectLanes(const ir::Instruction& select, const Lanes& result, Register value) {
  const Lanes condition = LanesOf(OperandAt(select, 0));
  const Lanes if_true = LanesOf(OperandAt(select, 1));
  const Lanes if_false = LanesOf(OperandAt(select, 2));
  for (unsigned i = 0; i < LaneCount(select.type); ++i) {
    LoadLane(value, if_false, i, true);
    LoadLane(architecture_.scratch, if_true, i, true);
    assembler_.AluMi(Alu::kCmp, 1, condition.mem.Plus(static_cast<int32_t>(i * condition.stride)),
                     0);
    assembler_.Select(Cond::kNe, 8, value, architecture_.scratch);
    StoreLane(result, i, value);
  }
}

void Lowering::ConvertLanes(const ir::Instruction& cast, const Lanes& result, Register value) {
  const Lanes source = LanesOf(OperandAt(cast, 0));
  const bool to_mask = IsMask(cast.type);
  const bool is_zero_extended = cast.opcode == Opcode::kZExt || cast.opcode == Opcode::kIntToPtr;
  const bool zero_of_mask = is_zero_extended && IsMask(TypeAt(cast, 0));
  for (unsigned i = 0; i < LaneCount(cast.type); ++i) {
    LoadLane(value, source, i, !is_zero_extended || IsMask(TypeAt(cast, 0)));
    if (zero_of_mask || to_mask) assembler_.AluRi(Alu::kAnd, 4, value, 1);
    if (to_mask) assembler_.Negate(8, value);
    StoreLane(result, i, value);
  }
}

// Combines the lanes of two operands: shifts, products, comparisons, minima and maxima.
void Lowering::CombineLanes(const ir::Instruction& instruction, const Lanes& result,
                            Register value) {
  const Opcode opcode = instruction.opcode;
  const bool is_shift = IsShift(opcode);
  const bool is_compare = opcode == Opcode::kICmp;
  const bool is_intrinsic = opcode == Opcode::kCall;
  const MinMax min_max = MinMaxOf(function_->IntrinsicOf(instruction));
  const bool is_signed = opcode == Opcode::kAShr || min_max.is_signed ||
                         (is_compare && IsSigned(instruction.predicate()));
  const bool is_masked = IsMask(TypeAt(instruction, 0));
  const Lanes left = LanesOf(OperandAt(instruction, 0));
  const Lanes right = LanesOf(OperandAt(instruction, 1));
  const Register other = is_shift && architecture_.shift_count != kNoRegister
                             ? architecture_.shift_count
                             : architecture_.scratch;
  for (unsigned i = 0; i < LaneCount(instruction.type); ++i) {
    LoadLane(value, left, i, is_signed || is_masked);
    LoadLane(other, right, i, is_signed || is_masked);
    if (is_compare) {
      assembler_.AluRr(Alu::kCmp, 8, value, other);
      assembler_.Set(CondOf(instruction.predicate()), value);
      assembler_.ZeroExtend(1, value, value);
      assembler_.Negate(8, value);
    } else if (is_intrinsic) {
      assembler_.AluRr(Alu::kCmp, 8, value, other);
      assembler_.Select(min_max.takes_other, 8, value, other);
    } else if (is_shift) {
      assembler_.ShiftRr(opcode == Opcode::kShl    ? Shift::kShl
                         : opcode == Opcode::kAShr ? Shift::kSar
                                                   : Shift::kShr,
                         8, value, other);
    } else {
      assembler_.MultiplyRr(8, value, other);
    }
    StoreLane(result, i, value);
  }
}

// One number of all lanes.
void Lowering::ReduceLanes(const ir::Instruction& intrinsic, Register value) {
  if (IsMask(TypeAt(intrinsic, 0))) return ReduceMask(intrinsic);
  const Lanes lanes = LanesOf(OperandAt(intrinsic, 0));
  const unsigned count = LaneCount(TypeAt(intrinsic, 0));
  MinMax min_max;
  Alu alu = Alu::kAdd;
  switch (function_->IntrinsicOf(intrinsic)) {
    case IntrinsicId::kVectorReduceAdd:
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
      min_max = MinMaxOf(function_->IntrinsicOf(intrinsic));
      break;
  }
  LoadLane(value, lanes, 0, min_max.is_signed);
  for (unsigned i = 1; i < count; ++i) {
    LoadLane(architecture_.scratch, lanes, i, min_max.is_signed);
    assembler_.AluRr(alu, 8, value, architecture_.scratch);
    if (alu == Alu::kCmp) assembler_.Select(min_max.takes_other, 8, value, architecture_.scratch);
  }
  DefineIn(intrinsic, value);
}

void Lowering::ReduceMask(const ir::Instruction& intrinsic) {
  const ir::Operand vector = OperandAt(intrinsic, 0);
  const Register bits = MaskBits(vector);
  const bool is_and = function_->IntrinsicOf(intrinsic) == IntrinsicId::kVectorReduceAnd;
  assembler_.AluRi(Alu::kCmp, 4, bits, is_and ? (1 << LaneCount(TypeOf(vector))) - 1 : 0);
  assembler_.Set(is_and ? Cond::kE : Cond::kNe, bits);
  DefineIn(intrinsic, bits);
}

void Lowering::SpreadMaskBits(const ir::Instruction& cast, const Lanes& result, Register value) {
  const Register bits = In(OperandAt(cast, 0));
  for (unsigned i = 0; i < LaneCount(cast.type); ++i) {
    assembler_.Mov(4, value, bits);
    if (i != 0) assembler_.ShiftRi(Shift::kShr, 4, value, static_cast<uint8_t>(i));
    assembler_.AluRi(Alu::kAnd, 4, value, 1);
    assembler_.Negate(8, value);
    StoreLane(result, i, value);
  }
}

// Addresses lane by lane: the sum of a base and of indices times sizes, each of which is a vector
// or the same for all lanes.
void Lowering::ElementAddressLanes(const ir::Instruction& element, const Lanes& result,
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
      *function_, element, [&](uint64_t offset) { distance += offset; },
      [&](ir::Operand index, uint64_t stride) {
        Term term{index, static_cast<int32_t>(stride), {}};
        if (TypeOf(index)->IsVector()) {
          term.lanes = LanesOf(index);
        } else {
          term.extended = InExtended(index, /*is_signed=*/true, 8);
        }
        terms.push_back(term);
      });
  const ir::Operand base = OperandAt(element, 0);
  const bool is_one_base = !TypeOf(base)->IsVector();
  const Register one_base = is_one_base ? In(base) : kNoRegister;
  const Lanes bases = is_one_base ? Lanes() : LanesOf(base);
  for (unsigned i = 0; i < LaneCount(element.type); ++i) {
    if (is_one_base) {
      assembler_.Mov(8, value, one_base);
    } else {
      LoadLane(value, bases, i, false);
    }
    for (const Term& term : terms) {
      if (term.extended != kNoRegister) {
        assembler_.MultiplyRri(8, architecture_.scratch, term.extended, term.size);
      } else {
        LoadLane(architecture_.scratch, term.lanes, i, /*is_signed=*/true);
        assembler_.MultiplyRri(8, architecture_.scratch, architecture_.scratch, term.size);
      }
      assembler_.AluRr(Alu::kAdd, 8, value, architecture_.scratch);
    }
    if (distance != 0) {
      assembler_.MovImmediate(architecture_.scratch, distance, true);
      assembler_.AluRr(Alu::kAdd, 8, value, architecture_.scratch);
    }
    StoreLane(result, i, value);
  }
}

// Between integers and floating point, and between floats and doubles. Integers go by way of 64
// bits.
void Lowering::ConvertFloatLanes(const ir::Instruction& cast, const Lanes& result, Register value) {
  const Lanes source = LanesOf(OperandAt(cast, 0));
  const Register number = architecture_.vector_scratch;
  const bool to_double = cast.type->scalar()->IsDouble();
  const bool from_double = TypeAt(cast, 0)->scalar()->IsDouble();
  for (unsigned i = 0; i < LaneCount(cast.type); ++i) {
    const Mem from = source.mem.Plus(static_cast<int32_t>(i * source.stride));
    switch (cast.opcode) {
      case Opcode::kSIToFP:
      case Opcode::kUIToFP:
        LoadLane(value, source, i, cast.opcode == Opcode::kSIToFP);
        assembler_.IntegerToFloat(8, to_double, number, value);
        break;
      case Opcode::kFPToSI:
      case Opcode::kFPToUI:
        assembler_.VectorLoad(source.stride, number, from);
        assembler_.FloatToInteger(8, from_double, value, number);
        StoreLane(result, i, value);
        continue;
      default:
        assembler_.VectorLoad(source.stride, number, from);
        assembler_.ConvertFloat(to_double, number, number);
        break;
    }
    assembler_.VectorStore(result.stride, result.mem.Plus(static_cast<int32_t>(i * result.stride)),
                           number);
  }
}

}  // namespace firstcall::baseline
