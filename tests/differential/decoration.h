// What distributions and developers add to programs, and what must not change what these compute:
// debug information and hardening.
//
// Thread-safe for different modules. Tested in tests/differential/seeds_test.cc.

#ifndef FIRSTCALL_TESTS_DIFFERENTIAL_DECORATION_H_
#define FIRSTCALL_TESTS_DIFFERENTIAL_DECORATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "llvm/IR/Module.h"

namespace firstcall::testing {

// Options of clang's for a program in C: debug information, a stack protector that `seed` chooses,
// and the other kinds of hardening that the host's architecture has.
std::vector<std::string> DecoratingOptions(uint32_t seed);

// The same for IR: adds debug information as the pass "debugify" does, and attributes.
void Decorate(llvm::Module& module, uint32_t seed);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_DIFFERENTIAL_DECORATION_H_
