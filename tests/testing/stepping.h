// Steps through a call on x86-64, instruction by instruction, to see whether its callers are found
// from each of them.
//
// One call at a time in the process.

#ifndef FIRSTCALL_TESTS_TESTING_STEPPING_H_
#define FIRSTCALL_TESTS_TESTING_STEPPING_H_

#include <cstddef>

namespace firstcall::testing {

struct Steps {
  size_t all = 0;
  size_t in_block = 0;  // Less than a page behind the function's address.
};

// Calls `function`. Fails the test if the unwinder does not find its callers at some instruction.
Steps StepThrough(void (*function)());

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_TESTING_STEPPING_H_
