// Intrinsics.

#include "backend/baseline/library_functions.h"
#include "backend/baseline/lowering.h"

namespace firstcall::baseline {
namespace {

using ir::IntrinsicId;

// The largest of 16, 8, 4, 2, 1 that is at most `left`.
unsigned PieceOf(uint64_t left) {
  return left >= 16 ? 16 : left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
}

}  // namespace

void Lowering::LowerIntrinsic(const ir::Instruction& intrinsic) {
  switch (function_->IntrinsicOf(intrinsic)) {
    case IntrinsicId::kUaddWithOverflow:
    case IntrinsicId::kSaddWithOverflow:
    case IntrinsicId::kUsubWithOverflow:
    case IntrinsicId::kSsubWithOverflow:
    case IntrinsicId::kUmulWithOverflow:
    case IntrinsicId::kSmulWithOverflow:
      return LowerOverflow(intrinsic);
    case IntrinsicId::kMemcpy:
    case IntrinsicId::kMemcpyInline:
    case IntrinsicId::kMemmove:
      return LowerMemoryTransfer(intrinsic);
    case IntrinsicId::kMemset:
    case IntrinsicId::kMemsetInline:
      return LowerMemorySet(intrinsic);
    case IntrinsicId::kSmax:
    case IntrinsicId::kSmin:
    case IntrinsicId::kUmax:
    case IntrinsicId::kUmin:
      if (intrinsic.type->IsVector()) return LowerLanes(intrinsic);
      return LowerMinMax(intrinsic);
    case IntrinsicId::kAbs:
      return LowerAbs(intrinsic);
    case IntrinsicId::kCtpop:
    case IntrinsicId::kCtlz:
    case IntrinsicId::kCttz:
      return LowerBitCount(intrinsic);
    case IntrinsicId::kBswap:
      return LowerByteSwap(intrinsic);
    case IntrinsicId::kFshl:
    case IntrinsicId::kFshr:
      return LowerFunnelShift(intrinsic);
    case IntrinsicId::kUaddSat:
    case IntrinsicId::kUsubSat:
    case IntrinsicId::kSaddSat:
    case IntrinsicId::kSsubSat:
      return LowerSaturating(intrinsic);
    case IntrinsicId::kExpect:
    case IntrinsicId::kExpectWithProbability:
    case IntrinsicId::kLaunderInvariantGroup:
    case IntrinsicId::kStripInvariantGroup:
      DefineFrom(intrinsic, OperandAt(intrinsic, 0));
      return;
    case IntrinsicId::kPtrmask: {
      const Register mask = In(OperandAt(intrinsic, 1));
      return assembler_.AluRr(Alu::kAnd, 8, DefineFrom(intrinsic, OperandAt(intrinsic, 0)), mask);
    }
    case IntrinsicId::kTrap:
    case IntrinsicId::kUbsantrap:
      return assembler_.Trap();
    case IntrinsicId::kDebugtrap:
      return assembler_.Breakpoint();
    case IntrinsicId::kStacksave:
      return assembler_.Mov(8, Define(intrinsic), architecture_.stack_pointer);
    case IntrinsicId::kStackrestore:
      return assembler_.Mov(8, architecture_.stack_pointer, In(OperandAt(intrinsic, 0)));
    case IntrinsicId::kFrameaddress:
      return assembler_.Mov(8, Define(intrinsic), architecture_.frame_pointer);
    case IntrinsicId::kReturnaddress:
      return assembler_.Load(8, Define(intrinsic), frame_.At(8));
    case IntrinsicId::kVaStart:
      return LowerVariadicStart(intrinsic);
    case IntrinsicId::kVaCopy:
      return LowerVariadicCopy(intrinsic);
    case IntrinsicId::kVectorReduceAdd:
    case IntrinsicId::kVectorReduceAnd:
    case IntrinsicId::kVectorReduceOr:
    case IntrinsicId::kVectorReduceXor:
    case IntrinsicId::kVectorReduceSmax:
    case IntrinsicId::kVectorReduceSmin:
    case IntrinsicId::kVectorReduceUmax:
    case IntrinsicId::kVectorReduceUmin:
      return LowerLanes(intrinsic);
    case IntrinsicId::kThreadlocalAddress:
      return LowerThreadLocalAddress(intrinsic);
    case IntrinsicId::kEhTypeidFor:
      return LowerTypeNumber(intrinsic);
    case IntrinsicId::kLoadRelative: {
      const Register base = In(OperandAt(intrinsic, 0));
      const Register offset = InExtended(OperandAt(intrinsic, 1), true, 8);
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

void Lowering::LowerMemoryTransfer(const ir::Instruction& transfer) {
  const ir::Operand to_pointer = OperandAt(transfer, 0), from_pointer = OperandAt(transfer, 1);
  const ir::Operand length = OperandAt(transfer, 2);
  if (!IsMadeInLine(*function_, transfer)) {
    const bool is_move = function_->IntrinsicOf(transfer) == IntrinsicId::kMemmove;
    return CallLibrary(is_move ? "memmove" : "memcpy", transfer,
                       {to_pointer, from_pointer, length});
  }
  const uint64_t size = ConstantOf(length)->LimitedTo(UINT64_MAX);
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

void Lowering::LowerMemorySet(const ir::Instruction& set) {
  const ir::Operand pointer = OperandAt(set, 0), value = OperandAt(set, 1);
  const ir::Operand length = OperandAt(set, 2);
  if (!IsMadeInLine(*function_, set)) return CallLibrary("memset", set, {pointer, value, length});
  const uint64_t size = ConstantOf(length)->LimitedTo(UINT64_MAX);
  if (size == 0) return;
  const uint64_t byte = ConstantOf(value)->unsigned_bits() * 0x0101010101010101u;
  const Mem to = AddressOf(pointer);
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

void Lowering::LowerMinMax(const ir::Instruction& intrinsic) {
  const unsigned bytes = BitsOf(intrinsic.type) / 8;
  Cond keeps_left = Cond::kG;
  switch (function_->IntrinsicOf(intrinsic)) {
    case IntrinsicId::kSmax:
      break;
    case IntrinsicId::kSmin:
      keeps_left = Cond::kL;
      break;
    case IntrinsicId::kUmax:
      keeps_left = Cond::kA;
      break;
    default:
      keeps_left = Cond::kB;
      break;
  }
  if (bytes < 4 && !architecture_.has_narrow_operations) {
    const bool is_signed = keeps_left == Cond::kG || keeps_left == Cond::kL;
    const Register left = InExtended(OperandAt(intrinsic, 0), is_signed, 4);
    const Register right = InExtended(OperandAt(intrinsic, 1), is_signed, 4);
    const Register dst = Define(intrinsic);
    assembler_.AluRr(Alu::kCmp, 4, left, right);
    assembler_.Mov(4, dst, left);
    return assembler_.Select(Negate(keeps_left), 4, dst, right);
  }
  const Register right = In(OperandAt(intrinsic, 1));
  const Register dst = DefineFrom(intrinsic, OperandAt(intrinsic, 0));
  assembler_.AluRr(Alu::kCmp, bytes, dst, right);
  assembler_.Select(Negate(keeps_left), bytes == 8 ? 8 : 4, dst, right);
}

void Lowering::LowerAbs(const ir::Instruction& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.type);
  const unsigned bytes = OperationBytes(bits);
  const Register source = InExtended(OperandAt(intrinsic, 0), true, bytes);
  const Register dst = Define(intrinsic);
  assembler_.Mov(8, dst, source);
  assembler_.Negate(bytes, dst);
  assembler_.Select(Cond::kS, bytes, dst, source);
}

void Lowering::LowerByteSwap(const ir::Instruction& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.type);
  const unsigned bytes = OperationBytes(bits);
  const Register dst = DefineFrom(intrinsic, OperandAt(intrinsic, 0));
  assembler_.SwapBytes(bytes, dst);
  if (bits != bytes * 8) assembler_.ShiftRi(Shift::kShr, bytes, dst, bytes * 8 - bits);
}

void Lowering::CallMathFunction(const ir::Instruction& intrinsic) {
  const char* name = MathFunctionOf(function_->IntrinsicOf(intrinsic), *TypeAt(intrinsic, 0));
  switch (function_->CallOf(intrinsic).argument_count) {
    case 1:
      return CallLibrary(name, intrinsic, {OperandAt(intrinsic, 0)});
    case 2:
      return CallLibrary(name, intrinsic, {OperandAt(intrinsic, 0), OperandAt(intrinsic, 1)});
    default:
      return CallLibrary(
          name, intrinsic,
          {OperandAt(intrinsic, 0), OperandAt(intrinsic, 1), OperandAt(intrinsic, 2)});
  }
}

void Lowering::LowerVariadicCopy(const ir::Instruction& intrinsic) {
  const Mem to = AddressOf(OperandAt(intrinsic, 0));
  CopyBytes(to, AddressOf(OperandAt(intrinsic, 1)), architecture_.variadic_list_bytes);
}

void Lowering::LowerThreadLocalAddress(const ir::Instruction& intrinsic) {
  const ir::Global* variable = function_->GlobalOf(OperandAt(intrinsic, 0));
  PrepareCall(intrinsic);
  assembler_.Load(8, architecture_.convention.general[0], LiteralOf(ControlSymbolOf(variable)));
  Callee callee;
  callee.library_function = "__emutls_get_address";
  EmitCall(callee, ArgumentPlaces(architecture_.convention));
  DefineResults(intrinsic);
}

}  // namespace firstcall::baseline
