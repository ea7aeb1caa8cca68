// Vectors.
//
// Operations that the processor has for all lanes are one instruction. Others are made lane by lane
// with general registers: the operands are in memory then, and so is the result until it is
// complete. The lanes of a vector of i1 are masks, all of whose bits are the same, and together
// fill 16 bytes.

#include "backend/baseline/lowering.h"
#include "backend/baseline/value_slots.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"

namespace firstcall::baseline {
namespace {

using llvm::Instruction;

bool IsMask(const llvm::Type* type) { return type->getScalarType()->isIntegerTy(1); }

// A minimum or maximum of integers: when the other operand takes the place of one that was compared
// with it.
struct MinMax {
  bool is_signed = false;
  Cond takes_other = Cond::kO;
};

MinMax MinMaxOf(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::vector_reduce_smax:
      return {true, Cond::kL};
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::vector_reduce_smin:
      return {true, Cond::kG};
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::vector_reduce_umax:
      return {false, Cond::kB};
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::vector_reduce_umin:
      return {false, Cond::kA};
    default:
      return {};
  }
}

}  // namespace

unsigned LaneCount(const llvm::Type* type) {
  return llvm::cast<llvm::FixedVectorType>(type)->getNumElements();
}

unsigned LaneBits(const llvm::Type* type) {
  const llvm::Type* element = llvm::cast<llvm::FixedVectorType>(type)->getElementType();
  if (element->isIntegerTy(1)) return 128 / LaneCount(type);
  return element->isPointerTy() ? 64 : element->getPrimitiveSizeInBits();
}

void Lowering::LowerVectorBinary(const llvm::BinaryOperator& binary) {
  // The lanes of a vector of i1 are added without carries.
  const bool is_mask = IsMask(binary.getType());
  LaneOp op = LaneOp::kXor;
  switch (binary.getOpcode()) {
    case Instruction::Add:
      if (!is_mask) op = LaneOp::kAdd;
      break;
    case Instruction::Sub:
      if (!is_mask) op = LaneOp::kSub;
      break;
    case Instruction::And:
      op = LaneOp::kAnd;
      break;
    case Instruction::Or:
      op = LaneOp::kOr;
      break;
    case Instruction::Xor:
      break;
    default:
      return LowerLanes(binary);
  }
  ForEachPart(binary, [&](unsigned i) {
    const Register right = In(binary.getOperand(1), i);
    const Register dst = DefineFrom(binary, binary.getOperand(0), i, i);
    assembler_.LanesRr(op, LaneBits(binary.getType()) / 8, dst, right);
  });
}

// Where the vector is in memory: in its slot, in the pool, or stored for this purpose.
Lowering::Lanes Lowering::LanesOf(const llvm::Value* vector) {
  Lanes lanes;
  lanes.stride = LaneBits(vector->getType()) / 8;
  const unsigned parts = PartCount(vector->getType());
  if (const auto* constant = llvm::dyn_cast<llvm::Constant>(vector); constant && parts == 1) {
    const ConstantPart part = PartOf(*constant, 0);
    lanes.mem = Mem::Relative(RelativeTo::kPool, pool_.Constant(part.low, part.high, 16));
    return lanes;
  }
  if (const uint32_t number = NumberOf(vector);
      parts == 1 && analysis_.values()[number].is_spilled) {
    lanes.mem = SlotOf(frame_, analysis_.values()[number]);
    return lanes;
  }
  lanes.mem = TemporaryLanes(vector->getType());
  StoreParts(lanes.mem, vector);
  return lanes;
}

void Lowering::StoreParts(const Mem& mem, const llvm::Value* vector) {
  const unsigned parts = PartCount(vector->getType());
  for (unsigned i = 0; i < parts; ++i) {
    const Register reg = In(vector, i);
    assembler_.VectorStore(16, mem.Plus(static_cast<int32_t>(16 * i)), reg);
    locations_.registers().Unpin(reg);
  }
}

Mem Lowering::TemporaryLanes(const llvm::Type* type) {
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
void Lowering::LowerLanes(const llvm::Instruction& instruction) {
  const bool is_vector = instruction.getType()->isVectorTy();
  if (instruction.isShift() && architecture_.shift_count != kNoRegister) {
    locations_.Claim(architecture_.shift_count);
  }
  const Register value = locations_.Temporary(false);
  Lanes result;
  if (is_vector) {
    result.mem = TemporaryLanes(instruction.getType());
    result.stride = LaneBits(instruction.getType()) / 8;
  }
  switch (instruction.getOpcode()) {
    case Instruction::ExtractElement:
      LowerExtractElement(llvm::cast<llvm::ExtractElementInst>(instruction), value);
      break;
    case Instruction::InsertElement:
      InsertLane(llvm::cast<llvm::InsertElementInst>(instruction), result, value);
      break;
    case Instruction::ShuffleVector:
      ShuffleLanes(llvm::cast<llvm::ShuffleVectorInst>(instruction), result, value);
      break;
    case Instruction::Select:
      SelectLanes(llvm::cast<llvm::SelectInst>(instruction), result, value);
      break;
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::Trunc:
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
      ConvertLanes(llvm::cast<llvm::CastInst>(instruction), result, value);
      break;
    case Instruction::FPTrunc:
    case Instruction::FPExt:
    case Instruction::SIToFP:
    case Instruction::UIToFP:
    case Instruction::FPToSI:
    case Instruction::FPToUI:
      ConvertFloatLanes(llvm::cast<llvm::CastInst>(instruction), result, value);
      break;
    case Instruction::BitCast:
      SpreadMaskBits(llvm::cast<llvm::CastInst>(instruction), result, value);
      break;
    case Instruction::GetElementPtr:
      ElementAddressLanes(llvm::cast<llvm::GetElementPtrInst>(instruction), result, value);
      break;
    case Instruction::Call:
      if (is_vector) {
        CombineLanes(instruction, result, value);
      } else {
        ReduceLanes(llvm::cast<llvm::IntrinsicInst>(instruction), value);
      }
      break;
    default:
      CombineLanes(instruction, result, value);
      break;
  }
  if (is_vector) {
    const PartList list = PartsOf(instruction.getType());
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

void Lowering::LowerExtractElement(const llvm::ExtractElementInst& extract, Register value) {
  Lanes lanes = LanesOf(extract.getVectorOperand());
  // First, because what gives way may be stored by way of the scratch register.
  const Register dst = Define(extract);
  if (const auto* index = llvm::dyn_cast<llvm::ConstantInt>(extract.getIndexOperand())) {
    const uint64_t lane = std::min<uint64_t>(index->getValue().getLimitedValue(),
                                             LaneCount(extract.getVectorOperandType()) - 1);
    lanes.mem = lanes.mem.Plus(static_cast<int32_t>(lane * lanes.stride));
  } else {
    lanes.mem = IndexedLane(lanes, extract.getIndexOperand(),
                            LaneCount(extract.getVectorOperandType()), value);
  }
  if (IsVector(dst)) {
    assembler_.VectorLoad(lanes.stride, dst, lanes.mem);
  } else {
    assembler_.Load(lanes.stride, dst, lanes.mem);
  }
}

// The address of the lane with a number that is only known when the code runs; `value` is free. The
// number is in the scratch register, so no register may be taken before the address was used.
Mem Lowering::IndexedLane(const Lanes& lanes, const llvm::Value* index, unsigned count,
                          Register value) {
  const Register number = InExtended(index, false, 8);
  assembler_.Mov(4, architecture_.scratch, number);
  assembler_.AluRi(Alu::kAnd, 4, architecture_.scratch, static_cast<int32_t>(count) - 1);
  assembler_.Lea(value, lanes.mem);
  Mem mem = Mem::At(value);
  mem.index = architecture_.scratch;
  mem.scale = lanes.stride == 8 ? 3 : lanes.stride == 4 ? 2 : lanes.stride == 2 ? 1 : 0;
  return mem;
}

void Lowering::InsertLane(const llvm::InsertElementInst& insert, const Lanes& result,
                          Register value) {
  const llvm::Value* vector = insert.getOperand(0);
  const llvm::Value* element = insert.getOperand(1);
  const unsigned bits = LaneBits(insert.getType());
  if (!llvm::isa<llvm::UndefValue>(vector)) {
    StoreParts(result.mem, vector);
  }
  Register source = In(element);
  if (IsMask(insert.getType())) {
    const Register mask = locations_.Temporary(false);
    assembler_.Mov(4, mask, source);
    assembler_.AluRi(Alu::kAnd, 4, mask, 1);
    assembler_.Negate(8, mask);
    source = mask;
  }
  Mem mem = result.mem;
  if (const auto* index = llvm::dyn_cast<llvm::ConstantInt>(insert.getOperand(2))) {
    const uint64_t lane =
        std::min<uint64_t>(index->getValue().getLimitedValue(), LaneCount(insert.getType()) - 1);
    mem = mem.Plus(static_cast<int32_t>(lane * result.stride));
  } else {
    mem = IndexedLane(result, insert.getOperand(2), LaneCount(insert.getType()), value);
  }
  if (IsVector(source)) {
    assembler_.VectorStore(bits / 8, mem, source);
  } else {
    assembler_.Store(bits / 8, mem, source);
  }
}

void Lowering::ShuffleLanes(const llvm::ShuffleVectorInst& shuffle, const Lanes& result,
                            Register value) {
  const unsigned count = LaneCount(shuffle.getOperand(0)->getType());
  const Lanes sources[] = {LanesOf(shuffle.getOperand(0)), LanesOf(shuffle.getOperand(1))};
  const llvm::ArrayRef<int> mask = shuffle.getShuffleMask();
  for (unsigned i = 0; i < mask.size(); ++i) {
    if (mask[i] < 0) continue;
    const unsigned lane = static_cast<unsigned>(mask[i]);
    LoadLane(value, sources[lane / count], lane % count, /*is_signed=*/true);
    StoreLane(result, i, value);
  }
}

void Lowering::StoreLane(const Lanes& lanes, unsigned lane, Register value) {
  assembler_.Store(lanes.stride, lanes.mem.Plus(static_cast<int32_t>(lane * lanes.stride)), value);
}

void Lowering::SelectLanes(const llvm::SelectInst& select, const Lanes& result, Register value) {
  const Lanes condition = LanesOf(select.getCondition());
  const Lanes if_true = LanesOf(select.getTrueValue());
  const Lanes if_false = LanesOf(select.getFalseValue());
  for (unsigned i = 0; i < LaneCount(select.getType()); ++i) {
    LoadLane(value, if_false, i, true);
    LoadLane(architecture_.scratch, if_true, i, true);
    assembler_.AluMi(Alu::kCmp, 1, condition.mem.Plus(static_cast<int32_t>(i * condition.stride)),
                     0);
    assembler_.Select(Cond::kNe, 8, value, architecture_.scratch);
    StoreLane(result, i, value);
  }
}

void Lowering::ConvertLanes(const llvm::CastInst& cast, const Lanes& result, Register value) {
  const Lanes source = LanesOf(cast.getOperand(0));
  const bool to_mask = IsMask(cast.getDestTy());
  const bool is_zero_extended =
      cast.getOpcode() == Instruction::ZExt || cast.getOpcode() == Instruction::IntToPtr;
  const bool zero_of_mask = is_zero_extended && IsMask(cast.getSrcTy());
  for (unsigned i = 0; i < LaneCount(cast.getType()); ++i) {
    LoadLane(value, source, i, !is_zero_extended || IsMask(cast.getSrcTy()));
    if (zero_of_mask || to_mask) assembler_.AluRi(Alu::kAnd, 4, value, 1);
    if (to_mask) assembler_.Negate(8, value);
    StoreLane(result, i, value);
  }
}

// Combines the lanes of two operands: shifts, products, comparisons, minima and maxima.
void Lowering::CombineLanes(const llvm::Instruction& instruction, const Lanes& result,
                            Register value) {
  const unsigned opcode = instruction.getOpcode();
  const bool is_shift =
      opcode == Instruction::Shl || opcode == Instruction::LShr || opcode == Instruction::AShr;
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(&instruction);
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  const MinMax min_max = intrinsic == nullptr ? MinMax() : MinMaxOf(intrinsic->getIntrinsicID());
  const bool is_signed = opcode == Instruction::AShr || min_max.is_signed ||
                         (compare != nullptr && compare->isSigned());
  const bool is_masked = IsMask(instruction.getOperand(0)->getType());
  const Lanes left = LanesOf(instruction.getOperand(0));
  const Lanes right = LanesOf(instruction.getOperand(1));
  const Register other = is_shift && architecture_.shift_count != kNoRegister
                             ? architecture_.shift_count
                             : architecture_.scratch;
  for (unsigned i = 0; i < LaneCount(instruction.getType()); ++i) {
    LoadLane(value, left, i, is_signed || is_masked);
    LoadLane(other, right, i, is_signed || is_masked);
    if (compare != nullptr) {
      assembler_.AluRr(Alu::kCmp, 8, value, other);
      assembler_.Set(CondOf(compare->getPredicate()), value);
      assembler_.ZeroExtend(1, value, value);
      assembler_.Negate(8, value);
    } else if (intrinsic != nullptr) {
      assembler_.AluRr(Alu::kCmp, 8, value, other);
      assembler_.Select(min_max.takes_other, 8, value, other);
    } else if (is_shift) {
      assembler_.ShiftRr(opcode == Instruction::Shl    ? Shift::kShl
                         : opcode == Instruction::AShr ? Shift::kSar
                                                       : Shift::kShr,
                         8, value, other);
    } else {
      assembler_.MultiplyRr(8, value, other);
    }
    StoreLane(result, i, value);
  }
}

// One number of all lanes.
void Lowering::ReduceLanes(const llvm::IntrinsicInst& intrinsic, Register value) {
  if (IsMask(intrinsic.getArgOperand(0)->getType())) return ReduceMask(intrinsic);
  const Lanes lanes = LanesOf(intrinsic.getArgOperand(0));
  const unsigned count = LaneCount(intrinsic.getArgOperand(0)->getType());
  MinMax min_max;
  Alu alu = Alu::kAdd;
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::vector_reduce_add:
      break;
    case llvm::Intrinsic::vector_reduce_and:
      alu = Alu::kAnd;
      break;
    case llvm::Intrinsic::vector_reduce_or:
      alu = Alu::kOr;
      break;
    case llvm::Intrinsic::vector_reduce_xor:
      alu = Alu::kXor;
      break;
    default:
      alu = Alu::kCmp;
      min_max = MinMaxOf(intrinsic.getIntrinsicID());
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

void Lowering::ReduceMask(const llvm::IntrinsicInst& intrinsic) {
  const llvm::Value* vector = intrinsic.getArgOperand(0);
  const Register bits = MaskBits(vector);
  const bool is_and = intrinsic.getIntrinsicID() == llvm::Intrinsic::vector_reduce_and;
  assembler_.AluRi(Alu::kCmp, 4, bits, is_and ? (1 << LaneCount(vector->getType())) - 1 : 0);
  assembler_.Set(is_and ? Cond::kE : Cond::kNe, bits);
  DefineIn(intrinsic, bits);
}

void Lowering::SpreadMaskBits(const llvm::CastInst& cast, const Lanes& result, Register value) {
  const Register bits = In(cast.getOperand(0));
  for (unsigned i = 0; i < LaneCount(cast.getType()); ++i) {
    assembler_.Mov(4, value, bits);
    if (i != 0) assembler_.ShiftRi(Shift::kShr, 4, value, static_cast<uint8_t>(i));
    assembler_.AluRi(Alu::kAnd, 4, value, 1);
    assembler_.Negate(8, value);
    StoreLane(result, i, value);
  }
}

// Addresses lane by lane: the sum of a base and of indices times sizes, each of which is a vector
// or the same for all lanes.
void Lowering::ElementAddressLanes(const llvm::GetElementPtrInst& element, const Lanes& result,
                                   Register value) {
  struct Term {
    const llvm::Value* index;
    int32_t size;
    Lanes lanes;                      // Of a vector.
    Register extended = kNoRegister;  // Otherwise.
  };
  llvm::SmallVector<Term, 4> terms;
  int64_t distance = 0;
  for (auto it = llvm::gep_type_begin(element), end = llvm::gep_type_end(element); it != end;
       ++it) {
    const llvm::Value* index = it.getOperand();
    if (llvm::StructType* type = it.getStructTypeOrNull()) {
      const auto* field = llvm::cast<llvm::Constant>(index);
      if (field->getType()->isVectorTy()) field = field->getSplatValue();
      distance += layout_->getStructLayout(type)
                      ->getElementOffset(static_cast<unsigned>(
                          llvm::cast<llvm::ConstantInt>(field)->getZExtValue()))
                      .getFixedValue();
      continue;
    }
    const auto size = static_cast<int32_t>(it.getSequentialElementStride(*layout_).getFixedValue());
    Term term{index, size, {}};
    if (index->getType()->isVectorTy()) {
      term.lanes = LanesOf(index);
    } else {
      term.extended = InExtended(index, /*is_signed=*/true, 8);
    }
    terms.push_back(term);
  }
  const llvm::Value* base = element.getPointerOperand();
  const bool is_one_base = !base->getType()->isVectorTy();
  const Register one_base = is_one_base ? In(base) : kNoRegister;
  const Lanes bases = is_one_base ? Lanes() : LanesOf(base);
  for (unsigned i = 0; i < LaneCount(element.getType()); ++i) {
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
      assembler_.MovImmediate(architecture_.scratch, static_cast<uint64_t>(distance), true);
      assembler_.AluRr(Alu::kAdd, 8, value, architecture_.scratch);
    }
    StoreLane(result, i, value);
  }
}

// Between integers and floating point, and between floats and doubles. Integers go by way of 64
// bits.
void Lowering::ConvertFloatLanes(const llvm::CastInst& cast, const Lanes& result, Register value) {
  const Lanes source = LanesOf(cast.getOperand(0));
  const Register number = architecture_.vector_scratch;
  const bool to_double = cast.getDestTy()->getScalarType()->isDoubleTy();
  const bool from_double = cast.getSrcTy()->getScalarType()->isDoubleTy();
  for (unsigned i = 0; i < LaneCount(cast.getType()); ++i) {
    const Mem from = source.mem.Plus(static_cast<int32_t>(i * source.stride));
    switch (cast.getOpcode()) {
      case Instruction::SIToFP:
      case Instruction::UIToFP:
        LoadLane(value, source, i, cast.getOpcode() == Instruction::SIToFP);
        assembler_.IntegerToFloat(8, to_double, number, value);
        break;
      case Instruction::FPToSI:
      case Instruction::FPToUI:
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
