// Runs code where the kernel refuses memory that is, or was, writable and executable
// (PR_SET_MDWE: "memory-deny-write-execute").
//
// Thread-safe.

#ifndef FIRSTCALL_TESTS_TESTING_MDWE_H_
#define FIRSTCALL_TESTS_TESTING_MDWE_H_

#include <functional>
#include <optional>

namespace firstcall {

// Runs `work` in a child, for which this holds, and for whatever that starts. Returns `work`'s
// result, which is an exit status, or 128 plus the number of the signal that ended the child. No
// value if the kernel, or an emulator, does not know PR_SET_MDWE:
//   if (!status) GTEST_SKIP() << kNoMdwe;
std::optional<int> RunUnderMdwe(const std::function<int()>& work);

inline constexpr char kNoMdwe[] = "there is no PR_SET_MDWE here";

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_MDWE_H_
