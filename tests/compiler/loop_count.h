// Counts which loops of a module a first body can leave for a continuation, and why not the others.

#ifndef FIRSTCALL_TESTS_COMPILER_LOOP_COUNT_H_
#define FIRSTCALL_TESTS_COMPILER_LOOP_COUNT_H_

#include <cstddef>
#include <map>
#include <string>

#include "absl/status/statusor.h"

namespace firstcall {

struct LoopCount {
  size_t loops = 0;
  size_t leavable = 0;
  std::map<std::string, size_t> others;  // By reason.
};

// Of all functions that the bitcode defines. Makes each first body once more for each of its loops.
absl::StatusOr<LoopCount> CountLoops(const std::string& bitcode);

void Add(const LoopCount& count, LoopCount& sum);

std::string TextOf(const LoopCount& count);

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_COMPILER_LOOP_COUNT_H_
