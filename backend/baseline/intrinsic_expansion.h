// Writes intrinsics as instructions that compute the same: minima and maxima of floating-point
// numbers that obey NaNs and the signs of zeros (llvm.maximum), reductions of vectors by these and
// by llvm.maxnum, conversions to integers that saturate, the order of bits reversed, and parts of
// vectors.
//
// Called only for a function that was refused for its vectors or intrinsics, so that others pay
// nothing.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/intrinsic_expansion_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_INTRINSIC_EXPANSION_H_
#define FIRSTCALL_BACKEND_BASELINE_INTRINSIC_EXPANSION_H_

#include <cstdint>

#include "backend/baseline/expansion_writer.h"
#include "ir/function.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

class IntrinsicExpansion {
 public:
  IntrinsicExpansion() = default;
  IntrinsicExpansion(const IntrinsicExpansion&) = delete;
  IntrinsicExpansion& operator=(const IntrinsicExpansion&) = delete;

  // Takes time in proportion to the function's size, and to the lanes of its vectors. False, and
  // `function` is as it was, if there is nothing to expand. A type of the function's values may
  // then be this object's.
  bool Expand(ir::Function& function);

  // The number that the function which was expanded last gives to what was value number `old`.
  uint32_t NewNumberOf(uint32_t old) const { return writer_.rewriter().NewValue(old).number(); }

 private:
  using Source = ExpansionWriter::Source;

  Source Write(const ir::Instruction& call);
  // The larger of two numbers, or the smaller one. A NaN if one of them is.
  Source WriteMaximum(const Source& left, const Source& right, bool is_maximum);
  // The same, or else the number if one of them is a NaN.
  Source WriteMaxnum(const Source& left, const Source& right, bool is_maximum);
  Source WriteReduction(const ir::Instruction& call);
  Source WriteSaturation(const ir::Instruction& call, bool is_signed);
  Source WriteReversal(const ir::Instruction& call);
  // Copies `count` lanes of `from`, from number `from_lane` on, to `to`, from number `to_lane` on.
  Source WriteLanes(const Source& to, uint64_t to_lane, const Source& from, uint64_t from_lane,
                    uint64_t count);

  ExpansionWriter writer_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_INTRINSIC_EXPANSION_H_
