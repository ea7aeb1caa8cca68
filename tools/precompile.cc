#include "tools/precompile.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "tools/observation.h"
#include "tools/run_program.h"

namespace firstcall {
namespace {

absl::StatusOr<std::vector<std::string>> ReadLines(const std::string& path) {
  std::ifstream file(path);
  if (!file) return absl::NotFoundError(absl::StrCat("cannot read '", path, "'"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  if (file.bad()) return absl::NotFoundError(absl::StrCat("cannot read '", path, "'"));
  return lines;
}

// Shows a running count on a terminal; elsewhere only the result is printed.
PrepareOptions WithProgress(PrepareProgress& last) {
  PrepareOptions options;
  const bool is_terminal = isatty(STDERR_FILENO) != 0;
  options.progress = [&last, is_terminal](const PrepareProgress& progress) {
    last = progress;
    if (is_terminal) std::fprintf(stderr, "\r%zu of %zu", progress.done, progress.total);
    if (is_terminal && progress.done == progress.total) std::fputc('\n', stderr);
    return true;
  };
  return options;
}

absl::Status PrepareChosen(Engine& engine, const std::string& functions_file,
                           const PrepareOptions& options) {
  if (functions_file.empty()) return engine.PrepareAll(options);
  FIRSTCALL_ASSIGN_OR_RETURN(std::vector<std::string> lines, ReadLines(functions_file));
  const std::vector<absl::string_view> names(lines.begin(), lines.end());
  return engine.Prepare(names, options);
}

absl::Status Run(const CommandLine& command_line, PrepareProgress& progress, size_t& optimized) {
  if (command_line.engine.object_cache == nullptr) {
    return absl::InvalidArgumentError("precompile needs an object cache: --object-cache-dir=DIR");
  }
  if (command_line.engine.mode == Mode::kEager) {
    return absl::InvalidArgumentError("precompile is for -mode=lazy");
  }
  if (command_line.precompile_optimized && command_line.engine.tier != Tier::kAuto) {
    return absl::InvalidArgumentError("precompile --optimized is for --tier=auto");
  }
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine, Load(command_line));
  // NotFound is not an error: a library has no main function.
  absl::Status has_main = engine->CheckMain(command_line.entry_function);
  if (!has_main.ok() && !absl::IsNotFound(has_main)) return has_main;
  PrepareOptions options = WithProgress(progress);
  options.optimizes = command_line.precompile_optimized;
  absl::Status status = PrepareChosen(*engine, command_line.functions_file, options);
  optimized = engine->stats().promotions_made;
  FinishObservation([&] { return engine->stats(); });
  return status;
}

}  // namespace

int Precompile(const CommandLine& command_line) {
  PrepareProgress progress;
  size_t optimized = 0;
  absl::Status status = Run(command_line, progress, optimized);
  if (progress.total != 0) {
    std::printf("%zu of %zu functions compiled\n", progress.done - progress.failed, progress.total);
  }
  if (command_line.precompile_optimized && progress.total != 0) {
    std::printf("%zu optimized bodies made\n", optimized);
  }
  if (status.ok()) return 0;
  std::fprintf(stderr, "firstcall: %s\n", std::string(status.message()).c_str());
  return 1;
}

}  // namespace firstcall
