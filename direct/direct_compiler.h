// The compiler half without LLVM: reads bitcode (bitcode/) and compiles first bodies and data by
// the baseline code generator (backend/baseline). What it does not cover it refuses: Unimplemented,
// or InvalidArgument for bitcode that looks damaged. Then the compiler half with LLVM has to be
// asked (runtime/process/compiler_pair.h).
//
// A module's symbols have the numbers and the names that they have for the compiler half with LLVM,
// and objects of both can be linked with each other.
//
// Thread-safe: each call leases a compile context. No lock is held while code is generated.

#ifndef FIRSTCALL_DIRECT_DIRECT_COMPILER_H_
#define FIRSTCALL_DIRECT_DIRECT_COMPILER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "direct/compile_context.h"
#include "direct/compile_settings.h"
#include "direct/source_module.h"
#include "seam/compiler.h"
#include "seam/compiler_settings.h"

namespace firstcall::direct {

class DirectCompiler final : public Compiler {
 public:
  // Null if only LLVM can do what the settings ask for.
  static std::unique_ptr<DirectCompiler> Create(const CompilerSettings& settings);

  // A compiler for this process, whose code uses `features` of FeatureNames. The caller knows that
  // the settings ask for nothing else that only LLVM can do (FindPlainTarget).
  static std::unique_ptr<DirectCompiler> CreateFor(std::vector<std::string> features,
                                                   const CompilerSettings& settings);

  // Modules of bitcode only. If the index is known, nothing is read now, and what cannot be read is
  // refused by later calls.
  absl::StatusOr<std::shared_ptr<const SymbolIndex>> Add(ModuleOrder order) override;
  absl::StatusOr<CompiledFunction> CompileFunction(const FunctionOrder& order) override;
  absl::StatusOr<CompiledObject> CompileData(const DataOrder& order) override;
  // Describes nothing; but knows whether a module has debug information.
  absl::StatusOr<CodeDescription> DescribeBodies(const DescriptionOrder& order) override;
  absl::StatusOr<BodyDigests> DigestBodies(ModuleId module) override;
  absl::StatusOr<AssemblyLabels> ReadLabels(ModuleId module) override;
  absl::StatusOr<EntryPoint> ReadEntryPoint(ModuleId module, SymbolOrdinal function) override;
  absl::StatusOr<FunctionShape> ReadShape(ModuleId module, SymbolOrdinal function,
                                          bool is_last_use) override;
  // Nothing is ever taken out of what was read.
  void ReadAgain(ModuleId) override {}
  void ForgetFunctions(ModuleId module, bool data_is_compiled) override;
  void Remove(ModuleId module) override;

  // Always Unimplemented.
  absl::StatusOr<CompiledObject> CompileWhole(const DataOrder& order) override;
  absl::StatusOr<CompiledObject> Optimize(const OptimizationOrder& order) override;
  absl::StatusOr<std::unique_ptr<Linker>> MakeLinker() override;
  const void* SomewhereInLibrary() override { return nullptr; }

 private:
  DirectCompiler(baseline::BaselineOptions options, const CompileSettings& settings)
      : contexts_(std::move(options), settings) {}

  std::shared_ptr<SourceModule> Find(ModuleId id) const ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::shared_ptr<const ReadModule>> Read(ModuleId id) const
      ABSL_LOCKS_EXCLUDED(mutex_);

  ContextPool contexts_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<ModuleId, std::shared_ptr<SourceModule>> modules_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_DIRECT_COMPILER_H_
