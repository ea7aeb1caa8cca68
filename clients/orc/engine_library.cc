#include "clients/orc/engine_library.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "clients/orc/environment.h"
#include "clients/orc/orc_compiler.h"
#include "clients/orc/orc_statistics.h"
#include "llvm-c/Error.h"
#include "llvm-c/LLJIT.h"
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

void Prepare(llvm::orc::LLJITBuilderState& state) {
  if (state.CreateCompileFunction || !state.JTMB) {
    return Report("the client has a compile function of its own");
  }
  const OrcCompilerOptions& options = OrcEnvironment::Get().options;
  const std::string obstacle = OrcObstacle(*state.JTMB, options);
  // LLVM's own compile function is one for all modules if there is one thread.
  if (obstacle.empty()) state.CreateCompileFunction = OrcCompileFunctionCreator(options);
  Report(obstacle);
}

}  // namespace
}  // namespace firstcall

extern "C" __attribute__((visibility("default"))) void firstcall_orc_prepare(void* state) {
  firstcall::Prepare(*static_cast<llvm::orc::LLJITBuilderState*>(state));
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
