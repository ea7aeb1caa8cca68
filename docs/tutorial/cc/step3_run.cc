// Step 3: runs a program. Functions are compiled when they are first called.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "docs/tutorial/cc/generator.h"
#include "docs/tutorial/cc/host.h"
#include "firstcall/base/status.h"
#include "firstcall/engine/engine.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace {

absl::Status Run(const char* file, double argument) {
  FIRSTCALL_ASSIGN_OR_RETURN(const pebble::Program program, pebble::ReadProgram(file));

  firstcall::EngineOptions options;
  options.symbol_finder = pebble::FindHostFunction;
  FIRSTCALL_ASSIGN_OR_RETURN(auto engine, firstcall::Engine::Create(options));

  // The engine takes over both, so each module has a context of its own.
  auto context = std::make_unique<llvm::LLVMContext>();
  FIRSTCALL_ASSIGN_OR_RETURN(auto module, pebble::Generate(program, *context));
  FIRSTCALL_RETURN_IF_ERROR(engine->AddModule(std::move(context), std::move(module)).status());

  FIRSTCALL_ASSIGN_OR_RETURN(auto start, engine->Lookup<double(double)>("start"));
  start(argument);

  const firstcall::Stats stats = engine->stats();
  std::printf("compiled: %zu of %zu\n", stats.functions_compiled, stats.functions_known);
  return absl::OkStatus();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: step3_run PROGRAM NUMBER\n");
    return 2;
  }
  const absl::Status status = Run(argv[1], std::atof(argv[2]));
  if (!status.ok()) std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
  return status.ok() ? 0 : 1;
}
