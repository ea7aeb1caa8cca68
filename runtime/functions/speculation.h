// Compiles functions ahead of their first calls: background threads compile those that a just
// published function probably calls, until a budget of the threads' time is used up.
//
// Thread-safe. No call blocks on a compile. Tested in tests/api/threads_test.cc.

#ifndef FIRSTCALL_RUNTIME_FUNCTIONS_SPECULATION_H_
#define FIRSTCALL_RUNTIME_FUNCTIONS_SPECULATION_H_

#include <atomic>
#include <cstdint>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "runtime/link/function_table.h"
#include "runtime/link/providers.h"
#include "runtime/link/source_module.h"
#include "runtime/link/symbol_resolver.h"
#include "runtime/process/compile_threads.h"

namespace firstcall {

class Speculation {
 public:
  // All must outlive the speculation, and the threads must have stopped when it is destroyed. With
  // no threads there is no budget.
  Speculation(FunctionProvider& compiler, FunctionTable& functions, SymbolResolver& resolver,
              CompileThreads& threads, absl::Duration budget)
      : compiler_(compiler),
        functions_(functions),
        resolver_(resolver),
        threads_(threads),
        time_left_(threads.count() == 0 ? 0 : absl::ToInt64Nanoseconds(budget)) {}

  // Whether anything may still be compiled ahead.
  bool has_budget() const { return time_left_ > 0; }

  // Lets background threads compile `callees`, functions of `module`, the likeliest first. A
  // failure, or an exception of a callback of the client's, is kept, and the function's first call
  // reports it.
  void CompileAhead(SourceModule& module, absl::Span<const SymbolOrdinal> callees);

 private:
  FunctionProvider& compiler_;
  FunctionTable& functions_;
  SymbolResolver& resolver_;
  CompileThreads& threads_;
  std::atomic<int64_t> time_left_;  // Nanoseconds of compile threads' time.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_FUNCTIONS_SPECULATION_H_
