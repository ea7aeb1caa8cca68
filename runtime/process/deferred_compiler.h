// A compiler that is made when something first has to be compiled. A program that finds everything
// in a cache never needs it.
//
// Thread-safe. Tested in tests/runtime/deferred_compiler_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROCESS_DEFERRED_COMPILER_H_
#define FIRSTCALL_RUNTIME_PROCESS_DEFERRED_COMPILER_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "seam/compiler.h"

namespace firstcall {

class DeferredCompiler final : public Compiler {
 public:
  // Makes the compiler. `reason` says what it is needed for: "reading 'program.bc'".
  using Factory =
      std::function<absl::StatusOr<std::unique_ptr<Compiler>>(absl::string_view reason)>;

  explicit DeferredCompiler(Factory factory) : factory_(std::move(factory)), start_(SteadyNow()) {}

  // Makes the compiler and hands it the modules that wait for it, unless that was done before.
  // Blocks, because LLVM may have to be loaded. The first error, of the factory or of adding a
  // module, is kept: no other attempt is made. Errors that may pass (base/status.h) are not kept.
  absl::Status Make(absl::string_view reason) ABSL_LOCKS_EXCLUDED(mutex_);

  // The compiler; null if there is none yet.
  Compiler* compiler() const ABSL_LOCKS_EXCLUDED(mutex_);

  // What the compiler was made for; empty if it was not made.
  std::string reason() const ABSL_LOCKS_EXCLUDED(mutex_);

  // How long this object had existed when the compiler was made; zero if it was not made.
  absl::Duration made_after() const ABSL_LOCKS_EXCLUDED(mutex_);

  // The functions of Compiler. If there is no compiler yet, a request that needs one makes it
  // first, and returns the error if that fails. ReadAgain, ForgetFunctions and Remove need none.
  absl::StatusOr<std::shared_ptr<const SymbolIndex>> Add(ModuleOrder order) override
      ABSL_LOCKS_EXCLUDED(mutex_);
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
  void ReadAgain(ModuleId module) override;
  void ForgetFunctions(ModuleId module, bool data_is_compiled) override;
  void Remove(ModuleId module) override ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<std::unique_ptr<Linker>> MakeLinker() override;
  const void* SomewhereInLibrary() override;

 private:
  // The compiler. If there is none yet, makes it, for the reason "WHAT 'FUNCTION' of 'MODULE'" or,
  // without a function, "WHAT 'MODULE'".
  absl::StatusOr<Compiler*> For(absl::string_view what, ModuleId module,
                                std::optional<SymbolOrdinal> function = std::nullopt)
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status MakeLocked(absl::string_view reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Factory factory_;
  const absl::Duration start_;  // When this object was made.
  // Held while the compiler is made: others that need it wait.
  mutable absl::Mutex mutex_;
  std::unique_ptr<Compiler> compiler_ ABSL_GUARDED_BY(mutex_);
  std::string reason_ ABSL_GUARDED_BY(mutex_);
  absl::Duration made_after_ ABSL_GUARDED_BY(mutex_);
  absl::Status failure_ ABSL_GUARDED_BY(mutex_);
  // The modules that were added before there was a compiler; empty when there is one. They are
  // handed over in the order of their numbers.
  std::map<ModuleId, ModuleOrder> waiting_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_DEFERRED_COMPILER_H_
