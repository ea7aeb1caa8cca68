// Compares the two readers on damaged bitcode, on which LLVM's own reader may crash, hang or use
// all memory: in a child process.
//
// Thread-safe, but a process with other threads must not call it: the child allocates memory.

#ifndef FIRSTCALL_TESTS_BITCODE_COMPARE_IN_CHILD_H_
#define FIRSTCALL_TESTS_BITCODE_COMPARE_IN_CHILD_H_

#include <string>

#include "absl/strings/string_view.h"

namespace firstcall::testing {

enum class ChildVerdict {
  kEqual,      // Whatever both readers accept is equal.
  kDifferent,  // Something that both accept differs.
  kNoVerdict,  // LLVM refuses the module, crashes, or takes longer than 20 seconds.
};

struct ChildComparison {
  ChildVerdict verdict = ChildVerdict::kNoVerdict;
  std::string difference;
};

ChildComparison CompareReadersInChild(absl::string_view bitcode);

}  // namespace firstcall::testing

#endif  // FIRSTCALL_TESTS_BITCODE_COMPARE_IN_CHILD_H_
