// Arithmetic lane by lane, as steps of LowerLanes (vectors.h). `value` is a free register, `result`
// is the place for the result's lanes.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_LANE_ARITHMETIC_H_
#define FIRSTCALL_BACKEND_BASELINE_LANE_ARITHMETIC_H_

#include "backend/baseline/lanes.h"
#include "backend/baseline/registers.h"
#include "ir/instruction.h"
#include "ir/opcode.h"

namespace firstcall::baseline {

struct FunctionCode;

inline bool IsShift(ir::Opcode opcode) {
  return opcode == ir::Opcode::kShl || opcode == ir::Opcode::kLShr || opcode == ir::Opcode::kAShr;
}

// Casts of integers and pointers, and to and from vectors of i1.
void ConvertLanes(FunctionCode& code, const ir::Instruction& cast, const Lanes& result,
                  Register value);
// Between integers and floating point, and between floats and doubles. Integers go by way of 64
// bits.
void ConvertFloatLanes(FunctionCode& code, const ir::Instruction& cast, const Lanes& result,
                       Register value);
// Combines the lanes of two operands: shifts, products, comparisons, minima and maxima.
void CombineLanes(FunctionCode& code, const ir::Instruction& instruction, const Lanes& result,
                  Register value);
// Changes each lane: the intrinsics llvm.abs and llvm.bswap.
void ChangeLanes(FunctionCode& code, const ir::Instruction& intrinsic, const Lanes& result,
                 Register value);
// Sums and differences that stay within the bounds of the lanes, of at most 32 bits.
void SaturateLanes(FunctionCode& code, const ir::Instruction& intrinsic, const Lanes& result,
                   Register value);
// The intrinsics llvm.fshl and llvm.fshr, on lanes of at most 32 bits.
void FunnelShiftLanes(FunctionCode& code, const ir::Instruction& intrinsic, const Lanes& result,
                      Register value);
// Makes one number of all lanes.
void ReduceLanes(FunctionCode& code, const ir::Instruction& intrinsic, Register value);
// llvm.vector.reduce.fadd and llvm.vector.reduce.fmul.
void ReduceFloatLanes(FunctionCode& code, const ir::Instruction& intrinsic);
// Addresses: the sum of a base and of indices times sizes, each of which is a vector or the same
// for all lanes.
void ElementAddressLanes(FunctionCode& code, const ir::Instruction& element, const Lanes& result,
                         Register value);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_LANE_ARITHMETIC_H_
