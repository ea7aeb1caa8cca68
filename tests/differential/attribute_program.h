// Makes programs whose functions, parameters and calls have random attributes. Their functions are
// for any x86-64, as clang's are, so that optimized code may be for another CPU.

#ifndef FIRSTCALL_TESTS_DIFFERENTIAL_ATTRIBUTE_PROGRAM_H_
#define FIRSTCALL_TESTS_DIFFERENTIAL_ATTRIBUTE_PROGRAM_H_

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace firstcall::testing {

// How many functions a program has, besides those that are in all programs.
inline constexpr int kAttributeFunctions = 10;

// The program of `seed`: main calls each function often, and prints hashes of what they have
// computed. Its behaviour is defined. Internal if LLVM does not accept it. Thread-safe for
// different contexts.
absl::StatusOr<std::unique_ptr<llvm::Module>> MakeAttributeProgram(uint32_t seed,
                                                                   llvm::LLVMContext& context);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_DIFFERENTIAL_ATTRIBUTE_PROGRAM_H_
