#include "benchmarks/instructions.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "tools/measure/process_run.h"
#include "tools/measure/temporary_directory.h"

namespace firstcall::benchmarks {

absl::StatusOr<uint64_t> ReadInstructionCounts(absl::string_view logs) {
  constexpr absl::string_view kCollected = "Collected :";
  uint64_t sum = 0;
  for (absl::string_view line : absl::StrSplit(logs, '\n')) {
    const size_t found = line.find(kCollected);
    if (found == absl::string_view::npos) continue;
    uint64_t count;
    if (absl::SimpleAtoi(absl::StripAsciiWhitespace(line.substr(found + kCollected.size())),
                         &count)) {
      sum += count;
    }
  }
  if (sum == 0) return absl::InternalError(absl::StrCat("count instructions: ", logs));
  return sum;
}

absl::StatusOr<uint64_t> CountInstructions(const std::vector<std::string>& argv) {
  absl::StatusOr<measure::TemporaryDirectory> directory =
      measure::TemporaryDirectory::Make("firstcall-instructions");
  if (!directory.ok()) return directory.status();
  // The engine writes code through a second mapping, which callgrind notices only if it looks.
  std::vector<std::string> command = {"valgrind",
                                      "--tool=callgrind",
                                      "--smc-check=all-non-file",
                                      "--trace-children=yes",
                                      "--callgrind-out-file=/dev/null",
                                      absl::StrCat("--log-file=", directory->path(), "/%p")};
  command.insert(command.end(), argv.begin(), argv.end());
  const absl::StatusOr<measure::ProcessRun> run = measure::RunProcess(command, absl::Minutes(10));
  if (!run.ok()) return run.status();
  std::string logs;
  for (const auto& file : std::filesystem::directory_iterator(directory->path())) {
    std::ifstream log(file.path());
    logs.append(std::istreambuf_iterator<char>(log), {});
  }
  if (run->end != measure::ProcessRun::End::kExited || run->code != 0) {
    return absl::InternalError(absl::StrCat("count instructions of ", absl::StrJoin(argv, " "),
                                            ": it failed\n", run->errors, logs));
  }
  return ReadInstructionCounts(logs);
}

}  // namespace firstcall::benchmarks
