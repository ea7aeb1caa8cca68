// Two compilers as one: a small one, which does without LLVM and compiles most first bodies, and
// the complete one. The small one is asked first. The complete one, which is made and loads LLVM
// when it is first needed, is asked for what the small one refuses, and for optimized code.
//
// Both number a module's symbols in the same way, so it does not matter which of them has compiled
// a function.
//
// Thread-safe. Tested in tests/runtime/compiler_pair_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROCESS_COMPILER_PAIR_H_
#define FIRSTCALL_RUNTIME_PROCESS_COMPILER_PAIR_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "runtime/process/deferred_compiler.h"
#include "seam/compiler.h"

namespace firstcall {

class CompilerPair final : public Compiler {
 public:
  // `complete` must outlive the pair.
  CompilerPair(std::unique_ptr<Compiler> small, DeferredCompiler& complete)
      : small_(std::move(small)), complete_(complete) {}

  // For what the complete compiler was asked because the small one refused: how often, by reason.
  std::map<std::string, size_t> refusals() const ABSL_LOCKS_EXCLUDED(mutex_);

  // The functions of Compiler. Errors are those of the complete compiler, if it was asked.
  absl::StatusOr<std::shared_ptr<const SymbolIndex>> Add(ModuleOrder order) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  // If functions had joined before the small compiler refused, they join again. If they do not, the
  // result is an error, as if the compile had failed.
  absl::StatusOr<CompiledFunction> CompileFunction(const FunctionOrder& order) override;
  absl::StatusOr<CompiledObject> CompileData(const DataOrder& order) override;
  absl::StatusOr<CompiledObject> CompileWhole(const DataOrder& order) override {
    return complete_.CompileWhole(order);
  }
  absl::StatusOr<CompiledObject> Optimize(const OptimizationOrder& order) override {
    return complete_.Optimize(order);
  }
  // Does not make the complete compiler for a module that has no debug information.
  absl::StatusOr<CodeDescription> DescribeBodies(const DescriptionOrder& order) override;
  // Does not make the complete compiler: digests only save work.
  absl::StatusOr<BodyDigests> DigestBodies(ModuleId module) override;
  absl::StatusOr<AssemblyLabels> ReadLabels(ModuleId module) override;
  absl::StatusOr<EntryPoint> ReadEntryPoint(ModuleId module, SymbolOrdinal function) override;
  absl::StatusOr<FunctionShape> ReadShape(ModuleId module, SymbolOrdinal function,
                                          bool is_last_use) override;
  void ReadAgain(ModuleId module) override;
  void ForgetFunctions(ModuleId module, bool data_is_compiled) override;
  void Remove(ModuleId module) override ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::unique_ptr<Linker>> MakeLinker() override { return complete_.MakeLinker(); }
  const void* SomewhereInLibrary() override { return complete_.SomewhereInLibrary(); }

 private:
  // A module that the small compiler has, for messages.
  struct Known {
    std::string name;
    std::shared_ptr<const SymbolIndex> index;
  };

  // Whether the small compiler has `module`.
  bool Has(ModuleId module) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Counts the refusal `why`.
  void Note(const absl::Status& why) ABSL_LOCKS_EXCLUDED(mutex_);
  // The same, and makes the complete compiler, for the reason "WHAT 'FUNCTION' of 'MODULE': WHY" or
  // "WHAT 'MODULE': WHY".
  absl::Status NeedComplete(absl::string_view what, ModuleId module,
                            std::optional<SymbolOrdinal> function, const absl::Status& why)
      ABSL_LOCKS_EXCLUDED(mutex_);

  const std::unique_ptr<Compiler> small_;
  DeferredCompiler& complete_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<ModuleId, Known> known_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, size_t> refusals_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_COMPILER_PAIR_H_
