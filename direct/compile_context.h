// What one thread needs to compile without LLVM: the settings, the code generator, readers of the
// bodies of source modules, and the memory that these keep from function to function. Contexts
// share none of this.
//
// CompileContext: thread-compatible. ContextPool: thread-safe.

#ifndef FIRSTCALL_DIRECT_COMPILE_CONTEXT_H_
#define FIRSTCALL_DIRECT_COMPILE_CONTEXT_H_

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/baseline/baseline_compiler.h"
#include "backend/baseline/module_compiler.h"
#include "bitcode/function_reader.h"
#include "direct/compile_settings.h"
#include "direct/module_mapper.h"
#include "direct/number_map.h"
#include "direct/replaceable_body.h"
#include "direct/shared_constants.h"
#include "direct/source_module.h"
#include "ir/function.h"

namespace firstcall::direct {

class CompileContext {
 public:
  // Errors as BaselineCompiler::Create.
  static absl::StatusOr<std::unique_ptr<CompileContext>> Create(
      const baseline::BaselineOptions& options, const CompileSettings& settings);

  const CompileSettings& settings() const { return settings_; }

  // This context's reader of the bodies of `module`, valid until DropForgotten.
  bitcode::FunctionReader& ReaderOf(const std::shared_ptr<const ReadModule>& module);

  // What this context knows of functions of `module` that others may be compiled together with, by
  // the numbers of globals: how many instructions a function has, or 0 if the function must be
  // compiled alone. Valid as the reader.
  NumberMap& SizesOf(const std::shared_ptr<const ReadModule>& module);

  // Drops the readers of modules that were forgotten.
  void DropForgotten();

  // Body number `i` of those that a compile has in memory at the same time. Its contents are those
  // of some former compile. The reference stays valid until DropBody.
  ir::Function& Body(size_t i);

  // Gives up the memory of body number `i`, which must exist. References to the body become
  // invalid.
  void DropBody(size_t i) { bodies_[i] = std::make_unique<ir::Function>(); }

  ReplaceableBody& replaceable_body() { return replaceable_body_; }
  SharedConstants& shared_constants() { return shared_constants_; }
  ModuleMapper& mapper() { return mapper_; }
  baseline::ModuleCompiler& compiler() { return *compiler_; }

 private:
  struct Reader {
    std::shared_ptr<const ReadModule> module;
    std::unique_ptr<bitcode::FunctionReader> bodies;
    std::unique_ptr<NumberMap> sizes;
  };
  Reader& Find(const std::shared_ptr<const ReadModule>& module);

  CompileContext(std::unique_ptr<baseline::ModuleCompiler> compiler,
                 const CompileSettings& settings)
      : settings_(settings), compiler_(std::move(compiler)) {}

  const CompileSettings settings_;
  const std::unique_ptr<baseline::ModuleCompiler> compiler_;
  ModuleMapper mapper_;
  std::vector<Reader> readers_;
  std::vector<std::unique_ptr<ir::Function>> bodies_;
  ReplaceableBody replaceable_body_;
  SharedConstants shared_constants_;
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

   private:
    friend class ContextPool;
    Lease(ContextPool* pool, std::unique_ptr<CompileContext> context)
        : pool_(pool), context_(std::move(context)) {}
    ContextPool* pool_;
    std::unique_ptr<CompileContext> context_;
  };

  ContextPool(baseline::BaselineOptions options, const CompileSettings& settings)
      : options_(std::move(options)), settings_(settings) {}

  // Returns the context that was returned last, or a new one if all are in use. Never blocks on a
  // compile. Errors as CompileContext::Create.
  absl::StatusOr<Lease> Take() ABSL_LOCKS_EXCLUDED(mutex_);

  // Drops the readers of modules that were forgotten. A context that is in use drops its readers
  // when it is returned.
  void DropForgotten() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  void Return(std::unique_ptr<CompileContext> context) ABSL_LOCKS_EXCLUDED(mutex_);

  const baseline::BaselineOptions options_;
  const CompileSettings settings_;
  absl::Mutex mutex_;
  std::vector<std::unique_ptr<CompileContext>> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_COMPILE_CONTEXT_H_
