// Writes loads and stores of vectors of i1, which are packed in memory, as loads and stores of
// integers, and casts of such vectors to and from other vectors as casts by way of integers.
//
// Called only for a function that was refused for its types, so that others pay nothing.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/odd_vectors_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_MASK_EXPANSION_H_
#define FIRSTCALL_BACKEND_BASELINE_MASK_EXPANSION_H_

#include <cstdint>

#include "backend/baseline/expansion_writer.h"
#include "ir/function.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

class MaskExpansion {
 public:
  MaskExpansion() = default;
  MaskExpansion(const MaskExpansion&) = delete;
  MaskExpansion& operator=(const MaskExpansion&) = delete;

  // Takes time in proportion to the function's size. False, and `function` is as it was, if there
  // is nothing to expand. A type of the function's values may then be this object's.
  bool Expand(ir::Function& function);

  // The number that the function which was expanded last gives to what was value number `old`.
  uint32_t NewNumberOf(uint32_t old) const { return writer_.rewriter().NewValue(old).number(); }

 private:
  ExpansionWriter::Source Write(const ir::Instruction& instruction);

  ExpansionWriter writer_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_MASK_EXPANSION_H_
