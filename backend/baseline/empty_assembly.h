// Inline assembly without text: what compilers' barriers are, such as `asm("" : "+r"(x))`. (A text
// that only aligns code counts as none: base/assembly_text.h.) No machine code stands for such a
// call, but values pass through it: an input that is tied to an output becomes that output.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/empty_assembly_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_EMPTY_ASSEMBLY_H_
#define FIRSTCALL_BACKEND_BASELINE_EMPTY_ASSEMBLY_H_

#include <cstdint>
#include <optional>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"
#include "ir/function.h"
#include "ir/instruction.h"

namespace firstcall::baseline {

struct EmptyAssembly {
  // An argument that is stored to the address in another one.
  struct Store {
    uint32_t address = 0, value = 0;  // The numbers of the arguments.
  };

  // For each member of the result, or for the result: the number of the argument that it is. kNone:
  // the result is undefined.
  absl::InlinedVector<uint32_t, 4> results;
  absl::InlinedVector<Store, 2> stores;
  uint32_t arguments = 0;  // How many there are.
};

// What the constraints of empty assembly say (LangRef, "Inline Asm Constraint String"). Nothing if
// an output is the contents of a register that the assembly names, if the assembly branches, and
// for constraints that are not valid.
std::optional<EmptyAssembly> ReadConstraints(absl::string_view constraints);

// Whether `instruction`, a call, calls assembly without text.
bool CallsEmptyAssembly(const ir::Function& function, const ir::Instruction& instruction);

// What such a call does. Nothing if the constraints or the types of the operands are not covered.
std::optional<EmptyAssembly> EmptyAssemblyOf(const ir::Function& function,
                                             const ir::Instruction& call);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_EMPTY_ASSEMBLY_H_
