// An embedder of the engine without LLVM, in C++:
//
//   embedder CACHE COMPILER PROGRAM FUNCTION [mcjit]
//
// With `mcjit`, MCJIT is the backend. Calls FUNCTION with 6, and prints the result, whether the
// compiler's library is mapped, and what the compiler was made for. An error is a line, and the
// exit status 1.

#include <cstdio>
#include <fstream>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "cache/disk_cache.h"
#include "engine/engine.h"

namespace firstcall {
namespace {

bool IsMapped(const std::string& name) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(name) != std::string::npos) return true;
  }
  return false;
}

absl::Status Run(char** arguments) {
  EngineOptions options;
  if (arguments[5] != nullptr) options.backend = Backend::kMcjit;
  options.compiler_library = arguments[2];
  FIRSTCALL_ASSIGN_OR_RETURN(options.object_cache, DiskCache::Open(arguments[1], {}));
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Engine> engine, Engine::Create(std::move(options)));
  FIRSTCALL_RETURN_IF_ERROR(engine->AddFile(arguments[3]).status());
  const absl::string_view name = arguments[4];
  FIRSTCALL_RETURN_IF_ERROR(engine->Prepare({name}));
  FIRSTCALL_ASSIGN_OR_RETURN(int (*function)(int), engine->Lookup<int(int)>(name));
  const int result = function(6);
  std::printf("%d, %s: %s\n", result,
              IsMapped("libfirstcall_compiler") || IsMapped("LLVM") ? "mapped" : "not mapped",
              engine->stats().compiler_made_for.c_str());
  return absl::OkStatus();
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  const absl::Status status = firstcall::Run(argv);
  if (!status.ok()) std::printf("%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
