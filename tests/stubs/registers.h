// Calls a function with chosen contents of every register and tells what it found in them, on the
// host's architecture.
//
// Not thread-safe.

#ifndef FIRSTCALL_TESTS_STUBS_REGISTERS_H_
#define FIRSTCALL_TESTS_STUBS_REGISTERS_H_

#include <atomic>
#include <vector>

#include "memory/executor_address.h"

#if defined(__x86_64__)
#include "tests/stubs/registers_x86_64.h"
#elif defined(__aarch64__)
#include "tests/stubs/registers_aarch64.h"
#endif

namespace firstcall {

extern "C" {
// What the functions below work on.
extern RegisterImage firstcall_test_given;
extern RegisterImage firstcall_test_found;
extern const void* firstcall_test_callee;
extern VectorLevel firstcall_test_level;

// Calls firstcall_test_callee with registers as firstcall_test_given has them.
void firstcall_test_call_with_registers();

// Fills firstcall_test_found with what it was called with.
void firstcall_test_find_registers();

// Overwrites every register that a function may change, in any calling convention.
void firstcall_test_clobber_registers();
}

namespace testing {

struct NamedLevel {
  const char* name;
  VectorLevel level;
  int vector_length = 0;  // Bytes of a vector, where a thread may choose (SVE).
};

// All there are of the architecture.
std::vector<NamedLevel> VectorLevels();

// Whether this CPU has them.
bool HasRegisters(VectorLevel level);

// As long as it lives, this thread's vectors are as long as the level says.
class SelectedLevel {
 public:
  explicit SelectedLevel(const NamedLevel& level);
  ~SelectedLevel();
  SelectedLevel(const SelectedLevel&) = delete;
  SelectedLevel& operator=(const SelectedLevel&) = delete;

  // Whether this CPU has such registers of such a length.
  bool is_available() const { return is_available_; }

 private:
  const int length_before_;  // 0 where no thread may choose.
  const bool is_available_;
};

// Prepares firstcall_test_given, with no two registers alike. This CPU must have them.
void SetUpRegisters(VectorLevel level);

// Failures of the test where firstcall_test_found is not as firstcall_test_given.
void ExpectAllRegistersAreFound(VectorLevel level);

// A first call's handler: overwrites what it may, and leads to firstcall_test_find_registers.
ExecutorAddress ClobberAndFind(const std::atomic<void*>& owner);

}  // namespace testing
}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_STUBS_REGISTERS_H_
