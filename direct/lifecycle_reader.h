// Finds the functions of a source module that run before and after the program, as
// splitter/lifecycle_reader.h does.
//
// Thread-safe: pure functions. Tested in tests/direct/symbol_index_reader_test.cc.

#ifndef FIRSTCALL_DIRECT_LIFECYCLE_READER_H_
#define FIRSTCALL_DIRECT_LIFECYCLE_READER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "direct/symbol_numbers.h"
#include "ir/module.h"
#include "object/lifecycle.h"

namespace firstcall::direct {

// The variables of a module with a meaning of their own, by number; ir::kNone: there is none.
struct SpecialVariables {
  uint32_t used = ir::kNone;           // llvm.used
  uint32_t compiler_used = ir::kNone;  // llvm.compiler.used
  uint32_t constructors = ir::kNone;   // llvm.global_ctors
  uint32_t destructors = ir::kNone;    // llvm.global_dtors
};

// Appends the globals that the list number `list`, llvm.used or llvm.compiler.used, names.
// Unimplemented if it is no such list.
absl::Status AppendUsed(const ir::Module& module, uint32_t list, std::vector<uint32_t>& used);

// The functions in the order in which they are to run. `used`: what llvm.used names, sorted.
// Errors as ReadConstructors and ReadDestructors (splitter/lifecycle_reader.h); Unimplemented for
// lists in the form of older versions of LLVM.
absl::StatusOr<std::vector<LifecycleFunction>> ReadLifecycle(const ir::Module& module,
                                                             const SymbolNumbers& numbers,
                                                             LifecyclePhase phase, uint32_t list,
                                                             absl::Span<const uint32_t> used);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_LIFECYCLE_READER_H_
