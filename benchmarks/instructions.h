// Counts the instructions that a command executes, in all its processes and threads. Callgrind
// counts them, so the counts hardly depend on what else the machine does. The processor that
// callgrind emulates has no AVX-512, so the engine may generate other code than on the machine
// itself.
//
// Thread-compatible.

#ifndef FIRSTCALL_BENCHMARKS_INSTRUCTIONS_H_
#define FIRSTCALL_BENCHMARKS_INSTRUCTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace firstcall::benchmarks {

// Runs `argv` under callgrind, which takes some fifty times as long as without. NotFound if there
// is no valgrind; Internal, with the command, if it fails or does not end within ten minutes.
absl::StatusOr<uint64_t> CountInstructions(const std::vector<std::string>& argv);

// The sum of what the logs of all processes say, one after the other. Internal if they say nothing.
absl::StatusOr<uint64_t> ReadInstructionCounts(absl::string_view logs);

}  // namespace firstcall::benchmarks

#endif  // FIRSTCALL_BENCHMARKS_INSTRUCTIONS_H_
