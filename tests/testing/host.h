// What a test has to know of the machine it runs on, which under --config=aarch64 is emulated.
//
// Thread-safe.

#ifndef FIRSTCALL_TESTS_TESTING_HOST_H_
#define FIRSTCALL_TESTS_TESTING_HOST_H_

#include <string>
#include <vector>

#include "absl/base/config.h"

namespace firstcall {

// Whether this process runs in the user-mode emulator. What that cannot do is skipped:
//   if (IsEmulated()) GTEST_SKIP() << "why";
bool IsEmulated();

// How `command` has to be started: in the emulator, if this process runs there and the command's
// program is for the same architecture. The program must be a path, not a name to be looked up.
std::vector<std::string> OnThisMachine(std::vector<std::string> command);

// Whether a sanitizer watches this process that takes memory and time of its own, and reserves
// terabytes: tests of limits are skipped then.
#if defined(ABSL_HAVE_ADDRESS_SANITIZER) || defined(ABSL_HAVE_THREAD_SANITIZER)
inline constexpr bool kSanitizerTakesMemory = true;
#else
inline constexpr bool kSanitizerTakesMemory = false;
#endif

// Whether a sanitizer watches this process that writes a file at its start and maps it, and ends
// the process if it cannot.
#if defined(ABSL_HAVE_THREAD_SANITIZER)
inline constexpr bool kSanitizerWritesFile = true;
#else
inline constexpr bool kSanitizerWritesFile = false;
#endif

// Whether vfork is what it should be: the emulator and the thread sanitizer fork instead.
bool HasVfork();

// The option that makes clang compile for the architecture of this process.
std::string ClangTargetOption();

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_HOST_H_
