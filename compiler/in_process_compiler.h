// The compiler half in the process of the program: LLVM's reader and code generators on the threads
// that ask.
//
// Thread-safe: each call leases a compile context. While LLVM works, only the mutex of the
// context's own view is held. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_COMPILER_IN_PROCESS_COMPILER_H_
#define FIRSTCALL_COMPILER_IN_PROCESS_COMPILER_H_

#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/llvm/target.h"
#include "base/fatal_error_guard.h"
#include "base/ids.h"
#include "compiler/compile_context.h"
#include "compiler/loaded_module.h"
#include "seam/compiler.h"
#include "seam/compiler_settings.h"
#include "seam/listener.h"
#include "seam/symbol_index.h"
#include "splitter/module_source.h"

namespace firstcall {

class InProcessCompiler final : public Compiler {
 public:
  // Errors as Target::Create; InvalidArgument, with LLVM's message, if LLVM refuses one of its own
  // options in the settings. `listener` must outlive the compiler.
  static absl::StatusOr<std::unique_ptr<InProcessCompiler>> Create(const CompilerSettings& settings,
                                                                   Listener& listener);

  // The same as Add, for a source that need not be bytes. `known` is its index, or null.
  absl::StatusOr<std::shared_ptr<const SymbolIndex>> AddSource(
      ModuleId id, std::unique_ptr<ModuleSource> source, std::shared_ptr<const SymbolIndex> known)
      ABSL_LOCKS_EXCLUDED(mutex_);

  absl::StatusOr<std::shared_ptr<const SymbolIndex>> Add(ModuleOrder order) override;
  absl::StatusOr<CompiledFunction> CompileFunction(const FunctionOrder& order) override;
  absl::StatusOr<CompiledObject> CompileData(const DataOrder& order) override;
  absl::StatusOr<CompiledObject> CompileWhole(const DataOrder& order) override;
  absl::StatusOr<CompiledObject> Optimize(const OptimizationOrder& order) override;
  absl::StatusOr<CodeDescription> DescribeBodies(const DescriptionOrder& order) override;
  absl::StatusOr<BodyDigests> DigestBodies(ModuleId module) override;
  absl::StatusOr<AssemblyLabels> ReadLabels(ModuleId module) override;
  absl::StatusOr<EntryPoint> ReadEntryPoint(ModuleId module, SymbolOrdinal function) override;
  absl::StatusOr<FunctionShape> ReadShape(ModuleId module, SymbolOrdinal function,
                                          bool is_last_use) override;
  void ReadAgain(ModuleId module) override { contexts_.DropViews(module); }
  void ForgetFunctions(ModuleId module, bool data_is_compiled) override;
  void Remove(ModuleId module) override;
  absl::StatusOr<std::unique_ptr<Linker>> MakeLinker() override;
  const void* SomewhereInLibrary() override;

 private:
  InProcessCompiler(const CompilerSettings& settings, Target target, Listener& listener);

  std::shared_ptr<LoadedModule> Find(ModuleId id) const ABSL_LOCKS_EXCLUDED(mutex_);

  const Target target_;
  const Target optimizing_target_;
  const bool may_optimize_;
  const bool infers_;  // See GenerateOptimized.
  Listener& listener_;
  // Null unless crashes are contained. Shared, because an optimization may outlive the compiler.
  const std::shared_ptr<const CrashContainment> containment_;
  ContextPool contexts_;             // For first bodies and data.
  ContextPool optimizing_contexts_;  // For optimized bodies.
  ContextPool contexts_for_lines_;   // For the lines of bodies.
  // From IR whose debug information is kept: for descriptions, and for optimized bodies.
  ContextPool describing_contexts_;
  ContextPool described_optimizing_contexts_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<ModuleId, std::shared_ptr<LoadedModule>> modules_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_IN_PROCESS_COMPILER_H_
