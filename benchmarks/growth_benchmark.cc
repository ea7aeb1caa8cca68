// Question: how do the phases of compiling, the time of the whole process and its memory grow with
// the size of a function, and with the number of functions in a module?
//
//   bazel run -c opt //benchmarks:growth -- DIR [LARGEST]
//
// Writes functions of 1,000 to LARGEST (64,000) branches, in several shapes, and modules of 1,000
// to 100,000 functions into DIR. Runs each at tier 0 and with the default options, in a process of
// its own, three times; the fastest run counts. Baselines: the same shape at a fourth of the size,
// and tier 0. Bars, for each shape: with 4 times the branches, split and link take at most 4.8
// times as long; for a function of 16,000 branches, a process with the default options takes at
// most 1.2 times as long as one of tier 0, its exit included. emit is LLVM's own and has no bar. Of
// a module of 100,000 functions, a function that is not called takes at most 0.15 us of load and
// 100 bytes of memory beside the file's own; the baseline is the module with a tenth of the
// functions.
//
// Prints a line for each size and tier: the milliseconds of load, split, emit and link, which the
// engine counts for all of its threads, the milliseconds of the whole process, and its peak memory.
// Then prints the bars, and whether each was met.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "benchmarks/bars.h"
#include "benchmarks/report.h"
#include "engine/engine.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/measure/process_run.h"

namespace firstcall::benchmarks {
namespace {

constexpr double kMostTimesOfPhase = 4.8;
constexpr double kMostTimesOfTierZero = 1.2;
constexpr int kBarredBranches = 16'000;
constexpr int kGrowth = 4;
constexpr int kRuns = 3;
constexpr absl::Duration kTimeLimit = absl::Minutes(5);
// For a function that is not called.
constexpr double kMostMicroseconds = 0.15;
constexpr double kMostBytes = 100;
constexpr int kBarredFunctions = 100'000;
// Shorter times are noise and get no bar.
constexpr double kLeastMilliseconds = 2;

// --- Programs ---

// The body of @work(i32 %a), with `count` branches. Each branch adds to %r.
std::string Ifs(int count) {
  std::string text = "br label %b0\n";
  for (int i = 0; i < count; ++i) {
    absl::StrAppendFormat(&text,
                          "b%1$d:\n%%v%1$d = load i32, ptr %%r\n%%m%1$d = and i32 %%a, %2$d\n"
                          "%%c%1$d = icmp ne i32 %%m%1$d, 0\n"
                          "br i1 %%c%1$d, label %%x%1$d, label %%b%3$d\n"
                          "x%1$d:\n%%w%1$d = add i32 %%v%1$d, %1$d\nstore i32 %%w%1$d, ptr %%r\n"
                          "br label %%b%3$d\n",
                          i, i % 31 + 1, i + 1);
  }
  return absl::StrFormat("%sb%d:\nbr label %%end\n", text, count);
}

// Each branch contains a loop with its own variable.
std::string Loops(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) absl::StrAppendFormat(&text, "%%k%d = alloca i32\n", i);
  absl::StrAppend(&text, "br label %b0\n");
  for (int i = 0; i < count; ++i) {
    absl::StrAppendFormat(
        &text,
        "b%1$d:\n%%v%1$d = load i32, ptr %%r\n%%c%1$d = icmp ne i32 %%v%1$d, -1\n"
        "br i1 %%c%1$d, label %%x%1$d, label %%b%2$d\n"
        "x%1$d:\nstore i32 0, ptr %%k%1$d\nbr label %%l%1$d\n"
        "l%1$d:\n%%i%1$d = load i32, ptr %%k%1$d\n%%d%1$d = icmp slt i32 %%i%1$d, %%a\n"
        "br i1 %%d%1$d, label %%y%1$d, label %%b%2$d\n"
        "y%1$d:\n%%s%1$d = load i32, ptr %%r\n%%t%1$d = add i32 %%s%1$d, %%i%1$d\n"
        "store i32 %%t%1$d, ptr %%r\n%%j%1$d = add i32 %%i%1$d, 1\n"
        "store i32 %%j%1$d, ptr %%k%1$d\nbr label %%l%1$d\n",
        i, i + 1);
  }
  return absl::StrFormat("%sb%d:\nbr label %%end\n", text, count);
}

// What one branch passes to the next is a value, not a variable.
std::string Phis(int count) {
  std::string text = "br label %b0\n";
  for (int i = 0; i < count; ++i) {
    absl::StrAppendFormat(&text, "b%d:\n", i);
    if (i == 0) {
      absl::StrAppend(&text, "%p0 = add i32 %a, 0\n");
    } else {
      absl::StrAppendFormat(&text, "%%p%1$d = phi i32 [ %%p%2$d, %%b%2$d ], [ %%q%2$d, %%x%2$d ]\n",
                            i, i - 1);
    }
    absl::StrAppendFormat(&text,
                          "%%c%1$d = icmp sgt i32 %%p%1$d, %1$d\n"
                          "br i1 %%c%1$d, label %%x%1$d, label %%b%2$d\n"
                          "x%1$d:\n%%q%1$d = xor i32 %%p%1$d, %1$d\nbr label %%b%2$d\n",
                          i, i + 1);
  }
  return absl::StrFormat("%sb%d:\nbr label %%end\n", text, count);
}

// A loop around a switch, or around a computed goto.
std::string Dispatch(int count, bool is_goto) {
  std::string text =
      "%n = alloca i32\nstore i32 0, ptr %n\nbr label %next\nnext:\n"
      "%m = load i32, ptr %n\n%m2 = add i32 %m, 1\nstore i32 %m2, ptr %n\n"
      "%more = icmp slt i32 %m, %a\nbr i1 %more, label %go, label %end\ngo:\n";
  if (is_goto) {
    absl::StrAppendFormat(&text,
                          "%%p = getelementptr [%d x ptr], ptr @labels, i32 0, i32 %%m\n"
                          "%%t = load ptr, ptr %%p\nindirectbr ptr %%t, [",
                          count);
    for (int i = 0; i < count; ++i) absl::StrAppend(&text, i == 0 ? "" : ", ", "label %x", i);
  } else {
    absl::StrAppend(&text, "switch i32 %m, label %next [\n");
    for (int i = 0; i < count; ++i) absl::StrAppendFormat(&text, "i32 %1$d, label %%x%1$d\n", i);
  }
  absl::StrAppend(&text, "]\n");
  for (int i = 0; i < count; ++i) {
    absl::StrAppendFormat(&text,
                          "x%1$d:\n%%v%1$d = load i32, ptr %%r\n%%w%1$d = add i32 %%v%1$d, %1$d\n"
                          "store i32 %%w%1$d, ptr %%r\nbr label %%next\n",
                          i);
  }
  return text;
}

constexpr const char* kShapes[] = {"ifs", "loops", "phis", "switch", "goto"};
constexpr char kModule[] = "module";

std::string ModuleOf(int functions) {
  std::string text, calls;
  constexpr int kCalled = 100, kInstructions = 10;
  for (int i = 0; i < functions; ++i) {
    absl::StrAppendFormat(&text, "define i32 @f%d(i32 %%x0) {\n", i);
    for (int k = 1; k < kInstructions; ++k) {
      absl::StrAppendFormat(&text, "%%x%d = add i32 %%x%d, %d\n", k, k - 1, i);
    }
    absl::StrAppendFormat(&text, "ret i32 %%x%d\n}\n", kInstructions - 1);
  }
  for (int i = 0; i < kCalled; ++i) {
    absl::StrAppendFormat(&calls, "%%c%d = call i32 @f%d(i32 %d)\n", i,
                          static_cast<int>(int64_t{i} * functions / kCalled), i);
  }
  return absl::StrCat(text, "define i32 @work(i32 %a) {\n", calls, "ret i32 0\n}\n");
}

std::string Program(const std::string& shape, int count) {
  const char* const kMain = "define i32 @main() {\n%r = call i32 @work(i32 2)\nret i32 0\n}\n";
  if (shape == kModule) return absl::StrCat(ModuleOf(count), kMain);
  const std::string body = shape == "ifs"     ? Ifs(count)
                           : shape == "loops" ? Loops(count)
                           : shape == "phis"  ? Phis(count)
                                              : Dispatch(count, shape == "goto");
  std::string labels;
  if (shape == "goto") {
    labels = absl::StrFormat("@labels = internal constant [%d x ptr] [", count);
    for (int i = 0; i < count; ++i) {
      absl::StrAppendFormat(&labels, "%sptr blockaddress(@work, %%x%d)", i == 0 ? "" : ", ", i);
    }
    absl::StrAppend(&labels, "]\n");
  }
  return absl::StrCat(labels, "define i32 @work(i32 %a) {\n%r = alloca i32\nstore i32 0, ptr %r\n",
                      body, "end:\n%result = load i32, ptr %r\nret i32 %result\n}\n", kMain);
}

int64_t SizeOf(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<int64_t>(size);
}

int Write(const std::string& shape, int count, const std::string& path) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::string text = Program(shape, count);
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context);
  if (module == nullptr) {
    problem.print("growth", llvm::errs());
    return 1;
  }
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error) return 1;
  llvm::WriteBitcodeToFile(*module, file);
  return 0;
}

// --- One process ---

int Run(bool is_default, const std::string& path) {
  EngineOptions options;
  options.tier = is_default ? Tier::kAuto : Tier::kZero;
  // Not destroyed, so that it still exists at exit.
  Engine& engine = *Engine::Create(std::move(options)).value().release();
  absl::Status status = engine.AddFile(path).status();
  if (status.ok()) status = engine.RunMain({path}).status();
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  const Stats stats = engine.stats();
  for (absl::Duration phase : {stats.load, stats.split, stats.emit, stats.link}) {
    absl::PrintF("%.3f ", absl::ToDoubleMilliseconds(phase));
  }
  return 0;
}

struct Measured {
  double load = 0, split = 0, emit = 0, link = 0, wall = 0;  // Milliseconds.
  double peak_mib = 0;
};

std::optional<Measured> Measure(const std::string& tier, const std::string& path) {
  std::optional<Measured> best;
  for (int i = 0; i < kRuns; ++i) {
    absl::StatusOr<measure::ProcessRun> run =
        measure::RunProcess({"/proc/self/exe", "--run", tier, path}, kTimeLimit);
    if (!run.ok() || run->end != measure::ProcessRun::End::kExited || run->code != 0)
      return std::nullopt;
    const std::vector<std::string> cells = absl::StrSplit(run->output, ' ', absl::SkipEmpty());
    Measured measured;
    if (cells.size() != 4 || !absl::SimpleAtod(cells[0], &measured.load) ||
        !absl::SimpleAtod(cells[1], &measured.split) ||
        !absl::SimpleAtod(cells[2], &measured.emit) ||
        !absl::SimpleAtod(cells[3], &measured.link)) {
      return std::nullopt;
    }
    measured.wall = absl::ToDoubleMilliseconds(run->wall);
    measured.peak_mib = static_cast<double>(run->peak_rss_kib) / 1024;
    if (!best || measured.wall < best->wall) best = measured;
  }
  return best;
}

// --- Growth ---

class Growth {
 public:
  explicit Growth(std::string directory) : directory_(std::move(directory)) {}

  void MeasureShape(const std::string& shape, int smallest, int largest, int growth) {
    absl::PrintF("%-8s %8s %-8s %9s %9s %9s %9s %9s %9s\n", shape, "size", "tier", "load ms",
                 "split", "emit", "link", "process", "peak MiB");
    Measured before[2];
    int64_t bytes = 0;  // Of the file.
    for (int size = smallest; size <= largest; size *= growth) {
      const std::string path = absl::StrCat(directory_, "/", shape, ".", size, ".bc");
      absl::StatusOr<measure::ProcessRun> written = measure::RunProcess(
          {"/proc/self/exe", "--write", shape, absl::StrCat(size), path}, kTimeLimit);
      if (!written.ok() || written->code != 0) {
        Miss(absl::StrCat(path, " is written"));
        return;
      }
      Measured now[2];
      for (int is_default : {0, 1}) {
        const std::string tier = is_default == 1 ? "default" : "0";
        std::optional<Measured> measured = Measure(tier, path);
        if (!measured) {
          Miss(absl::StrCat(path, " at tier ", tier, " runs within the time limit"));
          return;
        }
        const Measured& it = now[is_default] = *measured;
        absl::PrintF("%-8s %8d %-8s %9.2f %9.2f %9.2f %9.2f %9.2f %9.1f\n", "", size, tier, it.load,
                     it.split, it.emit, it.link, it.wall, it.peak_mib);
        std::fflush(stdout);
        if (size == smallest || shape == kModule) continue;
        Compare(absl::StrCat("split of ", shape, ", tier ", tier), before[is_default].split,
                it.split, size);
        Compare(absl::StrCat("link of ", shape, ", tier ", tier), before[is_default].link, it.link,
                size);
      }
      if (size == kBarredBranches && shape != kModule) {
        bars_.push_back(
            AtMost(absl::StrCat(shape, " of 16,000 branches: default to tier 0, at most 1.2"),
                   now[1].wall / now[0].wall, kMostTimesOfTierZero,
                   absl::StrFormat("%.0f : %.0f ms", now[1].wall, now[0].wall)));
      }
      const int64_t bytes_before = std::exchange(bytes, SizeOf(path));
      if (shape == kModule && size == kBarredFunctions) {
        CompareModules(before[0], now[0], bytes - bytes_before, size - size / growth);
      }
      std::copy(std::begin(now), std::end(now), std::begin(before));
    }
  }

  const std::vector<Bar>& bars() const { return bars_; }

 private:
  void Miss(std::string claim) {
    Bar bar;
    bar.claim = std::move(claim);
    bar.verdict = Bar::Verdict::kMissed;
    bars_.push_back(std::move(bar));
  }

  void Compare(const std::string& what, double before, double now, int size) {
    if (before < kLeastMilliseconds) return;
    bars_.push_back(
        AtMost(absl::StrCat(what, ", ", size, " branches to a fourth of them, at most 4.8"),
               now / before, kMostTimesOfPhase, absl::StrFormat("%.1f : %.1f ms", now, before)));
  }

  // `functions` more are in the second module, whose file has `bytes` more.
  void CompareModules(const Measured& before, const Measured& now, int64_t bytes, int functions) {
    const double microseconds = (now.load - before.load) * 1e3 / functions;
    const double grown = (now.peak_mib - before.peak_mib) * 1048576 - static_cast<double>(bytes);
    bars_.push_back(AtMost("a function that is not called: microseconds of load, at most 0.15",
                           microseconds, kMostMicroseconds,
                           absl::StrFormat("%.2f : %.2f ms", now.load, before.load)));
    bars_.push_back(AtMost("a function that is not called: bytes of memory, at most 100",
                           grown / functions, kMostBytes,
                           absl::StrFormat("%.1f : %.1f MiB", now.peak_mib, before.peak_mib)));
  }

  const std::string directory_;
  std::vector<Bar> bars_;
};

int Main(const std::string& directory, int largest) {
  Growth growth(directory);
  for (const char* shape : kShapes) growth.MeasureShape(shape, 1000, largest, kGrowth);
  growth.MeasureShape(kModule, 1000, 100'000, 10);
  absl::PrintF("\n%s", FormatBars(growth.bars()));
  return 0;
}

}  // namespace
}  // namespace firstcall::benchmarks

int main(int argc, char** argv) {
  using namespace firstcall::benchmarks;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  int count = 64'000;
  if (arguments.size() == 4 && arguments[0] == "--write" &&
      absl::SimpleAtoi(arguments[2], &count)) {
    return Write(arguments[1], count, arguments[3]);
  }
  if (arguments.size() == 3 && arguments[0] == "--run") {
    std::exit(Run(arguments[1] == "default", arguments[2]));
  }
  if (arguments.empty() || arguments.size() > 2 ||
      (arguments.size() == 2 && !absl::SimpleAtoi(arguments[1], &count))) {
    std::fprintf(stderr, "usage: %s DIR [LARGEST]\n", argv[0]);
    return 2;
  }
  return Main(arguments[0], count);
}
