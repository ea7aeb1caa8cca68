// Intrinsics.

#include "backend/baseline/library_functions.h"
#include "backend/baseline/lowering.h"

namespace firstcall::baseline {
namespace {

// The largest of 16, 8, 4, 2, 1 that is at most `left`.
unsigned PieceOf(uint64_t left) {
  return left >= 16 ? 16 : left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

}  // namespace

void Lowering::LowerIntrinsic(const llvm::IntrinsicInst& intrinsic) {
  if (const auto* overflow = llvm::dyn_cast<llvm::WithOverflowInst>(&intrinsic)) {
    return LowerOverflow(*overflow);
  }
  switch (intrinsic.getIntrinsicID()) {
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
      return LowerSaturating(llvm::cast<llvm::SaturatingInst>(intrinsic));
    case llvm::Intrinsic::expect:
    case llvm::Intrinsic::expect_with_probability:
    case llvm::Intrinsic::launder_invariant_group:
    case llvm::Intrinsic::strip_invariant_group:
      DefineFrom(intrinsic, intrinsic.getArgOperand(0));
      return;
    case llvm::Intrinsic::ptrmask: {
      const Register mask = In(intrinsic.getArgOperand(1));
      return assembler_.AluRr(Alu::kAnd, 8, DefineFrom(intrinsic, intrinsic.getArgOperand(0)),
                              mask);
    }
    case llvm::Intrinsic::trap:
    case llvm::Intrinsic::ubsantrap:
      return assembler_.Trap();
    case llvm::Intrinsic::debugtrap:
      return assembler_.Breakpoint();
    case llvm::Intrinsic::stacksave:
      return assembler_.Mov(8, Define(intrinsic), architecture_.stack_pointer);
    case llvm::Intrinsic::stackrestore:
      return assembler_.Mov(8, architecture_.stack_pointer, In(intrinsic.getArgOperand(0)));
    case llvm::Intrinsic::frameaddress:
      return assembler_.Mov(8, Define(intrinsic), architecture_.frame_pointer);
    case llvm::Intrinsic::returnaddress:
      return assembler_.Load(8, Define(intrinsic), frame_.At(8));
    case llvm::Intrinsic::vastart:
      return LowerVariadicStart(intrinsic);
    case llvm::Intrinsic::vacopy:
      return LowerVariadicCopy(intrinsic);
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
      // First, because what gives way may be stored by way of the scratch register.
      const Register dst = Define(intrinsic);
      assembler_.LoadSigned(4, 8, architecture_.scratch, mem);
      assembler_.Mov(8, dst, base);
      return assembler_.AluRr(Alu::kAdd, 8, dst, architecture_.scratch);
    }
    default:
      if (!EmitFloatIntrinsic(intrinsic)) CallMathFunction(intrinsic);
      return;
  }
}

void Lowering::LowerMemoryTransfer(const llvm::MemTransferInst& transfer) {
  const llvm::Value* to_pointer = transfer.getRawDest();
  const llvm::Value* from_pointer = transfer.getRawSource();
  if (!IsMadeInLine(transfer)) {
    const char* name = transfer.getIntrinsicID() == llvm::Intrinsic::memmove ? "memmove" : "memcpy";
    return CallLibrary(name, transfer, {to_pointer, from_pointer, transfer.getLength()});
  }
  const uint64_t size = llvm::cast<llvm::ConstantInt>(transfer.getLength())->getZExtValue();
  constexpr uint64_t kMostUnrolled = 256;
  if (size > kMostUnrolled) return CopyBlock(to_pointer, Mem(), from_pointer, size);
  const Mem to = AddressOf(to_pointer);
  CopyBytes(to, AddressOf(from_pointer), size);
}

void Lowering::CopyBytes(const Mem& to, const Mem& from, uint64_t size) {
  for (uint64_t done = 0; done < size;) {
    const unsigned piece = PieceOf(size - done);
    const int32_t at = static_cast<int32_t>(done);
    if (piece == 16) {
      assembler_.VectorLoad(16, architecture_.vector_scratch, from.Plus(at));
      assembler_.VectorStore(16, to.Plus(at), architecture_.vector_scratch);
    } else {
      assembler_.Load(piece, architecture_.scratch, from.Plus(at));
      assembler_.Store(piece, to.Plus(at), architecture_.scratch);
    }
    done += piece;
  }
}

void Lowering::LowerMemorySet(const llvm::MemSetInst& set) {
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
    MaterializeBits(architecture_.vector_scratch, pattern, 16);
  }
  const bool is_small = static_cast<int64_t>(byte) == static_cast<int32_t>(byte);
  if (size % 16 >= 8 && !is_small) assembler_.MovImmediate(architecture_.scratch, byte, true);
  for (uint64_t done = 0; done < size;) {
    const unsigned piece = PieceOf(size - done);
    const Mem at = to.Plus(static_cast<int32_t>(done));
    if (piece == 16) {
      assembler_.VectorStore(16, at, architecture_.vector_scratch);
    } else if (piece == 8 && !is_small) {
      assembler_.Store(8, at, architecture_.scratch);
    } else {
      assembler_.StoreImmediate(piece, at, static_cast<int32_t>(byte));
    }
    done += piece;
  }
}

void Lowering::LowerMinMax(const llvm::IntrinsicInst& intrinsic) {
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
  if (bytes < 4 && !architecture_.has_narrow_operations) {
    const bool is_signed = keeps_left == Cond::kG || keeps_left == Cond::kL;
    const Register left = InExtended(intrinsic.getArgOperand(0), is_signed, 4);
    const Register right = InExtended(intrinsic.getArgOperand(1), is_signed, 4);
    const Register dst = Define(intrinsic);
    assembler_.AluRr(Alu::kCmp, 4, left, right);
    assembler_.Mov(4, dst, left);
    return assembler_.Select(Negate(keeps_left), 4, dst, right);
  }
  const Register right = In(intrinsic.getArgOperand(1));
  const Register dst = DefineFrom(intrinsic, intrinsic.getArgOperand(0));
  assembler_.AluRr(Alu::kCmp, bytes, dst, right);
  assembler_.Select(Negate(keeps_left), bytes == 8 ? 8 : 4, dst, right);
}

void Lowering::LowerAbs(const llvm::IntrinsicInst& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.getType());
  const unsigned bytes = OperationBytes(bits);
  const Register source = InExtended(intrinsic.getArgOperand(0), true, bytes);
  const Register dst = Define(intrinsic);
  assembler_.Mov(8, dst, source);
  assembler_.Negate(bytes, dst);
  assembler_.Select(Cond::kS, bytes, dst, source);
}

void Lowering::LowerByteSwap(const llvm::IntrinsicInst& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.getType());
  const unsigned bytes = OperationBytes(bits);
  const Register dst = DefineFrom(intrinsic, intrinsic.getArgOperand(0));
  assembler_.SwapBytes(bytes, dst);
  if (bits != bytes * 8) assembler_.ShiftRi(Shift::kShr, bytes, dst, bytes * 8 - bits);
}

void Lowering::CallMathFunction(const llvm::IntrinsicInst& intrinsic) {
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

void Lowering::LowerVariadicCopy(const llvm::IntrinsicInst& intrinsic) {
  const Mem to = AddressOf(intrinsic.getArgOperand(0));
  CopyBytes(to, AddressOf(intrinsic.getArgOperand(1)), architecture_.variadic_list_bytes);
}

void Lowering::LowerThreadLocalAddress(const llvm::IntrinsicInst& intrinsic) {
  const auto* variable = llvm::cast<llvm::GlobalValue>(intrinsic.getArgOperand(0));
  PrepareCall(intrinsic);
  assembler_.Load(8, architecture_.convention.general[0], LiteralOf(ControlSymbolOf(variable)));
  Callee callee;
  callee.library_function = "__emutls_get_address";
  EmitCall(callee, ArgumentPlaces(architecture_.convention));
  DefineResults(intrinsic);
}

}  // namespace firstcall::baseline
