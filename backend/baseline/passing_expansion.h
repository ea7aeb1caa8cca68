// Turns arguments and results that LLVM passes in another form than their values have
// (vector_passing.h) into arguments and results of that form: a structure of the lanes, whose
// members are passed one after the other, or a vector of wider lanes. Such a structure is known by
// its Type::count (ir/made_types.h): LLVM does not divide its first two words between registers and
// the stack.
//
// Called only for a function that was refused for its types or what it passes, so that others pay
// nothing.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/vector_passing_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_PASSING_EXPANSION_H_
#define FIRSTCALL_BACKEND_BASELINE_PASSING_EXPANSION_H_

#include <cstdint>

#include "backend/baseline/architecture.h"
#include "backend/baseline/coverage_options.h"
#include "backend/baseline/expansion_writer.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/type.h"

namespace firstcall::baseline {

class PassingExpansion {
 public:
  PassingExpansion() = default;
  PassingExpansion(const PassingExpansion&) = delete;
  PassingExpansion& operator=(const PassingExpansion&) = delete;

  // Takes time in proportion to the function's size, and to the lanes of its vectors. False, and
  // `function` is as it was, if there is nothing to expand. A type of the function's values may
  // then be this object's.
  bool Expand(ir::Function& function, const Architecture& architecture,
              const CoverageOptions& options);

  // The number that the function which was expanded last gives to what was value number `old`.
  uint32_t NewNumberOf(uint32_t old) const { return writer_.rewriter().NewValue(old).number(); }

 private:
  using Source = ExpansionWriter::Source;

  // The form in which values of the type are passed; null if that is the type's own, or if it is
  // not known.
  const ir::Type* FormOf(const ir::Type* type, const CallingConvention& convention);
  bool HasForms(const ir::Instruction& instruction);
  // The convention of a call whose arguments, and result, this object looks at; null if the
  // instruction is none.
  const CallingConvention* ConventionOf(const ir::Instruction& call) const;

  void BeginArguments();
  void WriteCall(const ir::Instruction& call, const CallingConvention& convention);
  void WriteReturn(const ir::Instruction& instruction);
  Source ToForm(const Source& vector, const ir::Type* form);
  Source FromForm(const Source& value, const ir::Type* vector);
  Source LaneToForm(const Source& lane, const ir::Type* form);
  Source LaneFromForm(const Source& lane, const ir::Type* type);

  const ir::Function* function_ = nullptr;
  const Architecture* architecture_ = nullptr;
  const CallingConvention* own_convention_ = nullptr;
  bool knows_wide_ = false;  // No register of more than 16 bytes passes values.
  ExpansionWriter writer_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_PASSING_EXPANSION_H_
