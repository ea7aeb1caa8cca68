#include "clients/orc/engine_library.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "clients/orc/attached_layers.h"
#include "clients/orc/environment.h"
#include "clients/orc/orc_compiler.h"
#include "clients/orc/orc_lazy_layer.h"
#include "clients/orc/orc_statistics.h"
#include "llvm-c/Error.h"
#include "llvm-c/LLJIT.h"
#include "llvm-c/Orc.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/Error.h"

namespace firstcall {
namespace {

void PrintAtExit() {
  std::fprintf(stderr, "firstcall: ORC: statistics\n%s", OrcStatisticsText().c_str());
}

// Says for each LLJIT who compiles for it.
void Report(const std::string& obstacle) {
  if (!OrcEnvironment::Get().prints_stats) return;
  static std::atomic<int> last{0};
  const int number = ++last;
  if (number == 1) std::atexit(PrintAtExit);
  std::fprintf(stderr, "firstcall: LLJIT %d: %s%s\n", number,
               obstacle.empty() ? "the baseline compiles" : "LLVM compiles: ", obstacle.c_str());
}

OrcLazyLayerOptions LayerOptions() {
  const OrcEnvironment& environment = OrcEnvironment::Get();
  OrcLazyLayerOptions options;
  environment.engine.ApplyTo(options.engine);
  options.checks_names = environment.checks_names;
  return options;
}

void ReportEnd(OrcLazyLayer& layer) {
  if (!OrcEnvironment::Get().prints_stats) return;
  std::fprintf(stderr, "firstcall: LLJIT ends: its lazy layer\n%s",
               layer.engine().stats().ToString().c_str());
}

// Has the LLJIT given a lazy layer when it is created. Its own layer adds its modules if there can
// be no lazy one.
void PrepareLazyLayer(llvm::orc::LLJITBuilderState& state) {
  state.NotifyCreated = [clients = std::move(state.NotifyCreated),
                         target = *state.JTMB](llvm::orc::LLJIT& jit) -> llvm::Error {
    if (clients) {
      if (llvm::Error error = clients(jit)) return error;
    }
    if (llvm::Error error = AttachLazyLayer(jit, target, LayerOptions(), ReportEnd)) {
      std::fprintf(stderr, "firstcall: a LLJIT is not lazy: %s\n",
                   llvm::toString(std::move(error)).c_str());
    }
    return llvm::Error::success();
  };
}

llvm::Error Add(OrcLazyLayer& layer, void* tracker, void* dylib,
                llvm::orc::ThreadSafeModule module) {
  if (tracker == nullptr) {
    return layer.add(*static_cast<llvm::orc::JITDylib*>(dylib), std::move(module));
  }
  return layer.add(llvm::orc::ResourceTrackerSP(static_cast<llvm::orc::ResourceTracker*>(tracker)),
                   std::move(module));
}

// Gives the state, which LLVM has prepared, a compile function. `has_concurrency`: the client has
// said whether modules of one context are to be compiled at the same time.
void GiveCompileFunction(llvm::orc::LLJITBuilderState& state, bool has_concurrency) {
  if (state.CreateCompileFunction || !state.JTMB) {
    return Report("the client has a compile function of its own");
  }
  const OrcCompilerOptions& options = OrcEnvironment::Get().options;
  const std::string obstacle = OrcObstacle(*state.JTMB, options);
  // LLVM's own compile function is one for all modules if there is one thread.
  if (obstacle.empty()) {
    state.CreateCompileFunction = OrcCompileFunctionCreator(options);
    // With a session or an executor of the client's, the LLJIT would copy each module to a context
    // of the module's own, so that modules of one context can be compiled at the same time. A copy
    // takes several times as long as the compilation.
    if (!has_concurrency && state.NumCompileThreads == 0) {
      state.SupportConcurrentCompilation = false;
    }
  }
  Report(obstacle);
}

using LlvmPrepare = llvm::Error(llvm::orc::LLJITBuilderState* state);

llvm::Error Prepare(llvm::orc::LLJITBuilderState& state, LlvmPrepare* original) {
  const bool has_concurrency = state.SupportConcurrentCompilation.has_value();
  if (llvm::Error error = original(&state)) return error;
  if (state.JTMB && OrcEnvironment::Get().is_lazy) PrepareLazyLayer(state);
  GiveCompileFunction(state, has_concurrency);
  return llvm::Error::success();
}

}  // namespace
}  // namespace firstcall

extern "C" __attribute__((visibility("default"))) void firstcall_orc_prepare(void* error,
                                                                             void* state,
                                                                             void* original) {
  new (error) llvm::Error(firstcall::Prepare(*static_cast<llvm::orc::LLJITBuilderState*>(state),
                                             reinterpret_cast<firstcall::LlvmPrepare*>(original)));
}

// LLVM's own would call the preparation that LLVM's library has. This one calls the preparation of
// the library that was preloaded.
extern "C" __attribute__((visibility("default"))) void* firstcall_orc_create(void* result,
                                                                             void* builder) {
  auto* const made = static_cast<LLVMOrcLLJITRef*>(result);
  auto* used = static_cast<LLVMOrcLLJITBuilderRef>(builder);
  if (used == nullptr) used = LLVMOrcCreateLLJITBuilder();
  llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> jit =
      reinterpret_cast<llvm::orc::LLJITBuilder*>(used)->create();
  LLVMOrcDisposeLLJITBuilder(used);
  if (!jit) {
    *made = nullptr;
    return llvm::wrap(jit.takeError());
  }
  *made = reinterpret_cast<LLVMOrcLLJITRef>(jit->release());
  return nullptr;
}

extern "C" __attribute__((visibility("default"))) bool firstcall_orc_add(void* error, void* jit,
                                                                         void* tracker, void* dylib,
                                                                         void* module) {
  firstcall::OrcLazyLayer* const layer =
      firstcall::LazyLayerOf(*static_cast<llvm::orc::LLJIT*>(jit));
  if (layer == nullptr) return false;
  new (error) llvm::Error(firstcall::Add(
      *layer, tracker, dylib, std::move(*static_cast<llvm::orc::ThreadSafeModule*>(module))));
  return true;
}

extern "C" __attribute__((visibility("default"))) bool firstcall_orc_add_reference(
    void** error, void* jit, void* tracker, void* dylib, void* module) {
  firstcall::OrcLazyLayer* const layer =
      firstcall::LazyLayerOf(*static_cast<llvm::orc::LLJIT*>(jit));
  if (layer == nullptr) return false;
  auto* const added = static_cast<llvm::orc::ThreadSafeModule*>(module);
  *error = llvm::wrap(firstcall::Add(*layer, tracker, dylib, std::move(*added)));
  LLVMOrcDisposeThreadSafeModule(static_cast<LLVMOrcThreadSafeModuleRef>(module));
  return true;
}
