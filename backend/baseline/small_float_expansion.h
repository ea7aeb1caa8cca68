// Computes with half and bfloat by way of float: turns each operation on such numbers into
// conversions to float, the operation on floats, and the conversion back, which rounds. That is
// how LLVM computes where the processor has no such operations; where the processor has them, the
// results are the same, because a float has more than twice as many bits as these numbers.
//
// What stays, and is lowered as it is: moves, and conversions between half and a float or a double.
// Conversions of bfloat become operations on integers. Signs are changed as bits. The lanes of
// vectors are converted one after the other.
//
// Not expanded, so that LLVM compiles the function: multiplications that are fused, or may be
// (llvm.fmuladd), whose result depends on whether the processor has such an instruction;
// conversions from double to bfloat, and from integers of more than 24 bits to bfloat, which
// processors round differently; nor what rounds to bfloat, if LLVM does that by an instruction
// which takes denormal numbers for zero.
//
// Called only for a function that was refused for its types, so that others pay nothing.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/small_floats_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_SMALL_FLOAT_EXPANSION_H_
#define FIRSTCALL_BACKEND_BASELINE_SMALL_FLOAT_EXPANSION_H_

#include <cstdint>

#include "backend/baseline/expansion_writer.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/type.h"

namespace firstcall::baseline {

class SmallFloatExpansion {
 public:
  SmallFloatExpansion() = default;
  SmallFloatExpansion(const SmallFloatExpansion&) = delete;
  SmallFloatExpansion& operator=(const SmallFloatExpansion&) = delete;

  // Takes time in proportion to the function's size, and to the lanes of its vectors. False, and
  // `function` is as it was, if there is nothing to expand. The types of the function's values may
  // then be this object's.
  // `flushes_bfloat`: see CoverageOptions. What LLVM would round to bfloat is not expanded then.
  bool Expand(ir::Function& function, bool flushes_bfloat);

  // The number that the function which was expanded last gives to what was value number `old`.
  uint32_t NewNumberOf(uint32_t old) const { return writer_.rewriter().NewValue(old).number(); }

 private:
  using Source = ExpansionWriter::Source;

  bool IsExpanded(const ir::Instruction& instruction) const;
  bool RoundsToBfloat(const ir::Instruction& instruction) const;
  bool IsExpandedCall(const ir::Instruction& call) const;
  const ir::Type* float32() { return writer_.types().Float(ir::TypeKind::kFloat); }
  const ir::Type* word16() { return writer_.types().Integer(16); }
  const ir::Type* word32() { return writer_.types().Integer(32); }

  // `element`, or vectors of as many as `like` has, if that is a vector.
  const ir::Type* Shaped(const ir::Type* element, const ir::Type* like);
  const ir::Type* FloatLike(const ir::Type* like) { return Shaped(float32(), like); }

  Source Write(const ir::Instruction& instruction);
  Source WriteCall(const ir::Instruction& call);
  // A constant of i16, or of vectors of them, with `bits` in each.
  Source Bits(const ir::Type* type, uint16_t bits);
  Source ToBits(const Source& value);
  Source ToFloat(const Source& value);
  Source FromFloat(const Source& value, const ir::Type* type);
  Source LaneToFloat(const Source& value);
  Source LaneFromFloat(const Source& value, const ir::Type* type);
  template <typename Convert>
  Source ForEachLane(const Source& value, const ir::Type* to, const Convert& convert);

  const ir::Function* function_ = nullptr;
  ExpansionWriter writer_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_SMALL_FLOAT_EXPANSION_H_
