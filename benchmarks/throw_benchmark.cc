// Does a C++ exception that is thrown through compiled code cost more if more functions have been
// compiled? The unwinder searches the tables of all of them for each frame.
//
// Baseline: the same throw through the same ten frames when 5 functions have been compiled. The bar
// is twice that time for 5,000. The functions that throw are compiled before or after all others:
// then their tables are in the largest group of memory/unwind_registry or in a small one. The same
// throw in code compiled ahead of time is shown for orientation.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "benchmark/benchmark.h"
#include "benchmarks/bars.h"
#include "benchmarks/report.h"
#include "engine/engine.h"

namespace firstcall::benchmarks {
namespace {

constexpr int64_t kFew = 5;
constexpr int64_t kMany = 5000;
constexpr double kMostTimes = 2;

// Ten frames from throw to catch: @attempt, @descend eight times, @raise. @attempt returns the
// number that was thrown.
constexpr int64_t kDescents = 8;
constexpr int64_t kThrowers = 3;
constexpr char kThrowingCode[] = R"(
  @_ZTIi = external constant ptr
  declare ptr @__cxa_allocate_exception(i64)
  declare void @__cxa_throw(ptr, ptr, ptr)
  declare ptr @__cxa_begin_catch(ptr)
  declare void @__cxa_end_catch()
  declare i32 @__gxx_personality_v0(...)

  define void @raise(i32 %number) uwtable noinline {
    %exception = call ptr @__cxa_allocate_exception(i64 4)
    store i32 %number, ptr %exception
    call void @__cxa_throw(ptr %exception, ptr @_ZTIi, ptr null)
    unreachable
  }

  define i64 @descend(i64 %depth) uwtable noinline {
    %left = sub i64 %depth, 1
    %last = icmp eq i64 %left, 0
    br i1 %last, label %throw, label %deeper
  throw:
    call void @raise(i32 42)
    unreachable
  deeper:
    %result = call i64 @descend(i64 %left)
    %sum = add i64 %result, 1
    ret i64 %sum
  }

  define i32 @attempt(i64 %depth) uwtable noinline personality ptr @__gxx_personality_v0 {
    %result = invoke i64 @descend(i64 %depth) to label %returned unwind label %caught
  returned:
    ret i32 0
  caught:
    %landed = landingpad { ptr, i32 } catch ptr @_ZTIi
    %exception = extractvalue { ptr, i32 } %landed, 0
    %object = call ptr @__cxa_begin_catch(ptr %exception)
    %number = load i32, ptr %object
    call void @__cxa_end_catch()
    ret i32 %number
  }
)";

using Attempt = int32_t(int64_t);

// As in the IR above. The compiler must not see that this always throws.
[[gnu::noinline]] void Raise(int32_t number) {
  benchmark::DoNotOptimize(number);
  if (number != 0) throw number;
}

[[gnu::noinline]] int64_t Descend(int64_t depth) {
  if (depth == 1) {
    Raise(42);
    return 0;
  }
  const int64_t result = Descend(depth - 1);
  benchmark::ClobberMemory();  // The call above must not become a jump.
  return result + 1;
}

[[gnu::noinline]] int32_t AttemptAheadOfTime(int64_t depth) {
  try {
    return static_cast<int32_t>(Descend(depth));
  } catch (int32_t number) {
    return number;
  }
}

std::string OtherName(int64_t number) { return absl::StrCat("other", number); }

// The throwing functions, and `count` others that neither call nor throw.
std::string Program(int64_t count) {
  std::string text = kThrowingCode;
  for (int64_t i = 0; i < count; ++i) {
    absl::StrAppend(&text, "define i64 @", OtherName(i), "(i64 %x) uwtable { %y = add i64 %x, ", i,
                    "  ret i64 %y }\n");
  }
  return text;
}

// Compiles each function by calling it.
void CallOthers(Engine& engine, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    benchmark::DoNotOptimize(engine.Lookup<int64_t(int64_t)>(OtherName(i)).value()(i));
  }
}

// The first attempt is outside the loop, because it compiles, and makes the unwinder sort its
// tables.
void ThrowRepeatedly(benchmark::State& state, Attempt* attempt) {
  if (attempt(kDescents) != 42) state.SkipWithError("something else was caught");
  for (auto _ : state) benchmark::DoNotOptimize(attempt(kDescents));
}

// The unwinder knows the tables of all engines of the process, so each run has its own engine, and
// no other one exists then.
void Throw(benchmark::State& state, bool throwers_first) {
  const int64_t others = state.range(0) - kThrowers;
  std::unique_ptr<Engine> engine = Engine::Create().value();
  engine->AddAssembly(Program(others), "throwing").value();
  auto* const attempt = engine->Lookup<Attempt>("attempt").value();
  if (throwers_first) attempt(kDescents);
  CallOthers(*engine, others);
  attempt(kDescents);
  if (engine->stats().functions_compiled != static_cast<size_t>(state.range(0))) {
    state.SkipWithError("another number of functions was compiled");
    return;
  }
  ThrowRepeatedly(state, attempt);
}

void BM_ThrowFromFirstCompiled(benchmark::State& state) { Throw(state, true); }
void BM_ThrowFromLastCompiled(benchmark::State& state) { Throw(state, false); }
void BM_ThrowAheadOfTime(benchmark::State& state) { ThrowRepeatedly(state, AttemptAheadOfTime); }

// Medians of several runs in random order, so that a disturbance affects all alike. The number of
// iterations is fixed, because finding one would need further runs, each with an engine.
void Repeat(benchmark::internal::Benchmark* benchmark) {
  benchmark->Iterations(4000)->Repetitions(9)->ReportAggregatesOnly()->Unit(
      benchmark::kMicrosecond);
}
BENCHMARK(BM_ThrowFromFirstCompiled)->Arg(kFew)->Arg(kMany)->Apply(Repeat);
BENCHMARK(BM_ThrowFromLastCompiled)->Arg(kFew)->Arg(kMany)->Apply(Repeat);
BENCHMARK(BM_ThrowAheadOfTime)->Apply(Repeat);

// Prints as usual, and keeps the medians: microseconds of CPU time per throw.
class MedianKeeper : public benchmark::ConsoleReporter {
 public:
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.error_occurred || run.aggregate_name != "median") continue;
      medians_[absl::StrCat(run.run_name.function_name, "/", run.run_name.args)] =
          run.GetAdjustedCPUTime();
    }
    ConsoleReporter::ReportRuns(runs);
  }

  // Unknown if one of the two was left out or failed.
  Bar GrowthBar(const std::string& name) const {
    Bar bar;
    bar.claim = absl::StrFormat("%s: time with %d functions, times that with %d, at most %.1f",
                                name, kMany, kFew, kMostTimes);
    const auto few = medians_.find(absl::StrCat(name, "/", kFew));
    const auto many = medians_.find(absl::StrCat(name, "/", kMany));
    if (few == medians_.end() || many == medians_.end()) {
      bar.numbers = "not measured";
      return bar;
    }
    return AtMost(std::move(bar.claim), many->second / few->second, kMostTimes,
                  absl::StrFormat("%.1f us : %.1f us", many->second, few->second));
  }

 private:
  std::map<std::string, double> medians_;
};

int Main(int argc, char** argv) {
  std::string in_random_order = "--benchmark_enable_random_interleaving=true";
  std::vector<char*> arguments = {argv[0], in_random_order.data()};
  arguments.insert(arguments.end(), argv + 1, argv + argc);
  int count = static_cast<int>(arguments.size());
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;
  MedianKeeper reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  absl::PrintF("\n%s", FormatBars({reporter.GrowthBar("BM_ThrowFromFirstCompiled"),
                                   reporter.GrowthBar("BM_ThrowFromLastCompiled")}));
  return 0;
}

}  // namespace
}  // namespace firstcall::benchmarks

int main(int argc, char** argv) { return firstcall::benchmarks::Main(argc, argv); }
