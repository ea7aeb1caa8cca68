// What do compile threads gain?
//
//   bazel run -c opt //benchmarks:threads -- MODULE
//
// MODULE is SQLite's of fetch_workloads.sh. First: the time to prepare all of MODULE with two
// compile threads; baseline: with one. Second: the time of the first call of a small function while
// two threads prepare MODULE in the background; baseline: while they are idle. Rounds alternate;
// the results are medians.

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "benchmarks/bars.h"
#include "benchmarks/report.h"
#include "engine/engine.h"
#include "tools/measure/statistics.h"

namespace firstcall::benchmarks {
namespace {

constexpr int kRounds = 7;
constexpr double kLeastSpeedup = 1.7;
constexpr double kMostWait = 1.3;
constexpr int kSmallFunctions = 400;

[[noreturn]] void Fail(const absl::Status& status) {
  std::fprintf(stderr, "threads: %s\n", std::string(status.message()).c_str());
  std::exit(1);
}

std::unique_ptr<Engine> Load(const std::string& module, size_t compile_threads) {
  EngineOptions options;
  options.compile_threads = compile_threads;
  absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Create(options);
  if (!engine.ok()) Fail(engine.status());
  if (absl::Status status = (*engine)->AddFile(module).status(); !status.ok()) Fail(status);
  return *std::move(engine);
}

// Milliseconds to prepare all functions that can be compiled.
double TimeToPrepare(const std::string& module, size_t compile_threads) {
  std::unique_ptr<Engine> engine = Load(module, compile_threads);
  const absl::Time start = absl::Now();
  (void)engine->PrepareAll();
  return absl::ToDoubleMilliseconds(absl::Now() - start);
}

// Functions of three blocks each, without calls.
std::string SmallFunctions() {
  std::string text;
  for (int i = 0; i < kSmallFunctions; ++i) {
    absl::StrAppend(&text, "define i64 @small", i, "(i64 %x) {\n", "  %c = icmp slt i64 %x, ", i,
                    "\n  br i1 %c, label %a, label %b\n",
                    "a:\n  %y = mul i64 %x, 3\n  br label %b\n",
                    "b:\n  %z = phi i64 [ %x, %0 ], [ %y, %a ]\n  ret i64 %z\n}\n");
  }
  return text;
}

// Microseconds that the first call of a small function takes; the median of many functions.
double WaitForFirstCall(const std::string& module, bool is_busy) {
  std::unique_ptr<Engine> engine = Load(module, /*compile_threads=*/2);
  if (absl::Status status = engine->AddAssembly(SmallFunctions(), "small").status(); !status.ok()) {
    Fail(status);
  }
  std::atomic<bool> is_over{false};
  std::atomic<bool> has_begun{false};
  std::thread background;
  if (is_busy) {
    background = std::thread([&] {
      PrepareOptions options;
      options.progress = [&](const PrepareProgress& progress) {
        if (progress.done > 20) has_begun = true;
        return !is_over;
      };
      (void)engine->PrepareAll(options);
      has_begun = true;
    });
    while (!has_begun) std::this_thread::yield();
  }
  std::vector<double> waits;
  for (int i = 0; i < kSmallFunctions; ++i) {
    absl::StatusOr<int64_t (*)(int64_t)> function =
        engine->Lookup<int64_t(int64_t)>(absl::StrCat("small", i));
    if (!function.ok()) Fail(function.status());
    const absl::Time start = absl::Now();
    (*function)(i);
    waits.push_back(absl::ToDoubleMicroseconds(absl::Now() - start));
  }
  is_over = true;
  if (background.joinable()) background.join();
  return measure::Median(waits);
}

int Main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: threads MODULE\n");
    return 2;
  }
  const std::string module = argv[1];
  std::vector<double> one, two, idle, busy;
  for (int round = 0; round < kRounds; ++round) {
    one.push_back(TimeToPrepare(module, 1));
    two.push_back(TimeToPrepare(module, 2));
    idle.push_back(WaitForFirstCall(module, /*is_busy=*/false));
    busy.push_back(WaitForFirstCall(module, /*is_busy=*/true));
  }
  const double speedup = measure::Median(one) / measure::Median(two);
  const double wait = measure::Median(busy) / measure::Median(idle);
  absl::PrintF(
      "%s",
      FormatBars(
          {AtLeast(
               absl::StrFormat(
                   "preparing with 2 compile threads: times as fast as with 1, at least %.1f",
                   kLeastSpeedup),
               speedup, kLeastSpeedup,
               absl::StrFormat("%.0f ms : %.0f ms", measure::Median(one), measure::Median(two))),
           AtMost(absl::StrFormat(
                      "wait for a first call, 2 threads busy: times the idle one, at most %.1f",
                      kMostWait),
                  wait, kMostWait,
                  absl::StrFormat("%.0f us : %.0f us", measure::Median(busy),
                                  measure::Median(idle)))}));
  return 0;
}

}  // namespace
}  // namespace firstcall::benchmarks

int main(int argc, char** argv) { return firstcall::benchmarks::Main(argc, argv); }
