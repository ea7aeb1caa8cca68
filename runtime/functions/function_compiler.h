// Compiles a function when it is first called: decides which thread compiles it, together with
// which other functions, and what is done if the compile fails. FunctionMaker makes the function's
// object, FunctionPublisher publishes it, and Speculation compiles what the function probably
// calls.
//
// Thread-safe. Holds no lock while the compiler works, with one exception: ObjectLinker::mutex for
// a group that has data. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_RUNTIME_FUNCTIONS_FUNCTION_COMPILER_H_
#define FIRSTCALL_RUNTIME_FUNCTIONS_FUNCTION_COMPILER_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "runtime/functions/body_descriptions.h"
#include "runtime/functions/function_maker.h"
#include "runtime/functions/function_publisher.h"
#include "runtime/functions/speculation.h"
#include "runtime/link/function_linker.h"
#include "runtime/link/function_table.h"
#include "runtime/link/object_linker.h"
#include "runtime/link/optimized_cache.h"
#include "runtime/link/providers.h"
#include "runtime/link/symbol_resolver.h"
#include "runtime/process/compile_threads.h"
#include "runtime/process/listener_group.h"
#include "runtime/promotion/promoter.h"
#include "seam/compiler.h"
#include "seam/event.h"

namespace firstcall {

class FunctionCompiler final : public FunctionProvider {
 public:
  // All must outlive the compiler. `promoter` is null if functions are never replaced, and
  // `finds_lines` if nobody wants the lines of bodies.
  FunctionCompiler(Compiler& compiler, FunctionTable& functions, SymbolResolver& resolver,
                   ObjectLinker& objects, const FunctionLinker& linker,
                   const OptimizedCache& optimized_cache, ListenerGroup& listener,
                   CompileThreads& threads, Promoter* promoter, absl::Duration speculation_budget,
                   BodyDescriptions& descriptions, BodyDescriber* finds_lines)
      : compiler_(compiler),
        functions_(functions),
        objects_(objects),
        threads_(threads),
        promoter_(promoter),
        descriptions_(descriptions),
        maker_(compiler, functions, resolver, linker, optimized_cache, promoter),
        listener_(listener),
        publisher_(functions, linker, listener, promoter, finds_lines),
        speculation_(*this, functions, resolver, threads, speculation_budget) {}

  // Returns the address of the body of `key`. If the function is not published yet, compiles and
  // publishes it first, and blocks until then. For a variable that is compiled together with its
  // function, returns the variable's address. If the reason is kCalled, functions that `key` is
  // bound to call may be compiled along. Errors: FailedPrecondition if the module was removed;
  // those of FunctionTable::ClaimOrResult; why the function cannot be made or published.
  absl::StatusOr<ExecutorAddress> Compile(FunctionKey key, CompileReason reason) override;

  // The same for a function that a thread is about to run, on a compile thread if `may_delegate`
  // and there are compile threads. Tells the listener of the first call.
  absl::StatusOr<ExecutorAddress> CompileForCall(FunctionKey key, bool may_delegate) override;

  // The functions that the handler and they call: those of its module, and as many as a handler's
  // own code may be expected to have.
  void CompileHandler(FunctionKey key, bool may_delegate) override;

  // Returns the address of a label that inline assembly of a function of `module` defines; null if
  // no function defines the label. Compiles the function that defines it first, and blocks until
  // the function's object is loaded. If it is not known yet which labels the functions of `module`
  // define, reads the bodies of all of them.
  absl::StatusOr<ExecutorAddress> FindLabel(SourceModule& module, absl::string_view label) override;

  absl::StatusOr<ExecutorAddress> CounterOf(FunctionKey key) override;

  // Drops what is kept for `module`, which is being removed.
  void Remove(const SourceModule& module) {
    maker_.Remove(module);
    descriptions_.Remove(module);
  }

 private:
  using Callees = std::vector<SymbolOrdinal>;

  // As Compile, on a compile thread if `may_delegate` and there are compile threads. If `callees`
  // is not null and the function is compiled now, it gets the functions of the module that the
  // function calls.
  absl::StatusOr<ExecutorAddress> Compile(FunctionKey key, CompileReason reason, bool may_delegate,
                                          Callees* callees = nullptr);

  // What an attempt to publish a function has led to, besides its status.
  struct Outcome {
    std::vector<FunctionKey> joined;  // Callees that were claimed.
    bool is_cached = false;           // The object came from the cache.
    bool is_optimized = false;        // The object has the optimized body.
    // If set, the function can only be compiled together with this leader.
    std::optional<SymbolOrdinal> leader;
    Callees callees;  // If MakeOptions::lists_callees.
  };

  void ReadLabels(SourceModule& module);
  // For a thread that is linking data, which is not complete yet. Links `key`, so that its labels
  // are known. Publishes `key` only when the data is complete, because `key` may need the data.
  absl::Status LoadLabels(FunctionKey key);
  // For the thread that has claimed `key`. Publishes `key` in an object of its own or, if `key`
  // turns out to have a leader, in the leader's object. An ifunc is resolved instead. `callees` as
  // for Compile.
  absl::Status CompileFunction(FunctionKey key, CompileReason reason, Callees* callees = nullptr);
  absl::Status Attempt(FunctionKey key, MakeOptions options, Outcome& outcome);
  // After an attempt with `options` has failed: gives up the functions that the attempt has
  // claimed. If it may help, attempts `key` alone; otherwise returns `failure`.
  absl::Status AttemptAgain(FunctionKey key, const MakeOptions& options,
                            const absl::Status& failure, Outcome& outcome);
  // What follows when the object is made. May move `made` to where the next attempt finds it.
  absl::Status Publish(FunctionKey key, MadeFunction& made, const MakeOptions& options,
                       Outcome& outcome);
  absl::Status ResolveIFunc(FunctionKey key);
  // Counts compiled functions, and tells the compiler when they were the last of their module.
  void CountCompiled(SourceModule& module, size_t compiled);

  Compiler& compiler_;
  FunctionTable& functions_;
  ObjectLinker& objects_;
  CompileThreads& threads_;
  Promoter* const promoter_;
  BodyDescriptions& descriptions_;
  FunctionMaker maker_;
  ListenerGroup& listener_;
  FunctionPublisher publisher_;
  Speculation speculation_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_FUNCTIONS_FUNCTION_COMPILER_H_
