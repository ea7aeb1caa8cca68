// Compiles a function when it is first called: extract, emit, resolve, link, publish.
//
// Thread-safe: each call leases a compile context. While LLVM works, only the mutex of the
// context's own view is held, and for a group with data the ObjectLinker's.

#ifndef FIRSTCALL_ENGINE_FUNCTION_COMPILER_H_
#define FIRSTCALL_ENGINE_FUNCTION_COMPILER_H_

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
#include "engine/cached_object.h"
#include "engine/compile_context.h"
#include "engine/compile_threads.h"
#include "engine/function_linker.h"
#include "engine/function_table.h"
#include "engine/listener.h"
#include "engine/object_image.h"
#include "engine/object_linker.h"
#include "engine/promoter.h"
#include "engine/symbol_resolver.h"
#include "splitter/function_extractor.h"

namespace firstcall {

class FunctionCompiler {
 public:
  // All must outlive the compiler.
  // `promoter` is null if functions are never replaced.
  FunctionCompiler(ContextPool& contexts, FunctionTable& functions, SymbolResolver& resolver,
                   ObjectLinker& objects, const FunctionLinker& linker, Listener& listener,
                   CompileThreads& threads, Promoter* promoter, absl::Duration speculation_budget)
      : contexts_(contexts),
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
  // An object made from a function-module.
  struct Made {
    ObjectBytes bytes;
    std::vector<SymbolOrdinal> functions;
    std::vector<SymbolOrdinal> variables;
    std::vector<HeatSigns> heat_signs;    // Of each function that may be replaced.
    std::vector<SymbolOrdinal> callees;   // Only with speculation.
    std::optional<SymbolOrdinal> leader;  // See FunctionModule.
    bool is_far = false;                  // Reaches everything through the offset table.
    bool is_cached = false;
    // Only for a new object, which is not from a cache: what goes into the cache, and the parsed
    // object.
    Decisions decisions;
    std::unique_ptr<ObjectImage> image;
    absl::Duration split;
    absl::Duration emit;
  };
  using Joined = std::vector<FunctionKey>;

  // Publishes `key`, in an object of its own or in that of its leader, if it turns out to have one.
  absl::Status CompileFunction(FunctionKey key, Reason reason);
  absl::Status MakeAndPublishInContext(FunctionKey key, Reason reason,
                                       std::optional<SymbolOrdinal>& leader);
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
  absl::StatusOr<Made> Make(FunctionKey key, CompileContext& context, Attempt& attempt);
  absl::Status GenerateCode(FunctionKey key, FunctionModule function_module,
                            CompileContext& context, Made& made);
  void StoreMade(FunctionKey key, const Made& made, const Joined& joined);
  absl::Status MakeAndPublish(FunctionKey key, CompileContext& context, Attempt& attempt);
  // Lets background threads compile the functions that a just published function probably calls.
  void Speculate(SourceModule& module, absl::Span<const SymbolOrdinal> callees);
  absl::Status LinkAndPublish(FunctionKey key, Made& made, CompileContext& context);
  absl::Status Publish(FunctionKey key, const Made& made, const SymbolAddresses& defined,
                       PublishedObject& published);

  // Keeps an object for which there was no memory. The next attempt starts from it, because no view
  // may have its bodies any more.
  void KeepForNextAttempt(FunctionKey key, Made made) ABSL_LOCKS_EXCLUDED(kept_mutex_);
  std::optional<Made> TakeKept(FunctionKey key) ABSL_LOCKS_EXCLUDED(kept_mutex_);
  // Drops what is not needed any more, once the last function of a module is compiled.
  void Settle(SourceModule& module, size_t compiled, CompileContext& context);

  ContextPool& contexts_;
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

#endif  // FIRSTCALL_ENGINE_FUNCTION_COMPILER_H_
