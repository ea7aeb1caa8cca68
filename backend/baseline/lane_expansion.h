// Turns operations on vectors that the code generator does not cover into the same operation on
// each lane: intrinsics such as llvm.round and llvm.ctpop, remainders, conversions between
// floating-point numbers and integers of 64 bits without a sign or of one bit, operations on
// vectors of i1 that are rare, and calls of constrained intrinsics, which become strict
// instructions then (strict_floats.h).
//
// Called only for a function that was refused for its vectors or intrinsics, so that others pay
// nothing.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/lane_expansion_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_LANE_EXPANSION_H_
#define FIRSTCALL_BACKEND_BASELINE_LANE_EXPANSION_H_

#include <cstdint>

#include "backend/baseline/architecture.h"
#include "backend/baseline/coverage_options.h"
#include "backend/baseline/expansion_writer.h"
#include "ir/function.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

class LaneExpansion {
 public:
  LaneExpansion() = default;
  LaneExpansion(const LaneExpansion&) = delete;
  LaneExpansion& operator=(const LaneExpansion&) = delete;

  // Takes time in proportion to the function's size, and to the lanes of its vectors. False, and
  // `function` is as it was, if there is nothing to expand. A type of the function's values may
  // then be this object's.
  bool Expand(ir::Function& function, const Architecture& architecture,
              const CoverageOptions& options);

  // The number that the function which was expanded last gives to what was value number `old`.
  uint32_t NewNumberOf(uint32_t old) const { return writer_.rewriter().NewValue(old).number(); }

 private:
  ExpansionWriter::Source Write(const ir::Instruction& instruction);

  ExpansionWriter writer_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_LANE_EXPANSION_H_
