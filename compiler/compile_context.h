// What one thread needs to compile: a code generator, and views of the source modules that it has
// compiled from. Contexts share none of this.
//
// CompileContext: thread-compatible. Its destructor, and the parts that it has made, no longer use
// the target. ContextPool: thread-safe. Tested in tests/api/concurrency_test.cc.

#ifndef FIRSTCALL_COMPILER_COMPILE_CONTEXT_H_
#define FIRSTCALL_COMPILER_COMPILE_CONTEXT_H_

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/baseline/baseline_generator.h"
#include "backend/code_generator.h"
#include "backend/llvm/ir_optimizer.h"
#include "backend/llvm/llvm_text_assembler.h"
#include "backend/llvm/required_lowering.h"
#include "backend/llvm/target.h"
#include "base/ids.h"
#include "compiler/loaded_module.h"
#include "seam/debug_info.h"
#include "splitter/extract_options.h"
#include "splitter/module_view.h"

namespace firstcall {

class CompileContext {
 public:
  explicit CompileContext(const Target& target) : target_(target), assembler_(target) {}

  // The backend that covers everything: LLVM's, or MCJIT if the settings say so. A new one if the
  // last one broke. Errors as ObjectEmitter::Create.
  absl::StatusOr<CodeGenerator*> Generator();

  // Whether the last one broke.
  bool generator_is_broken() const { return generator_ != nullptr && generator_->is_broken(); }

  // The same for the IR optimizer. Null if the target does not optimize IR.
  absl::StatusOr<IrOptimizer*> Optimizer();

  // The baseline backend. Null if the target has none, or the settings turn it off.
  absl::StatusOr<baseline::BaselineGenerator*> Baseline();

  // Whether code is generated at a level above -O0.
  bool optimizes_code() const { return target_.optimizes_code(); }

  // Whether functions with `optnone` may be optimized.
  OptNone optnone() const { return target_.optnone(); }

  // What functions that LLVM's code generator makes keep of their debug information. Data has all,
  // or none.
  KeptDebugInfo kept_debug_info() const {
    switch (target_.debug_info()) {
      case DebugInfo::kAlways:
        return KeptDebugInfo::kAll;
      case DebugInfo::kLines:
        return KeptDebugInfo::kLines;
      case DebugInfo::kAuto:
      case DebugInfo::kNever:
        break;
    }
    return KeptDebugInfo::kNone;
  }
  bool keeps_lines() const { return kept_debug_info() == KeptDebugInfo::kLines; }

  // Whether a function that the baseline code generator does not cover fails.
  bool is_strict() const { return target_.baseline() == firstcall::Baseline::kStrict; }

  // For a module that is not optimized: lowers the intrinsics that no code can be generated for
  // (see RequiredLowering). If LLVM gives up, `module` is leaked and becomes null. Errors as
  // RequiredLowering's.
  absl::Status Lower(std::unique_ptr<llvm::Module>& module);

  // The same for a module that its view keeps, but that only the code generator uses afterwards.
  absl::Status Lower(llvm::Module& module);

  // This context's view of `module`, which is parsed if there is none yet. Errors as
  // LoadedModule::OpenView.
  absl::StatusOr<ModuleView*> View(LoadedModule& module);

  // Drops this context's view. The next call of View opens a new one.
  void DropView(ModuleId module);

  // After LLVM has failed, but not crashed, in a compile from `module`: drops what that has broken,
  // and the view.
  void StartAnew(ModuleId module);

  // Gives this context a view that is already open.
  void SetView(ModuleId module, std::shared_ptr<ModuleView> view);

 private:
  const Target& target_;
  std::unique_ptr<CodeGenerator> generator_;
  std::unique_ptr<IrOptimizer> optimizer_;
  LlvmTextAssembler assembler_;                            // Of the baseline backend.
  std::unique_ptr<baseline::BaselineGenerator> baseline_;  // Null until it is asked for.
  std::unique_ptr<RequiredLowering> lowering_;             // Null until a module needs it.
  absl::flat_hash_map<ModuleId, std::shared_ptr<ModuleView>> views_;
  size_t drops_seen_ = 0;  // How often views were dropped when it was taken from its pool.

  friend class ContextPool;
};

class ContextPool {
 public:
  // Holds a context, and returns it to the pool when destroyed.
  class Lease {
   public:
    Lease(Lease&& other) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (context_ != nullptr) pool_->Return(std::move(context_));
    }
    CompileContext& operator*() const { return *context_; }
    CompileContext* operator->() const { return context_.get(); }

    // Hands over the context, which may then outlive the pool. ContextPool::Return takes it back.
    std::unique_ptr<CompileContext> Release() && { return std::move(context_); }

    // Leaks the context, because LLVM has crashed in it.
    void Leak() { (void)context_.release(); }

   private:
    friend class ContextPool;
    Lease(ContextPool* pool, std::unique_ptr<CompileContext> context)
        : pool_(pool), context_(std::move(context)) {}
    ContextPool* pool_;
    std::unique_ptr<CompileContext> context_;
  };

  // `target` must outlive the pool.
  explicit ContextPool(const Target& target) : target_(target) {}

  // Returns the context that was returned last, because its views are open, or a new one if all are
  // in use. Never blocks on a compile.
  Lease Take() ABSL_LOCKS_EXCLUDED(mutex_);

  // Drops the views of `module` in all contexts. A context that is in use drops its view when it is
  // returned.
  void DropViews(ModuleId module) ABSL_LOCKS_EXCLUDED(mutex_);

  void Return(std::unique_ptr<CompileContext> context) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  const Target& target_;
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<CompileContext>> idle_ ABSL_GUARDED_BY(mutex_);
  // The last modules whose views were dropped, for contexts that were in use then.
  static constexpr size_t kDropsKept = 64;
  size_t drops_ ABSL_GUARDED_BY(mutex_) = 0;
  std::array<ModuleId, kDropsKept> dropped_ ABSL_GUARDED_BY(mutex_) = {};
};

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_COMPILE_CONTEXT_H_
