// What do a call through a stub, a first call, and a function that is never called cost? Baselines:
// a call through a plain function pointer, and the same functions compiled eagerly as one module.

#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "benchmark/benchmark.h"
#include "engine/engine.h"

namespace firstcall {
namespace {

// `count` functions that do not call each other; each adds its number to its argument.
std::string IndependentFunctions(int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    absl::StrAppend(&text, "define i64 @f", i, "(i64 %x) { %y = add i64 %x, ", i,
                    "  ret i64 %y }\n");
  }
  return text;
}

std::unique_ptr<Engine> EngineWith(const std::string& text, Mode mode) {
  EngineOptions options;
  options.mode = mode;
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  engine->AddAssembly(text, "functions").value();
  return engine;
}

using Function = int64_t(int64_t);

// The pointer is volatile so that each iteration loads and calls it.
void CallRepeatedly(benchmark::State& state, Function* function) {
  Function* volatile pointer = function;
  int64_t value = pointer(0);
  for (auto _ : state) value = pointer(value);
  benchmark::DoNotOptimize(value);
}

void BM_CallThroughStub(benchmark::State& state) {
  std::unique_ptr<Engine> engine = EngineWith(IndependentFunctions(1), Mode::kLazy);
  CallRepeatedly(state, engine->Lookup<Function>("f0").value());
}
BENCHMARK(BM_CallThroughStub);

void BM_CallOfEagerCode(benchmark::State& state) {
  std::unique_ptr<Engine> engine = EngineWith(IndependentFunctions(1), Mode::kEager);
  CallRepeatedly(state, engine->Lookup<Function>("f0").value());
}
BENCHMARK(BM_CallOfEagerCode);

// Time per function for the first calls of `range` functions, including their compiles.
void BM_FirstCall(benchmark::State& state) {
  const std::string text = IndependentFunctions(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    std::unique_ptr<Engine> engine = EngineWith(text, Mode::kLazy);
    state.ResumeTiming();
    int64_t sum = 0;
    for (int64_t i = 0; i < state.range(0); ++i) {
      sum += engine->Lookup<Function>(absl::StrCat("f", i)).value()(i);
    }
    benchmark::DoNotOptimize(sum);
    state.PauseTiming();
    engine = nullptr;
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_FirstCall)->Arg(1)->Arg(100)->Arg(1000)->Unit(benchmark::kMicrosecond);

// Time for the first call of one of `range` functions: shows what the other functions cost. Adding
// the module is not counted, because text is always read whole, unlike bitcode.
void BM_NeverCalled(benchmark::State& state) {
  const std::string text = IndependentFunctions(state.range(0));
  for (auto _ : state) {
    state.PauseTiming();
    std::unique_ptr<Engine> engine = EngineWith(text, Mode::kLazy);
    state.ResumeTiming();
    benchmark::DoNotOptimize(engine->Lookup<Function>("f0").value()(1));
    state.PauseTiming();
    engine = nullptr;
    state.ResumeTiming();
  }
}
BENCHMARK(BM_NeverCalled)->Arg(1)->Arg(100)->Arg(10000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace firstcall
