// Compiles a function when it is first called: extract, emit, resolve, link, publish.
//
// Thread-safe. While the compiler works, no lock is held, except for a group with data the
// ObjectLinker's.

#ifndef FIRSTCALL_RUNTIME_FUNCTION_COMPILER_H_
#define FIRSTCALL_RUNTIME_FUNCTION_COMPILER_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "code/elf_object.h"
#include "runtime/cached_object.h"
#include "runtime/compile_threads.h"
#include "runtime/compiler.h"
#include "runtime/function_linker.h"
#include "runtime/function_table.h"
#include "runtime/listener.h"
#include "runtime/object_linker.h"
#include "runtime/promoter.h"
#include "runtime/symbol_resolver.h"

namespace firstcall {

class FunctionCompiler {
 public:
  // All must outlive the compiler. `promoter` is null if functions are never replaced.
  FunctionCompiler(Compiler& compiler, FunctionTable& functions, SymbolResolver& resolver,
                   ObjectLinker& objects, const FunctionLinker& linker, Listener& listener,
                   CompileThreads& threads, Promoter* promoter, absl::Duration speculation_budget)
      : compiler_(compiler),
        functions_(functions),
        resolver_(resolver),
        objects_(objects),
        linker_(linker),
        listener_(listener),
        threads_(threads),
        promoter_(promoter),
        speculation_left_(threads.count() == 0 ? 0 : absl::ToInt64Nanoseconds(speculation_budget)) {
  }

  // Why a function is compiled.
  enum class Reason {
    kCalled,   // It is about to run, so functions that it is bound to call may be compiled along.
    kOrdered,  // Something asked for it.
  };

  // Returns the address of the body of `key`. Compiles and publishes the function first, unless
  // that has been done, and blocks until then. For a variable that is compiled together with its
  // function, returns the variable's address.
  absl::StatusOr<ExecutorAddress> Compile(FunctionKey key, Reason reason);

  // The same, but on a compile thread if `may_delegate` and there are compile threads.
  absl::StatusOr<ExecutorAddress> Compile(FunctionKey key, Reason reason, bool may_delegate);

  // Drops what is kept for `module`, which is being removed.
  void Remove(const SourceModule& module) ABSL_LOCKS_EXCLUDED(kept_mutex_);

 private:
  // A function's object, new or from the cache.
  struct Made : CompiledFunction {
    bool is_far = false;  // Reaches everything through the offset table.
    bool is_cached = false;
  };
  using Joined = std::vector<FunctionKey>;

  // Publishes `key`, in an object of its own or in that of its leader, if it turns out to have one.
  absl::Status CompileFunction(FunctionKey key, Reason reason);
  absl::Status MakeAndPublish(FunctionKey key, Reason reason, std::optional<SymbolOrdinal>& leader);
  absl::Status ResolveIFunc(FunctionKey key);
  // One attempt to publish a function.
  struct Attempt {
    bool may_join = false;  // Callees may be compiled along.
    bool may_use_cache = false;
    Joined joined;           // Callees that were claimed.
    bool is_cached = false;  // The object came from the cache.
    std::optional<SymbolOrdinal> leader;
  };
  // A cached object, if there is a valid one. Claims the functions that it defines besides `key`.
  std::optional<Made> FindMade(FunctionKey key, Attempt& attempt);
  std::optional<Made> UseCached(FunctionKey key, CachedObject found, Attempt& attempt);
  absl::StatusOr<Made> Make(FunctionKey key, Attempt& attempt);
  void StoreMade(FunctionKey key, const Made& made, Decisions decisions, const Joined& joined);
  absl::Status MakeAndPublish(FunctionKey key, Attempt& attempt);
  // Lets background threads compile the functions that a just published function probably calls.
  void Speculate(SourceModule& module, absl::Span<const SymbolOrdinal> callees);
  absl::Status LinkAndPublish(FunctionKey key, Made& made);
  absl::Status Publish(FunctionKey key, const Made& made, const SymbolAddresses& defined,
                       PublishedObject& published);

  // Keeps an object for which there was no memory. The next attempt starts from it, because no view
  // may have its bodies any more.
  void KeepForNextAttempt(FunctionKey key, Made made) ABSL_LOCKS_EXCLUDED(kept_mutex_);
  std::optional<Made> TakeKept(FunctionKey key) ABSL_LOCKS_EXCLUDED(kept_mutex_);
  // Counts compiled functions, and tells the compiler when they were the last of their module.
  void CountCompiled(SourceModule& module, size_t compiled);

  Compiler& compiler_;
  FunctionTable& functions_;
  SymbolResolver& resolver_;
  ObjectLinker& objects_;
  const FunctionLinker& linker_;
  Listener& listener_;
  CompileThreads& threads_;
  Promoter* const promoter_;
  std::atomic<int64_t> speculation_left_;  // Nanoseconds of compile threads' time.
  absl::Mutex kept_mutex_;
  absl::flat_hash_map<FunctionKey, Made> kept_ ABSL_GUARDED_BY(kept_mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_FUNCTION_COMPILER_H_
