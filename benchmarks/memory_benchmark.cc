// How much memory do compiled functions take, besides their code?
//
// Baseline: the code itself, as the linker counts it. Whole pages are counted, as the system
// provides them. Besides code they contain padding, stubs and slots, unwind tables, unused ends of
// pages, and the program's own constants and variables.
//
// Usage: memory_benchmark PROGRAM [ARGUMENT...]. Runs PROGRAM (bitcode) in this process. Prints the
// program's output first, then the memory that its first calls have used.

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmarks/bars.h"
#include "benchmarks/report.h"
#include "engine/engine.h"

namespace firstcall::benchmarks {
namespace {

constexpr double kMostTimes = 1.5;
constexpr double kMostMappings = 16;

// Lines of /proc/self/maps.
int Mappings() {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  int count = 0;
  while (std::getline(maps, line)) ++count;
  return count;
}

int Main(const std::vector<std::string>& arguments) {
  const int mappings_before = Mappings();
  std::unique_ptr<Engine> engine = Engine::Create().value();
  const int mappings = Mappings() - mappings_before;
  absl::Status status = engine->AddFile(arguments.front()).status();
  if (status.ok()) status = engine->RunMain(arguments).status();
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  std::fflush(stdout);
  const Stats stats = engine->stats();
  const MemoryUsage& memory = stats.memory;
  const auto line = [](const char* what, size_t code, size_t read_only, size_t data) {
    absl::PrintF("%-12s %10d %10d %10d\n", what, code, read_only, data);
  };
  absl::PrintF("\n%d functions, %d stubs, %d bytes of code\n", stats.functions_compiled,
               stats.stubs_made, stats.code_bytes);
  absl::PrintF("%-12s %10s %10s %10s\n", "bytes", "code", "read-only", "data");
  line("used", memory.used.code, memory.used.read_only, memory.used.data);
  line("committed", memory.committed.code, memory.committed.read_only, memory.committed.data);
  const size_t taken = memory.committed.total();
  absl::PrintF(
      "\n%s", FormatBars({AtMost("bytes taken for a byte of code, at most 1.5",
                                 static_cast<double>(taken) / static_cast<double>(stats.code_bytes),
                                 kMostTimes, absl::StrFormat("%d : %d", taken, stats.code_bytes)),
                          AtMost("mappings of an arena, at most 16", mappings, kMostMappings,
                                 absl::StrFormat("%d said", memory.mappings))}));
  return 0;
}

}  // namespace
}  // namespace firstcall::benchmarks

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s PROGRAM [ARGUMENT...]\n", argv[0]);
    return 2;
  }
  return firstcall::benchmarks::Main({argv + 1, argv + argc});
}
