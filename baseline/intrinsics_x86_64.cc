// Intrinsics.

#include "baseline/library_functions.h"
#include "baseline/lowering_x86_64.h"

namespace firstcall::baseline {
namespace {

using llvm::Intrinsic::ID;

// The largest of 16, 8, 4, 2, 1 that is at most `left`.
unsigned PieceOf(uint64_t left) {
  return left >= 16 ? 16 : left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

}  // namespace

void LoweringX86_64::LowerIntrinsic(const llvm::IntrinsicInst& intrinsic) {
  if (const auto* overflow = llvm::dyn_cast<llvm::WithOverflowInst>(&intrinsic)) {
    return LowerOverflow(*overflow);
  }
  switch (const ID id = intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::memcpy:
    case llvm::Intrinsic::memcpy_inline:
    case llvm::Intrinsic::memmove:
      return LowerMemoryTransfer(llvm::cast<llvm::MemTransferInst>(intrinsic));
    case llvm::Intrinsic::memset:
    case llvm::Intrinsic::memset_inline:
      return LowerMemorySet(llvm::cast<llvm::MemSetInst>(intrinsic));
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::umin:
      if (intrinsic.getType()->isVectorTy()) return LowerLanes(intrinsic);
      return LowerMinMax(intrinsic);
    case llvm::Intrinsic::abs:
      return LowerAbs(intrinsic);
    case llvm::Intrinsic::ctpop:
    case llvm::Intrinsic::ctlz:
    case llvm::Intrinsic::cttz:
      return LowerBitCount(intrinsic);
    case llvm::Intrinsic::bswap:
      return LowerByteSwap(intrinsic);
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr:
      return LowerFunnelShift(intrinsic);
    case llvm::Intrinsic::uadd_sat:
    case llvm::Intrinsic::usub_sat:
    case llvm::Intrinsic::sadd_sat:
    case llvm::Intrinsic::ssub_sat:
      return LowerSaturating(intrinsic);
    case llvm::Intrinsic::expect:
    case llvm::Intrinsic::expect_with_probability:
    case llvm::Intrinsic::launder_invariant_group:
    case llvm::Intrinsic::strip_invariant_group:
    case llvm::Intrinsic::ssa_copy:
      DefineFrom(intrinsic, intrinsic.getArgOperand(0));
      return;
    case llvm::Intrinsic::is_constant:
      return assembler_.MovImmediate(Define(intrinsic), 0, true);
    case llvm::Intrinsic::objectsize: {
      const bool is_least = llvm::cast<llvm::ConstantInt>(intrinsic.getArgOperand(1))->isOne();
      return assembler_.MovImmediate(Define(intrinsic), is_least ? 0 : ~uint64_t{0}, true);
    }
    case llvm::Intrinsic::ptrmask: {
      const Register mask = In(intrinsic.getArgOperand(1));
      return assembler_.AluRr(Alu::kAnd, 8, DefineFrom(intrinsic, intrinsic.getArgOperand(0)),
                              mask);
    }
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::ubsantrap:
      return assembler_.Ud2();
    case llvm::Intrinsic::debugtrap:
      return assembler_.Int3();
    case llvm::Intrinsic::stacksave:
      return assembler_.Mov(8, Define(intrinsic), kRsp);
    case llvm::Intrinsic::stackrestore:
      return assembler_.Mov(8, kRsp, In(intrinsic.getArgOperand(0)));
    case llvm::Intrinsic::frameaddress:
      return assembler_.Mov(8, Define(intrinsic), kRbp);
    case llvm::Intrinsic::returnaddress:
      return assembler_.Load(8, Define(intrinsic), Mem::At(kRbp, 8));
    case llvm::Intrinsic::vastart:
      return LowerVariadicStart(intrinsic);
    case llvm::Intrinsic::vacopy: {
      const Mem to = AddressOf(intrinsic.getArgOperand(0));
      const Mem from = AddressOf(intrinsic.getArgOperand(1));
      assembler_.VectorLoad(16, kVectorScratch, from);
      assembler_.Load(8, kScratch, from.Plus(16));
      assembler_.VectorStore(16, to, kVectorScratch);
      return assembler_.Store(8, to.Plus(16), kScratch);
    }
    case llvm::Intrinsic::vector_reduce_add:
    case llvm::Intrinsic::vector_reduce_and:
    case llvm::Intrinsic::vector_reduce_or:
    case llvm::Intrinsic::vector_reduce_xor:
    case llvm::Intrinsic::vector_reduce_smax:
    case llvm::Intrinsic::vector_reduce_smin:
    case llvm::Intrinsic::vector_reduce_umax:
    case llvm::Intrinsic::vector_reduce_umin:
      return LowerLanes(intrinsic);
    case llvm::Intrinsic::threadlocal_address:
      return LowerThreadLocalAddress(intrinsic);
    case llvm::Intrinsic::eh_typeid_for:
      return LowerTypeNumber(intrinsic);
    case llvm::Intrinsic::load_relative: {
      const Register base = In(intrinsic.getArgOperand(0));
      const Register offset = InExtended(intrinsic.getArgOperand(1), true, 8);
      Mem mem = Mem::At(base);
      mem.index = offset;
      assembler_.LoadSigned(4, 8, kScratch, mem);
      const Register dst = Define(intrinsic);
      assembler_.Mov(8, dst, base);
      return assembler_.AluRr(Alu::kAdd, 8, dst, kScratch);
    }
    default:
      (void)id;
      return LowerFloatIntrinsic(intrinsic);
  }
}

void LoweringX86_64::LowerMemoryTransfer(const llvm::MemTransferInst& transfer) {
  const llvm::Value* to_pointer = transfer.getRawDest();
  const llvm::Value* from_pointer = transfer.getRawSource();
  if (!IsMadeInLine(transfer)) {
    const char* name = transfer.getIntrinsicID() == llvm::Intrinsic::memmove ? "memmove" : "memcpy";
    return CallLibrary(name, transfer, {to_pointer, from_pointer, transfer.getLength()});
  }
  const uint64_t size = llvm::cast<llvm::ConstantInt>(transfer.getLength())->getZExtValue();
  if (size > 256) {
    locations_.Claim(kRcx);
    Claim(kRdi, to_pointer);
    Claim(kRsi, from_pointer);
    assembler_.MovImmediate(kRcx, size, true);
    assembler_.RepMovsb();
    return;
  }
  const Mem to = AddressOf(to_pointer);
  const Mem from = AddressOf(from_pointer);
  for (uint64_t done = 0; done < size;) {
    const unsigned piece = PieceOf(size - done);
    const int32_t at = static_cast<int32_t>(done);
    if (piece == 16) {
      assembler_.VectorLoad(16, kVectorScratch, from.Plus(at));
      assembler_.VectorStore(16, to.Plus(at), kVectorScratch);
    } else {
      assembler_.Load(piece, kScratch, from.Plus(at));
      assembler_.Store(piece, to.Plus(at), kScratch);
    }
    done += piece;
  }
}

void LoweringX86_64::LowerMemorySet(const llvm::MemSetInst& set) {
  if (!IsMadeInLine(set)) {
    return CallLibrary("memset", set, {set.getRawDest(), set.getValue(), set.getLength()});
  }
  const uint64_t size = llvm::cast<llvm::ConstantInt>(set.getLength())->getZExtValue();
  if (size == 0) return;
  const uint64_t byte =
      llvm::cast<llvm::ConstantInt>(set.getValue())->getZExtValue() * 0x0101010101010101u;
  const Mem to = AddressOf(set.getRawDest());
  if (size >= 16) {
    ConstantPart pattern;
    pattern.low = pattern.high = byte;
    MaterializeBits(kVectorScratch, pattern, 16);
  }
  const bool is_small = static_cast<int64_t>(byte) == static_cast<int32_t>(byte);
  if (size % 16 >= 8 && !is_small) assembler_.MovImmediate(kScratch, byte, true);
  for (uint64_t done = 0; done < size;) {
    const unsigned piece = PieceOf(size - done);
    const Mem at = to.Plus(static_cast<int32_t>(done));
    if (piece == 16) {
      assembler_.VectorStore(16, at, kVectorScratch);
    } else if (piece == 8 && !is_small) {
      assembler_.Store(8, at, kScratch);
    } else {
      assembler_.StoreImmediate(piece, at, static_cast<int32_t>(byte));
    }
    done += piece;
  }
}

void LoweringX86_64::LowerOverflow(const llvm::WithOverflowInst& intrinsic) {
  const llvm::Value* left = intrinsic.getLHS();
  const llvm::Value* right = intrinsic.getRHS();
  const unsigned bits = BitsOf(left->getType());
  const unsigned bytes = bits / 8;
  const llvm::Instruction::BinaryOps operation = intrinsic.getBinaryOp();
  Cond cond = intrinsic.isSigned() ? Cond::kO : Cond::kB;
  if (bits == 128) {
    const Register right_low = In(right, 0), right_high = In(right, 1);
    const Register low = DefineFrom(intrinsic, left, 0, 0);
    const Register high = DefineFrom(intrinsic, left, 1, 1);
    const bool is_add = operation == llvm::Instruction::Add;
    assembler_.AluRr(is_add ? Alu::kAdd : Alu::kSub, 8, low, right_low);
    assembler_.AluRr(is_add ? Alu::kAdc : Alu::kSbb, 8, high, right_high);
    assembler_.Setcc(cond, kScratch);
    locations_.Unpin();
    assembler_.Mov(4, Define(intrinsic, 2), kScratch);
    return;
  }
  if (operation == llvm::Instruction::Mul && (!intrinsic.isSigned() || bytes == 1)) {
    locations_.Claim(kRdx);
    Claim(kRax, left);
    const Register source = In(right);
    assembler_.UnaryR(intrinsic.isSigned() ? Unary::kImul : Unary::kMul, bytes, source);
    assembler_.Setcc(Cond::kO, kScratch);
    DefineIn(intrinsic, kRax, 0);
  } else if (operation == llvm::Instruction::Mul) {
    const Register source = In(right);
    const Register dst = DefineFrom(intrinsic, left, 0, 0);
    assembler_.ImulRr(bytes, dst, source);
    assembler_.Setcc(Cond::kO, kScratch);
  } else {
    const ArithmeticOperand source = OperandOf(right, bytes);
    const Register dst = DefineFrom(intrinsic, left, 0, 0);
    EmitAlu(operation == llvm::Instruction::Add ? Alu::kAdd : Alu::kSub, bytes, dst, source);
    assembler_.Setcc(cond, kScratch);
  }
  locations_.Unpin();
  assembler_.Mov(4, Define(intrinsic, 1), kScratch);
}

void LoweringX86_64::LowerMinMax(const llvm::IntrinsicInst& intrinsic) {
  const unsigned bytes = BitsOf(intrinsic.getType()) / 8;
  Cond keeps_left = Cond::kG;
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::smax:
      break;
    case llvm::Intrinsic::smin:
      keeps_left = Cond::kL;
      break;
    case llvm::Intrinsic::umax:
      keeps_left = Cond::kA;
      break;
    default:
      keeps_left = Cond::kB;
      break;
  }
  const Register right = In(intrinsic.getArgOperand(1));
  const Register dst = DefineFrom(intrinsic, intrinsic.getArgOperand(0));
  assembler_.AluRr(Alu::kCmp, bytes, dst, right);
  assembler_.Cmov(Negate(keeps_left), bytes == 8 ? 8 : 4, dst, right);
}

void LoweringX86_64::LowerAbs(const llvm::IntrinsicInst& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.getType());
  const unsigned bytes = OperationBytes(bits);
  const Register source = InExtended(intrinsic.getArgOperand(0), true, bytes);
  const Register dst = Define(intrinsic);
  assembler_.Mov(8, dst, source);
  assembler_.UnaryR(Unary::kNeg, bytes, dst);
  assembler_.Cmov(Cond::kS, bytes, dst, source);
}

void LoweringX86_64::LowerBitCount(const llvm::IntrinsicInst& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.getType());
  const unsigned bytes = OperationBytes(bits);
  const Register source = InExtended(intrinsic.getArgOperand(0), false, bytes);
  const Register dst = Define(intrinsic);
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::ctpop:
      return assembler_.Rr(AssemblerX86_64::Wide(op::kPopcnt, bytes), dst, source);
    case llvm::Intrinsic::ctlz:
      // BSR finds the highest bit, or sets Z; the count of zero is the width.
      assembler_.MovImmediate(kScratch, ~uint64_t{0}, false);
      assembler_.Rr(AssemblerX86_64::Wide(op::kBsr, bytes), dst, source);
      assembler_.Cmov(Cond::kE, bytes, dst, kScratch);
      assembler_.UnaryR(Unary::kNeg, bytes, dst);
      return assembler_.AluRi(Alu::kAdd, bytes, dst, static_cast<int32_t>(bits) - 1);
    default:
      assembler_.MovImmediate(kScratch, bits, false);
      assembler_.Rr(AssemblerX86_64::Wide(op::kBsf, bytes), dst, source);
      return assembler_.Cmov(Cond::kE, bytes, dst, kScratch);
  }
}

void LoweringX86_64::LowerByteSwap(const llvm::IntrinsicInst& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.getType());
  const unsigned bytes = OperationBytes(bits);
  const Register dst = DefineFrom(intrinsic, intrinsic.getArgOperand(0));
  assembler_.Bswap(bytes, dst);
  if (bits != bytes * 8) assembler_.ShiftRi(Shift::kShr, bytes, dst, bytes * 8 - bits);
}

void LoweringX86_64::LowerFunnelShift(const llvm::IntrinsicInst& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.getType());
  const unsigned bytes = bits / 8;
  const bool is_left = intrinsic.getIntrinsicID() == llvm::Intrinsic::fshl;
  const llvm::Value* high = intrinsic.getArgOperand(0);
  const llvm::Value* low = intrinsic.getArgOperand(1);
  const llvm::Value* count = intrinsic.getArgOperand(2);
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(count);
  const uint8_t distance =
      constant == nullptr ? 0 : static_cast<uint8_t>(constant->getValue().urem(bits));
  if (constant == nullptr) Claim(kRcx, count);
  if (high == low) {
    const Register dst = DefineFrom(intrinsic, high);
    const Shift rotate = is_left ? Shift::kRol : Shift::kRor;
    if (constant == nullptr) {
      assembler_.ShiftRcl(rotate, bytes, dst);
    } else if (distance != 0) {
      assembler_.ShiftRi(rotate, bytes, dst, distance);
    }
    return;
  }
  if (bytes >= 4) {
    const Register other = In(is_left ? low : high);
    const Register dst = DefineFrom(intrinsic, is_left ? high : low);
    if (constant == nullptr) {
      is_left ? assembler_.ShldCl(bytes, dst, other) : assembler_.ShrdCl(bytes, dst, other);
    } else if (distance != 0) {
      is_left ? assembler_.Shld(bytes, dst, other, distance)
              : assembler_.Shrd(bytes, dst, other, distance);
    }
    return;
  }
  // Both in one register of 32 bits.
  const Register extended = InExtended(low, false, 4);
  const Register dst = DefineFrom(intrinsic, high);
  assembler_.ShiftRi(Shift::kShl, 4, dst, bits);
  assembler_.AluRr(Alu::kOr, 4, dst, extended);
  const Shift shift = is_left ? Shift::kShl : Shift::kShr;
  if (constant == nullptr) {
    assembler_.AluRi(Alu::kAnd, 4, kRcx, static_cast<int32_t>(bits) - 1);
    assembler_.ShiftRcl(shift, 4, dst);
  } else if (distance != 0) {
    assembler_.ShiftRi(shift, 4, dst, distance);
  }
  if (is_left) assembler_.ShiftRi(Shift::kShr, 4, dst, bits);
}

void LoweringX86_64::LowerSaturating(const llvm::IntrinsicInst& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.getType());
  const unsigned bytes = bits / 8, operation_bytes = OperationBytes(bits);
  const ID id = intrinsic.getIntrinsicID();
  const bool is_add = id == llvm::Intrinsic::uadd_sat || id == llvm::Intrinsic::sadd_sat;
  const bool is_signed = id == llvm::Intrinsic::sadd_sat || id == llvm::Intrinsic::ssub_sat;
  const Register right = In(intrinsic.getArgOperand(1));
  const Register limit = locations_.Temporary(false);
  const Register dst = DefineFrom(intrinsic, intrinsic.getArgOperand(0));
  if (is_signed) {
    // The highest number, or the lowest if the left operand is negative.
    Extend(limit, dst, bits, true, operation_bytes);
    assembler_.ShiftRi(Shift::kSar, operation_bytes, limit, operation_bytes * 8 - 1);
    assembler_.MovImmediate(kScratch, (uint64_t{1} << (bits - 1)) - 1, true);
    assembler_.AluRr(Alu::kXor, operation_bytes, limit, kScratch);
  } else {
    assembler_.MovImmediate(limit, is_add ? ~uint64_t{0} : 0, true);
  }
  assembler_.AluRr(is_add ? Alu::kAdd : Alu::kSub, bytes, dst, right);
  assembler_.Cmov(is_signed ? Cond::kO : Cond::kB, operation_bytes, dst, limit);
}

void LoweringX86_64::LowerFloatIntrinsic(const llvm::IntrinsicInst& intrinsic) {
  const llvm::Type* type = intrinsic.getType();
  const bool is_double = type->isDoubleTy();
  switch (intrinsic.getIntrinsicID()) {
    case llvm::Intrinsic::fabs:
      return assembler_.Rm(op::kAndps, DefineFrom(intrinsic, intrinsic.getArgOperand(0)),
                           FloatMask(type, /*sign_only=*/false));
    case llvm::Intrinsic::copysign: {
      assembler_.VectorMov(kVectorScratch, In(intrinsic.getArgOperand(1)));
      assembler_.Rm(op::kAndps, kVectorScratch, FloatMask(type, true));
      const Register dst = DefineFrom(intrinsic, intrinsic.getArgOperand(0));
      assembler_.Rm(op::kAndps, dst, FloatMask(type, false));
      return assembler_.Rr(op::kOrps, dst, kVectorScratch);
    }
    case llvm::Intrinsic::sqrt: {
      const Register source = In(intrinsic.getArgOperand(0));
      return assembler_.Rr(op::Scalar(op::kSqrtF, is_double), Define(intrinsic), source);
    }
    case llvm::Intrinsic::fmuladd: {
      const Register factor = In(intrinsic.getArgOperand(1));
      const Register summand = In(intrinsic.getArgOperand(2));
      const Register dst = DefineFrom(intrinsic, intrinsic.getArgOperand(0));
      assembler_.Rr(op::Scalar(op::kMulF, is_double), dst, factor);
      return assembler_.Rr(op::Scalar(op::kAddF, is_double), dst, summand);
    }
    default:
      break;
  }
  const int mode = RoundingModeOf(intrinsic.getIntrinsicID());
  if (mode >= 0 && options_.has_sse41) return LowerRounding(intrinsic, mode);
  const char* name = MathFunctionOf(intrinsic);
  switch (intrinsic.arg_size()) {
    case 1:
      return CallLibrary(name, intrinsic, {intrinsic.getArgOperand(0)});
    case 2:
      return CallLibrary(name, intrinsic, {intrinsic.getArgOperand(0), intrinsic.getArgOperand(1)});
    default:
      return CallLibrary(
          name, intrinsic,
          {intrinsic.getArgOperand(0), intrinsic.getArgOperand(1), intrinsic.getArgOperand(2)});
  }
}

void LoweringX86_64::LowerRounding(const llvm::IntrinsicInst& intrinsic, unsigned mode) {
  const Register source = In(intrinsic.getArgOperand(0));
  assembler_.RrI(intrinsic.getType()->isDoubleTy() ? op::kRoundsd : op::kRoundss, Define(intrinsic),
                 source, static_cast<uint8_t>(mode));
}

// The psABI's va_list, 3.5.7.
void LoweringX86_64::LowerVariadicStart(const llvm::IntrinsicInst& intrinsic) {
  const Mem list = AddressOf(intrinsic.getArgOperand(0));
  assembler_.StoreImmediate(4, list, static_cast<int32_t>(8 * named_general_));
  assembler_.StoreImmediate(4, list.Plus(4), static_cast<int32_t>(48 + 16 * named_vectors_));
  assembler_.Lea(kScratch, Mem::At(kRbp, 16 + named_stack_));
  assembler_.Store(8, list.Plus(8), kScratch);
  assembler_.Lea(kScratch, Mem::At(kRbp, register_save_area_));
  assembler_.Store(8, list.Plus(16), kScratch);
}

void LoweringX86_64::LowerThreadLocalAddress(const llvm::IntrinsicInst& intrinsic) {
  const auto* variable = llvm::cast<llvm::GlobalValue>(intrinsic.getArgOperand(0));
  PrepareCall(intrinsic);
  assembler_.Load(8, kRdi, LiteralOf(ControlSymbolOf(variable)));
  Callee callee;
  callee.library_function = "__emutls_get_address";
  EmitCall(callee, ArgumentPlaces());
  DefineResults(intrinsic);
}

}  // namespace firstcall::baseline
