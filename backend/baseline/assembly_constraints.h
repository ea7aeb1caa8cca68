// The constraint string of a call of inline assembly, taken apart (LangRef, "Inline Asm Constraint
// String").
//
// Thread-safe: a pure function. Tested in tests/backend/baseline/assembly_constraints_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_ASSEMBLY_CONSTRAINTS_H_
#define FIRSTCALL_BACKEND_BASELINE_ASSEMBLY_CONSTRAINTS_H_

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"

namespace firstcall::baseline {

struct AssemblyConstraint {
  static constexpr uint32_t kUntied = ~uint32_t{0};
  enum class Kind : uint8_t { kOutput, kInput, kClobber };

  Kind kind = Kind::kInput;
  // The operand is a place in memory, and an argument of the call is its address.
  bool is_indirect = false;
  // Of an input: the number, among the constraints, of the output that is in the same place.
  uint32_t tied_to = kUntied;
  // The register that the constraint names. Of a clobber: what the assembly changes. Empty if the
  // constraint names none.
  absl::string_view name;
  // The classes of places to choose among, in the architecture's letters. With a register's name:
  // what the operand may be instead. Empty if the constraint is tied.
  absl::string_view letters;

  bool is_output() const { return kind == Kind::kOutput; }
  // Whether an argument of the call belongs to the constraint. Otherwise, an output is the result
  // of the call, or a member of the result.
  bool has_argument() const {
    return kind == Kind::kInput || (kind == Kind::kOutput && is_indirect);
  }
};

// The outputs, then the inputs, then the clobbers; views of `text`.
using AssemblyConstraints = absl::InlinedVector<AssemblyConstraint, 8>;

// Nothing if the text is not valid, or says that the assembly branches, which callbr's does.
std::optional<AssemblyConstraints> ParseConstraints(absl::string_view text);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_ASSEMBLY_CONSTRAINTS_H_
