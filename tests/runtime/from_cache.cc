// Runs a program from an object cache with the runtime half of the engine alone, without a
// compiler:
//
//   from_cache DIRECTORY ARGUMENT...
//
// DIRECTORY is that of a disk cache with one module. Ends with 100 if something had to be compiled.

#include <fcntl.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "cache/disk_cache.h"
#include "cache/pack.h"
#include "memory/arena_memory.h"
#include "memory/in_process_mapper.h"
#include "runtime/link/module_cache.h"
#include "runtime/process/listener_group.h"
#include "runtime/process/process_symbols.h"
#include "runtime/process/work_scope.h"
#include "runtime/program/runtime.h"
#include "seam/compiler.h"
#include "seam/symbol_index.h"

namespace firstcall {
namespace {

absl::Status Refusal() { return absl::UnavailableError("there is no compiler"); }

class NoCompiler final : public Compiler {
 public:
  absl::StatusOr<CompiledFunction> CompileFunction(const FunctionOrder&) override {
    return Refusal();
  }
  absl::StatusOr<CompiledObject> CompileData(const DataOrder&) override { return Refusal(); }
  absl::StatusOr<CompiledObject> CompileWhole(const DataOrder&) override { return Refusal(); }
  absl::StatusOr<CompiledObject> Optimize(const OptimizationOrder&) override { return Refusal(); }
  absl::StatusOr<BodyDigests> DigestBodies(ModuleId) override { return Refusal(); }
  absl::StatusOr<AssemblyLabels> ReadLabels(ModuleId) override { return Refusal(); }
  absl::StatusOr<EntryPoint> ReadEntryPoint(ModuleId, SymbolOrdinal) override { return Refusal(); }
  absl::StatusOr<FunctionShape> ReadShape(ModuleId, SymbolOrdinal, bool) override {
    return Refusal();
  }
  absl::StatusOr<std::shared_ptr<const SymbolIndex>> Add(ModuleOrder) override { return Refusal(); }
  absl::StatusOr<std::unique_ptr<Linker>> MakeLinker() override { return Refusal(); }
  const void* SomewhereInLibrary() override { return nullptr; }
  void ReadAgain(ModuleId) override {}
  void ForgetFunctions(ModuleId, bool) override {}
  void Remove(ModuleId) override {}
};

constexpr ModulePart kIndexPart{ModulePart::Kind::kIndex, {}};

// The pack of the only program in the cache.
absl::StatusOr<std::unique_ptr<Pack>> OpenPack(const std::string& directory) {
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().extension().string() != kPackSuffix) continue;
    FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Pack> pack,
                               Pack::Open(AT_FDCWD, entry.path().string()));
    if (pack->Find(kIndexPart) != nullptr) return pack;
  }
  return absl::NotFoundError("no pack");
}

absl::StatusOr<int> Run(const std::string& directory, std::vector<std::string> arguments) {
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<Pack> pack, OpenPack(directory));
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<DiskCache> cache, DiskCache::Open(directory, {}));
  Runtime::NewModule module;
  module.name = std::string(pack->label());
  module.cache = std::make_unique<ModuleCache>(*cache, module.name, std::string(pack->signature()));
  std::optional<ObjectBytes> index = module.cache->Find(kIndexPart);
  if (!index) return absl::NotFoundError("no index");
  FIRSTCALL_ASSIGN_OR_RETURN(SymbolIndex decoded, SymbolIndex::Decode(*std::move(index)));
  module.index = std::make_shared<const SymbolIndex>(std::move(decoded));
  FIRSTCALL_ASSIGN_OR_RETURN(
      std::shared_ptr<ArenaMemory> arenas,
      ArenaMemory::Create(std::make_shared<InProcessMapper>(), ArenaMemoryOptions()));

  NoCompiler compiler;
  ListenerGroup listeners;
  RuntimeOptions options;
  options.promotes = true;
  options.outside.process = FindInProcess;
  Runtime runtime(std::move(options), compiler, listeners,
                  Runtime::MakeCodeSpace(arenas, arenas, {}));
  module.id = runtime.NextId();
  {
    WorkScope scope;
    FIRSTCALL_RETURN_IF_ERROR(runtime.Add(std::move(module), SteadyNow()).status());
  }
  arguments.insert(arguments.begin(), "program");
  absl::StatusOr<int> status = runtime.RunMain(arguments, "main");
  runtime.RunDestructors();
  runtime.Stop();
  return status;
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) {
  const absl::StatusOr<int> status =
      firstcall::Run(argv[1], std::vector<std::string>(argv + 2, argv + argc));
  if (status.ok()) return *status;
  std::fprintf(stderr, "%s\n", status.status().ToString().c_str());
  return 100;
}
