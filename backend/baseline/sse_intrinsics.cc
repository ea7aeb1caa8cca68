#include "backend/baseline/sse_intrinsics.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "backend/baseline/operands.h"
#include "backend/baseline/registers_x86_64.h"
#include "ir/intrinsic.h"

namespace firstcall::baseline::x86_64 {
namespace {

using ir::IntrinsicId;

// What the operands are, all of them vectors of 16 bytes unless something else is said.
enum class Form : uint8_t {
  kTwo,        // The result takes the place of the first operand.
  kOne,        // Lanes that the instruction does not compute are the operand's.
  kToGeneral,  // The result is an integer.
  kCount,      // The second operand is an i32, which the instruction has in a vector register.
};

struct Row {
  IntrinsicId id;
  Form form;
  Op op;
};

// In the order of the numbers.
constexpr Row kRows[] = {
    {IntrinsicId::kX86SseCvtss2si, Form::kToGeneral, kF3 | k0F | 0x2d},
    {IntrinsicId::kX86SseCvtss2si64, Form::kToGeneral, kF3 | k0F | kW | 0x2d},
    {IntrinsicId::kX86SseCvttss2si, Form::kToGeneral, kF3 | k0F | 0x2c},
    {IntrinsicId::kX86SseCvttss2si64, Form::kToGeneral, kF3 | k0F | kW | 0x2c},
    {IntrinsicId::kX86SseMaxPs, Form::kTwo, k0F | 0x5f},
    {IntrinsicId::kX86SseMaxSs, Form::kTwo, kF3 | k0F | 0x5f},
    {IntrinsicId::kX86SseMinPs, Form::kTwo, k0F | 0x5d},
    {IntrinsicId::kX86SseMinSs, Form::kTwo, kF3 | k0F | 0x5d},
    {IntrinsicId::kX86SseMovmskPs, Form::kToGeneral, k0F | 0x50},
    {IntrinsicId::kX86SseRcpPs, Form::kOne, k0F | 0x53},
    {IntrinsicId::kX86SseRcpSs, Form::kOne, kF3 | k0F | 0x53},
    {IntrinsicId::kX86SseRsqrtPs, Form::kOne, k0F | 0x52},
    {IntrinsicId::kX86SseRsqrtSs, Form::kOne, kF3 | k0F | 0x52},
    {IntrinsicId::kX86Sse2Cvtpd2dq, Form::kOne, kF2 | k0F | 0xe6},
    {IntrinsicId::kX86Sse2Cvtps2dq, Form::kOne, k66 | k0F | 0x5b},
    {IntrinsicId::kX86Sse2Cvtsd2si, Form::kToGeneral, kF2 | k0F | 0x2d},
    {IntrinsicId::kX86Sse2Cvtsd2si64, Form::kToGeneral, kF2 | k0F | kW | 0x2d},
    {IntrinsicId::kX86Sse2Cvttpd2dq, Form::kOne, k66 | k0F | 0xe6},
    {IntrinsicId::kX86Sse2Cvttps2dq, Form::kOne, kF3 | k0F | 0x5b},
    {IntrinsicId::kX86Sse2Cvttsd2si, Form::kToGeneral, kF2 | k0F | 0x2c},
    {IntrinsicId::kX86Sse2Cvttsd2si64, Form::kToGeneral, kF2 | k0F | kW | 0x2c},
    {IntrinsicId::kX86Sse2MaxPd, Form::kTwo, k66 | k0F | 0x5f},
    {IntrinsicId::kX86Sse2MaxSd, Form::kTwo, kF2 | k0F | 0x5f},
    {IntrinsicId::kX86Sse2MinPd, Form::kTwo, k66 | k0F | 0x5d},
    {IntrinsicId::kX86Sse2MinSd, Form::kTwo, kF2 | k0F | 0x5d},
    {IntrinsicId::kX86Sse2MovmskPd, Form::kToGeneral, k66 | k0F | 0x50},
    {IntrinsicId::kX86Sse2Packssdw128, Form::kTwo, k66 | k0F | 0x6b},
    {IntrinsicId::kX86Sse2Packsswb128, Form::kTwo, k66 | k0F | 0x63},
    {IntrinsicId::kX86Sse2Packuswb128, Form::kTwo, k66 | k0F | 0x67},
    {IntrinsicId::kX86Sse2PavgB, Form::kTwo, k66 | k0F | 0xe0},
    {IntrinsicId::kX86Sse2PavgW, Form::kTwo, k66 | k0F | 0xe3},
    {IntrinsicId::kX86Sse2PmaddWd, Form::kTwo, k66 | k0F | 0xf5},
    {IntrinsicId::kX86Sse2Pmovmskb128, Form::kToGeneral, k66 | k0F | 0xd7},
    {IntrinsicId::kX86Sse2PmulhW, Form::kTwo, k66 | k0F | 0xe5},
    {IntrinsicId::kX86Sse2PmulhuW, Form::kTwo, k66 | k0F | 0xe4},
    {IntrinsicId::kX86Sse2PsadBw, Form::kTwo, k66 | k0F | 0xf6},
    {IntrinsicId::kX86Sse2PsllD, Form::kTwo, k66 | k0F | 0xf2},
    {IntrinsicId::kX86Sse2PsllQ, Form::kTwo, k66 | k0F | 0xf3},
    {IntrinsicId::kX86Sse2PsllW, Form::kTwo, k66 | k0F | 0xf1},
    {IntrinsicId::kX86Sse2PslliD, Form::kCount, k66 | k0F | 0xf2},
    {IntrinsicId::kX86Sse2PslliQ, Form::kCount, k66 | k0F | 0xf3},
    {IntrinsicId::kX86Sse2PslliW, Form::kCount, k66 | k0F | 0xf1},
    {IntrinsicId::kX86Sse2PsraD, Form::kTwo, k66 | k0F | 0xe2},
    {IntrinsicId::kX86Sse2PsraW, Form::kTwo, k66 | k0F | 0xe1},
    {IntrinsicId::kX86Sse2PsraiD, Form::kCount, k66 | k0F | 0xe2},
    {IntrinsicId::kX86Sse2PsraiW, Form::kCount, k66 | k0F | 0xe1},
    {IntrinsicId::kX86Sse2PsrlD, Form::kTwo, k66 | k0F | 0xd2},
    {IntrinsicId::kX86Sse2PsrlQ, Form::kTwo, k66 | k0F | 0xd3},
    {IntrinsicId::kX86Sse2PsrlW, Form::kTwo, k66 | k0F | 0xd1},
    {IntrinsicId::kX86Sse2PsrliD, Form::kCount, k66 | k0F | 0xd2},
    {IntrinsicId::kX86Sse2PsrliQ, Form::kCount, k66 | k0F | 0xd3},
    {IntrinsicId::kX86Sse2PsrliW, Form::kCount, k66 | k0F | 0xd1},
};

}  // namespace

void LowerSseIntrinsic(FunctionCode& code, AssemblerX86_64& native,
                       const ir::Instruction& intrinsic) {
  const IntrinsicId id = code.function->IntrinsicOf(intrinsic);
  const Row& row =
      *std::lower_bound(std::begin(kRows), std::end(kRows), id,
                        [](const Row& row, IntrinsicId wanted) { return row.id < wanted; });
  const ir::Operand first = OperandAt(code, intrinsic, 0);
  switch (row.form) {
    case Form::kTwo: {
      const Register right = In(code, OperandAt(code, intrinsic, 1));
      return native.Rr(row.op, DefineFrom(code, intrinsic, first), right);
    }
    case Form::kOne: {
      const Register dst = DefineFrom(code, intrinsic, first);
      return native.Rr(row.op, dst, dst);
    }
    case Form::kToGeneral: {
      const Register source = In(code, first);
      return native.Rr(row.op, Define(code, intrinsic), source);
    }
    case Form::kCount: {
      const Register count = In(code, OperandAt(code, intrinsic, 1));
      const Register dst = DefineFrom(code, intrinsic, first);
      native.ToVector(4, kVectorScratch, count);
      return native.Rr(row.op, dst, kVectorScratch);
    }
  }
}

}  // namespace firstcall::baseline::x86_64
