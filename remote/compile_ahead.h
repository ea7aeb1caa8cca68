// Compiles, while a client runs what it has got, what it will probably ask for next: the functions
// that those which it has asked for are likely to call, on a thread of its own with a low priority.
//
// Nothing is asked of the client meanwhile. A function for which that would be needed is left to
// the request. Work that is not used is limited: about as many functions as are used.
//
// Thread-safe. Tested in tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_REMOTE_COMPILE_AHEAD_H_
#define FIRSTCALL_REMOTE_COMPILE_AHEAD_H_

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"
#include "code/symbol_index.h"
#include "remote/seam_coding.h"
#include "runtime/compiler.h"

namespace firstcall {

class CompileAhead {
 public:
  struct Made {
    CompiledFunction function;
    // The functions that were compiled along, and that the client has not been asked about.
    std::vector<SymbolOrdinal> joined;
  };

  // `compiler` must exist as long as the process: the thread is never stopped.
  explicit CompileAhead(Compiler& compiler) : compiler_(compiler) {}

  // What was made for `order`, if it was, or is being made: then waits for it. Otherwise the caller
  // has to compile the function; Made must follow.
  std::optional<Made> Take(const OrderValues& order) ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether `function` may be compiled along with another one: true once, unless it was compiled.
  bool Claim(ModuleId module, SymbolOrdinal function) ABSL_LOCKS_EXCLUDED(mutex_);

  // An order was carried out, for a function that is likely to call `callees`, the likeliest first.
  void NoteCallees(const OrderValues& order, const std::shared_ptr<const SymbolIndex>& index,
                   const std::vector<SymbolOrdinal>& callees) ABSL_LOCKS_EXCLUDED(mutex_);

  // Gives up what is to be done, and was made, for a module. Waits for what is being done.
  void Forget(ModuleId module) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Key = std::pair<ModuleId, SymbolOrdinal>;
  struct Job {
    OrderValues order;
    std::shared_ptr<const SymbolIndex> index;
  };

  void Work() ABSL_LOCKS_EXCLUDED(mutex_);
  std::optional<Made> Compile(const Job& job) ABSL_LOCKS_EXCLUDED(mutex_);
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsIdle() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !at_work_; }

  Compiler& compiler_;
  absl::Mutex mutex_;
  bool has_thread_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<Job> jobs_ ABSL_GUARDED_BY(mutex_);
  std::optional<Key> at_work_ ABSL_GUARDED_BY(mutex_);
  std::map<Key, Made> made_ ABSL_GUARDED_BY(mutex_);
  // Functions that were asked for, compiled along, or are to be compiled ahead.
  std::set<Key> known_ ABSL_GUARDED_BY(mutex_);
  size_t made_count_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t used_count_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_COMPILE_AHEAD_H_
