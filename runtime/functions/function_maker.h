// Makes the object of a function. If the cache of the function's module has its optimized body or
// its first body, takes that body; otherwise asks the compiler, and gives the object to the cache.
// An object that could not be linked for want of memory can be kept for the next attempt.
//
// Thread-safe. While the compiler works, no lock of this class is held.
//
// Tested in tests/api: cache_test.cc (the cache), memory_test.cc (the objects that are kept).

#ifndef FIRSTCALL_RUNTIME_FUNCTIONS_FUNCTION_MAKER_H_
#define FIRSTCALL_RUNTIME_FUNCTIONS_FUNCTION_MAKER_H_

#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "runtime/link/cached_object.h"
#include "runtime/link/function_linker.h"
#include "runtime/link/function_table.h"
#include "runtime/link/optimized_cache.h"
#include "runtime/link/source_module.h"
#include "runtime/link/symbol_resolver.h"
#include "runtime/promotion/promoter.h"
#include "seam/compiler.h"
#include "seam/event.h"

namespace firstcall {

// A function's object, new or from the cache.
struct MadeFunction : CompiledFunction {
  bool is_far = false;  // Reaches everything through the offset table.
  bool is_cached = false;
  bool is_optimized = false;  // The function's final body.
};

// How a function may be made.
struct MakeOptions {
  bool may_join = false;  // Callees may be compiled along.
  bool may_use_cache = false;
  bool may_use_optimized = false;  // If functions can be replaced, and the cache has such a body.
  CompileReason reason = CompileReason::kCalled;
  bool lists_callees = false;  // See FunctionOrder. Does nothing if the object is cached.
};

class FunctionMaker {
 public:
  // All must outlive the maker. `promoter` is null if functions are never replaced.
  FunctionMaker(Compiler& compiler, FunctionTable& functions, SymbolResolver& resolver,
                const FunctionLinker& linker, const OptimizedCache& optimized_cache,
                Promoter* promoter)
      : compiler_(compiler),
        functions_(functions),
        resolver_(resolver),
        linker_(linker),
        optimized_cache_(optimized_cache),
        promoter_(promoter) {}

  // Makes the object of `key`, or finds its leader. Adds to `joined` the functions that were
  // claimed because the object defines them, too: the caller has to publish or release them, even
  // after an error. Errors: those of Compiler::CompileFunction. Blocks until the compile is done.
  absl::StatusOr<MadeFunction> Make(FunctionKey key, const MakeOptions& options,
                                    std::vector<FunctionKey>& joined)
      ABSL_LOCKS_EXCLUDED(kept_mutex_);

  // Keeps an object for which there was no memory, or which needs what nothing defines yet, and
  // which defines no function that joined. The next Make starts from it, because the bodies may
  // have been moved out of all views. Does not block.
  void KeepForNextAttempt(FunctionKey key, MadeFunction made) ABSL_LOCKS_EXCLUDED(kept_mutex_);

  // Drops what is kept for `module`, which is being removed. Does not block.
  void Remove(const SourceModule& module) ABSL_LOCKS_EXCLUDED(kept_mutex_);

 private:
  std::optional<MadeFunction> TakeKept(FunctionKey key) ABSL_LOCKS_EXCLUDED(kept_mutex_);
  // The optimized body from the cache, if there is a valid one.
  std::optional<MadeFunction> FindOptimized(FunctionKey key) const;
  // Whether `key` will begin with an optimized body from the cache.
  bool BeginsOptimized(FunctionKey key) const;
  // A cached object, if there is a valid one. Claims the functions that it defines besides `key`.
  std::optional<MadeFunction> FindCached(FunctionKey key, std::vector<FunctionKey>& joined);
  // The same, among objects of the kind `functions`: kFunction or kDebuggerFunction.
  std::optional<MadeFunction> FindCachedAs(ModulePart::Kind functions, FunctionKey key,
                                           std::vector<FunctionKey>& joined);
  std::optional<MadeFunction> UseCached(FunctionKey key, CachedObject found,
                                        std::vector<FunctionKey>& joined);
  absl::StatusOr<MadeFunction> CompileNow(FunctionKey key, const MakeOptions& options,
                                          std::vector<FunctionKey>& joined);
  static void Store(ModulePart::Kind functions, FunctionKey key, const MadeFunction& made,
                    Decisions decisions, const std::vector<FunctionKey>& joined);

  Compiler& compiler_;
  FunctionTable& functions_;
  SymbolResolver& resolver_;
  const FunctionLinker& linker_;
  const OptimizedCache& optimized_cache_;
  Promoter* const promoter_;
  absl::Mutex kept_mutex_;
  absl::flat_hash_map<FunctionKey, MadeFunction> kept_ ABSL_GUARDED_BY(kept_mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_FUNCTIONS_FUNCTION_MAKER_H_
