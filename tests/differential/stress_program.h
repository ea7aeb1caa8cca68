// Makes one program of several functions of llvm-stress: they call each other, directly and through
// a table, work on the same buffers, and main prints a hash of these after each call of its own.

#ifndef FIRSTCALL_TESTS_DIFFERENTIAL_STRESS_PROGRAM_H_
#define FIRSTCALL_TESTS_DIFFERENTIAL_STRESS_PROGRAM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace firstcall::testing {

// Each of `functions` is a module of llvm-stress, as text. `seed` chooses who calls whom, and what
// is in the buffers. The program's behaviour is defined (see defined_behavior.h). InvalidArgument
// if a text is not what llvm-stress writes. Thread-safe for different contexts.
absl::StatusOr<std::unique_ptr<llvm::Module>> MakeStressProgram(
    const std::vector<std::string>& functions, uint32_t seed, llvm::LLVMContext& context);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_DIFFERENTIAL_STRESS_PROGRAM_H_
