// Everything one thread needs to compile: a code generator, a linker, and views of the source
// modules it has met. Threads that compile share none of it.
//
// CompileContext: thread-compatible; what it has made, and its end, need no more of the target.
// ContextPool: thread-safe.

#ifndef FIRSTCALL_ENGINE_COMPILE_CONTEXT_H_
#define FIRSTCALL_ENGINE_COMPILE_CONTEXT_H_

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"
#include "engine/ir_optimizer.h"
#include "engine/mcjit_linker.h"
#include "engine/object_emitter.h"
#include "engine/required_lowering.h"
#include "engine/source_module.h"
#include "engine/target.h"
#include "splitter/module_view.h"

namespace firstcall {

class CompileContext {
 public:
  explicit CompileContext(const Target& target) : target_(target), linker_(target) {}

  // A code generator that works: the last one, unless it broke. Errors as ObjectEmitter::Create.
  absl::StatusOr<ObjectEmitter*> Emitter();

  // The same for the optimizer of IR; null if the target wants none.
  absl::StatusOr<IrOptimizer*> Optimizer();

  // Lowers what code cannot be generated for (see RequiredLowering) in a module that is not
  // optimized. If LLVM gives up `module` is null afterwards, and leaked. Errors as
  // RequiredLowering's.
  absl::Status Lower(std::unique_ptr<llvm::Module>& module);

  // The same for a module of which only the emitter wants anything afterwards.
  absl::Status Lower(llvm::Module& module);

  McjitLinker& linker() { return linker_; }

  // This context's view of `module`; parsed the first time. Errors as ModuleSource::OpenView.
  absl::StatusOr<ModuleView*> View(SourceModule& module);

  // Gives this context's view up; the next call of View opens another.
  void DropView(const SourceModule& module);
  void DropView(ModuleId module);

  // Lets this context have a view that was already opened.
  void SetView(const SourceModule& module, std::shared_ptr<ModuleView> view);

 private:
  const Target& target_;
  std::unique_ptr<ObjectEmitter> emitter_;
  std::unique_ptr<IrOptimizer> optimizer_;
  std::unique_ptr<RequiredLowering> lowering_;  // Made when a module needs it.
  McjitLinker linker_;
  absl::flat_hash_map<ModuleId, std::shared_ptr<ModuleView>> views_;
  size_t drops_seen_ = 0;  // How often views were dropped when it was taken from its pool.

  friend class ContextPool;
};

class ContextPool {
 public:
  // Returns its context to the pool at the end of its life.
  class Lease {
   public:
    Lease(Lease&& other) = default;
    Lease& operator=(Lease&&) = delete;
    ~Lease() {
      if (context_ != nullptr) pool_->Return(std::move(context_));
    }
    CompileContext& operator*() const { return *context_; }
    CompileContext* operator->() const { return context_.get(); }

    // The context, which may outlive the pool then. ContextPool::Return takes it back.
    std::unique_ptr<CompileContext> Release() && { return std::move(context_); }

    // Leaks the context, because something in it has crashed, and takes another one.
    void Replace() {
      (void)context_.release();
      context_ = std::move(pool_->Take().context_);
    }

   private:
    friend class ContextPool;
    Lease(ContextPool* pool, std::unique_ptr<CompileContext> context)
        : pool_(pool), context_(std::move(context)) {}
    ContextPool* pool_;
    std::unique_ptr<CompileContext> context_;
  };

  // `target` must outlive the pool.
  explicit ContextPool(const Target& target) : target_(target) {}

  // The context that was returned last, because its views are warm, or a new one if all are in use.
  // Never blocks on a compile.
  Lease Take() ABSL_LOCKS_EXCLUDED(mutex_);

  // Lets all contexts give their views of `module` up; one that is in use does when it is returned.
  void DropViews(const SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

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

#endif  // FIRSTCALL_ENGINE_COMPILE_CONTEXT_H_
