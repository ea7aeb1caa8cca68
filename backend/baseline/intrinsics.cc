#include "backend/baseline/intrinsics.h"

#include <cstdint>

#include "backend/baseline/calls.h"
#include "backend/baseline/exceptions.h"
#include "backend/baseline/floats.h"
#include "backend/baseline/intrinsic_coverage.h"
#include "backend/baseline/library_functions.h"
#include "backend/baseline/memory.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/quad_floats.h"
#include "backend/baseline/symbols.h"
#include "backend/baseline/value_parts.h"
#include "backend/baseline/vectors.h"

namespace firstcall::baseline {
namespace {

using ir::IntrinsicId;

void LowerMemoryTransfer(FunctionCode& code, const ir::Instruction& transfer) {
  const ir::Operand to_pointer = OperandAt(code, transfer, 0);
  const ir::Operand from_pointer = OperandAt(code, transfer, 1);
  const ir::Operand length = OperandAt(code, transfer, 2);
  if (!IsMadeInLine(*code.function, transfer)) {
    const bool is_move = code.function->IntrinsicOf(transfer) == IntrinsicId::kMemmove;
    return CallLibrary(code, is_move ? "memmove" : "memcpy", transfer,
                       {to_pointer, from_pointer, length});
  }
  const uint64_t size = ConstantOf(code, length)->LimitedTo(UINT64_MAX);
  constexpr uint64_t kMostUnrolled = 256;
  if (size > kMostUnrolled) {
    return code.native.memory.CopyBlock(code, to_pointer, Mem(), from_pointer, size);
  }
  const Mem to = AddressOf(code, to_pointer);
  CopyBytes(code, to, AddressOf(code, from_pointer), size);
}

void LowerMemorySet(FunctionCode& code, const ir::Instruction& set) {
  const ir::Operand pointer = OperandAt(code, set, 0), value = OperandAt(code, set, 1);
  const ir::Operand length = OperandAt(code, set, 2);
  if (!IsMadeInLine(*code.function, set)) {
    return CallLibrary(code, "memset", set, {pointer, value, length});
  }
  const uint64_t size = ConstantOf(code, length)->LimitedTo(UINT64_MAX);
  if (size == 0) return;
  const uint64_t byte = ConstantOf(code, value)->unsigned_bits() * 0x0101010101010101u;
  const Mem to = AddressOf(code, pointer);
  if (size >= 16) {
    ConstantPart pattern;
    pattern.low = pattern.high = byte;
    MaterializeBits(code, code.architecture.vector_scratch, pattern, 16);
  }
  const bool is_small = static_cast<int64_t>(byte) == static_cast<int32_t>(byte);
  if (size % 16 >= 8 && !is_small) {
    code.assembler.MovImmediate(code.architecture.scratch, byte, true);
  }
  for (uint64_t done = 0; done < size;) {
    const unsigned piece = PieceOf(size - done);
    const Mem at = to.Plus(static_cast<int32_t>(done));
    if (piece == 16) {
      code.assembler.VectorStore(16, at, code.architecture.vector_scratch);
    } else if (piece == 8 && !is_small) {
      code.assembler.Store(8, at, code.architecture.scratch);
    } else {
      code.assembler.StoreImmediate(piece, at, static_cast<int32_t>(byte));
    }
    done += piece;
  }
}

void LowerMinMax(FunctionCode& code, const ir::Instruction& intrinsic) {
  const unsigned bytes = BitsOf(intrinsic.type) / 8;
  Cond keeps_left = Cond::kG;
  switch (code.function->IntrinsicOf(intrinsic)) {
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
  if (bytes < 4 && !code.architecture.has_narrow_operations) {
    const bool is_signed = keeps_left == Cond::kG || keeps_left == Cond::kL;
    const Register left = InExtended(code, OperandAt(code, intrinsic, 0), is_signed, 4);
    const Register right = InExtended(code, OperandAt(code, intrinsic, 1), is_signed, 4);
    const Register dst = Define(code, intrinsic);
    code.assembler.AluRr(Alu::kCmp, 4, left, right);
    code.assembler.Mov(4, dst, left);
    return code.assembler.Select(Negate(keeps_left), 4, dst, right);
  }
  const Register right = In(code, OperandAt(code, intrinsic, 1));
  const Register dst = DefineFrom(code, intrinsic, OperandAt(code, intrinsic, 0));
  code.assembler.AluRr(Alu::kCmp, bytes, dst, right);
  code.assembler.Select(Negate(keeps_left), bytes == 8 ? 8 : 4, dst, right);
}

void LowerAbs(FunctionCode& code, const ir::Instruction& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.type);
  const unsigned bytes = OperationBytes(bits);
  const Register source = InExtended(code, OperandAt(code, intrinsic, 0), true, bytes);
  const Register dst = Define(code, intrinsic);
  code.assembler.Mov(8, dst, source);
  code.assembler.Negate(bytes, dst);
  code.assembler.Select(Cond::kS, bytes, dst, source);
}

void LowerByteSwap(FunctionCode& code, const ir::Instruction& intrinsic) {
  const unsigned bits = BitsOf(intrinsic.type);
  const unsigned bytes = OperationBytes(bits);
  const Register dst = DefineFrom(code, intrinsic, OperandAt(code, intrinsic, 0));
  code.assembler.SwapBytes(bytes, dst);
  if (bits != bytes * 8) code.assembler.ShiftRi(Shift::kShr, bytes, dst, bytes * 8 - bits);
}

// Calls the library function that computes the intrinsic.
void CallMathFunction(FunctionCode& code, const ir::Instruction& intrinsic) {
  const char* name =
      MathFunctionOf(code.function->IntrinsicOf(intrinsic), *TypeAt(code, intrinsic, 0));
  switch (code.function->CallOf(intrinsic).argument_count) {
    case 1:
      return CallLibrary(code, name, intrinsic, {OperandAt(code, intrinsic, 0)});
    case 2:
      return CallLibrary(code, name, intrinsic,
                         {OperandAt(code, intrinsic, 0), OperandAt(code, intrinsic, 1)});
    default:
      return CallLibrary(code, name, intrinsic,
                         {OperandAt(code, intrinsic, 0), OperandAt(code, intrinsic, 1),
                          OperandAt(code, intrinsic, 2)});
  }
}

void LowerVariadicCopy(FunctionCode& code, const ir::Instruction& intrinsic) {
  const Mem to = AddressOf(code, OperandAt(code, intrinsic, 0));
  CopyBytes(code, to, AddressOf(code, OperandAt(code, intrinsic, 1)),
            code.architecture.convention.variadic_list_bytes);
}

}  // namespace

void LowerThreadLocalAddress(FunctionCode& code, const ir::Instruction& instruction,
                             const ir::Global& variable) {
  if (!code.options.coverage.emulates_thread_locals) {
    return code.native.memory.LowerThreadLocalAddress(code, instruction, variable);
  }
  PrepareCall(code, instruction);
  code.assembler.Load(8, code.architecture.convention.general[0],
                      LiteralOf(code, code.symbols.NumberOfControl(&variable)));
  Callee callee;
  callee.library_function = "__emutls_get_address";
  EmitCall(code, callee, ArgumentPlaces(code.architecture.convention));
  DefineResults(code, instruction);
}

void LowerIntrinsic(FunctionCode& code, const ir::Instruction& intrinsic) {
  switch (code.function->IntrinsicOf(intrinsic)) {
    case IntrinsicId::kUaddWithOverflow:
    case IntrinsicId::kSaddWithOverflow:
    case IntrinsicId::kUsubWithOverflow:
    case IntrinsicId::kSsubWithOverflow:
    case IntrinsicId::kUmulWithOverflow:
    case IntrinsicId::kSmulWithOverflow:
      return code.native.integers.LowerOverflow(code, intrinsic);
    case IntrinsicId::kMemcpy:
    case IntrinsicId::kMemcpyInline:
    case IntrinsicId::kMemmove:
      return LowerMemoryTransfer(code, intrinsic);
    case IntrinsicId::kMemset:
    case IntrinsicId::kMemsetInline:
      return LowerMemorySet(code, intrinsic);
    case IntrinsicId::kSmax:
    case IntrinsicId::kSmin:
    case IntrinsicId::kUmax:
    case IntrinsicId::kUmin:
      if (intrinsic.type->IsVector()) return LowerLanes(code, intrinsic);
      return LowerMinMax(code, intrinsic);
    case IntrinsicId::kAbs:
      if (intrinsic.type->IsVector()) return LowerLanes(code, intrinsic);
      return LowerAbs(code, intrinsic);
    case IntrinsicId::kCtpop:
    case IntrinsicId::kCtlz:
    case IntrinsicId::kCttz:
      return code.native.integers.LowerBitCount(code, intrinsic);
    case IntrinsicId::kBswap:
      if (intrinsic.type->IsVector()) return LowerLanes(code, intrinsic);
      return LowerByteSwap(code, intrinsic);
    case IntrinsicId::kFshl:
    case IntrinsicId::kFshr:
      if (intrinsic.type->IsVector()) return LowerLanes(code, intrinsic);
      return code.native.integers.LowerFunnelShift(code, intrinsic);
    case IntrinsicId::kUaddSat:
    case IntrinsicId::kUsubSat:
    case IntrinsicId::kSaddSat:
    case IntrinsicId::kSsubSat:
      if (intrinsic.type->IsVector()) return LowerLanes(code, intrinsic);
      return code.native.integers.LowerSaturating(code, intrinsic);
    case IntrinsicId::kExpect:
    case IntrinsicId::kExpectWithProbability:
    case IntrinsicId::kLaunderInvariantGroup:
    case IntrinsicId::kStripInvariantGroup:
      DefineFrom(code, intrinsic, OperandAt(code, intrinsic, 0));
      return;
    case IntrinsicId::kPtrmask: {
      const Register mask = In(code, OperandAt(code, intrinsic, 1));
      return code.assembler.AluRr(Alu::kAnd, 8,
                                  DefineFrom(code, intrinsic, OperandAt(code, intrinsic, 0)), mask);
    }
    case IntrinsicId::kInvariantStart:
      Define(code, intrinsic);  // Any value.
      return;
    case IntrinsicId::kTrap:
    case IntrinsicId::kUbsantrap:
      return code.assembler.Trap();
    case IntrinsicId::kDebugtrap:
      return code.assembler.Breakpoint();
    case IntrinsicId::kStacksave:
      return code.assembler.Mov(8, Define(code, intrinsic), code.architecture.stack_pointer);
    case IntrinsicId::kStackrestore:
      code.assembler.Mov(8, code.architecture.stack_pointer,
                         In(code, OperandAt(code, intrinsic, 0)));
      return KeepStackPointer(code);
    case IntrinsicId::kFrameaddress:
      return code.assembler.Mov(8, Define(code, intrinsic), code.architecture.frame_pointer);
    case IntrinsicId::kReturnaddress:
      return code.assembler.Load(8, Define(code, intrinsic), code.frame.At(8));
    case IntrinsicId::kVaStart:
      return code.native.frame.LowerVariadicStart(code, intrinsic);
    case IntrinsicId::kVaCopy:
      return LowerVariadicCopy(code, intrinsic);
    case IntrinsicId::kVectorReduceAdd:
    case IntrinsicId::kVectorReduceAnd:
    case IntrinsicId::kVectorReduceFadd:
    case IntrinsicId::kVectorReduceFmul:
    case IntrinsicId::kVectorReduceMul:
    case IntrinsicId::kVectorReduceOr:
    case IntrinsicId::kVectorReduceXor:
    case IntrinsicId::kVectorReduceSmax:
    case IntrinsicId::kVectorReduceSmin:
    case IntrinsicId::kVectorReduceUmax:
    case IntrinsicId::kVectorReduceUmin:
    case IntrinsicId::kMaskedCompressstore:
    case IntrinsicId::kMaskedExpandload:
    case IntrinsicId::kMaskedGather:
    case IntrinsicId::kMaskedLoad:
    case IntrinsicId::kMaskedScatter:
    case IntrinsicId::kMaskedStore:
      return LowerLanes(code, intrinsic);
    case IntrinsicId::kIsFpclass:
      return LowerFloatClass(code, intrinsic);
    case IntrinsicId::kFmuladd:
    case IntrinsicId::kFabs:
    case IntrinsicId::kCopysign:
      if (intrinsic.type->IsVector()) return LowerVectorFloatIntrinsic(code, intrinsic);
      if (IsQuad(intrinsic.type)) return LowerQuadSign(code, intrinsic);
      if (!code.native.floats.EmitFloatIntrinsic(code, intrinsic)) {
        CallMathFunction(code, intrinsic);
      }
      return;
    case IntrinsicId::kThreadlocalAddress:
      return LowerThreadLocalAddress(code, intrinsic,
                                     *code.function->GlobalOf(OperandAt(code, intrinsic, 0)));
    case IntrinsicId::kEhTypeidFor:
      return LowerTypeNumber(code, intrinsic);
    case IntrinsicId::kLoadRelative: {
      const Register base = In(code, OperandAt(code, intrinsic, 0));
      const Register offset = InExtended(code, OperandAt(code, intrinsic, 1), true, 8);
      Mem mem = Mem::At(base);
      mem.index = offset;
      // First, because what gives way may be stored by way of the scratch register.
      const Register dst = Define(code, intrinsic);
      code.assembler.LoadSigned(4, 8, code.architecture.scratch, mem);
      code.assembler.Mov(8, dst, base);
      return code.assembler.AluRr(Alu::kAdd, 8, dst, code.architecture.scratch);
    }
    default:
      if (IsSseIntrinsic(code.function->IntrinsicOf(intrinsic))) {
        return code.native.vectors.LowerOwnIntrinsic(code, intrinsic);
      }
      if (intrinsic.type->IsVector()) return LowerLanes(code, intrinsic);
      if (!code.native.floats.EmitFloatIntrinsic(code, intrinsic)) {
        CallMathFunction(code, intrinsic);
      }
      return;
  }
}

}  // namespace firstcall::baseline
