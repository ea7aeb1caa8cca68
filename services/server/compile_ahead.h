// Compiles ahead on its own thread: the callees of the functions that the client has requested.
//
// The client is not asked questions meanwhile: the thread assumes that no weak definition is
// replaced, and the client has to be asked when it requests the function. Unused work is limited to
// about as many functions as are used.
//
// A compile moves the body out of the view that it was read into. So this class records every
// function that was compiled, by whichever thread, and reports when the module has to be read again
// before a function can be compiled.
//
// Thread-safe. Tested in tests/services/server/compile_ahead_test.cc and
// tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_COMPILE_AHEAD_H_
#define FIRSTCALL_SERVICES_SERVER_COMPILE_AHEAD_H_

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"
#include "object/object_bytes.h"
#include "seam/compiler.h"
#include "seam/symbol_index.h"
#include "services/server/seam_coding.h"

namespace firstcall {

class CompileAhead {
 public:
  struct Made {
    CompiledFunction function;
    bool is_far = false;
    // The functions that were compiled into the same object without asking the client.
    std::vector<SymbolOrdinal> joined;
    // The weak definitions that were assumed not to be replaced.
    std::vector<SymbolOrdinal> weak;
  };
  struct Taken {
    std::optional<Made> made;
    // If `made` is empty: whether the module has to be read again before the function is compiled.
    bool must_read_again = false;
  };

  // `compiler` must exist as long as the process: the thread is never stopped.
  explicit CompileAhead(Compiler& compiler) : compiler_(compiler) {}

  // Returns the code of the function of `order`, if it was compiled ahead, alone or in the object
  // of another function. If the thread is compiling it now, blocks for about 2 ms. If nothing is
  // returned, the caller has to compile the function.
  Taken Take(const OrderValues& order) ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether `function` may be compiled into the object of `host`. The first call returns true,
  // unless the function was compiled already; later calls return false.
  bool Claim(ModuleId module, SymbolOrdinal function, SymbolOrdinal host)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // To be called with the `object` that was made for `order`: queues the callees of its functions.
  void NoteObject(const OrderValues& order, const std::shared_ptr<const SymbolIndex>& index,
                  absl::string_view object) ABSL_LOCKS_EXCLUDED(mutex_);

  // Drops the queued work and the unused code of a module. Blocks until the thread does not work
  // for the module. The module may be removed then.
  void Forget(ModuleId module) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Key = std::pair<ModuleId, SymbolOrdinal>;
  struct Job {
    OrderValues order;
    std::shared_ptr<const SymbolIndex> index;
  };

  // An object whose callees are to be compiled.
  struct Caller {
    Job like;
    ObjectBytes object;
  };

  void Work() ABSL_LOCKS_EXCLUDED(mutex_);
  // Jobs for the functions that the object calls, in their order.
  static std::vector<Job> CalleesOf(Caller caller);
  void CompileNext(Job job) ABSL_LOCKS_EXCLUDED(mutex_);
  std::optional<Made> Compile(const Job& job) ABSL_LOCKS_EXCLUDED(mutex_);
  void DropJobs(ModuleId module) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasWork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Compiler& compiler_;
  absl::Mutex mutex_;
  bool has_thread_ ABSL_GUARDED_BY(mutex_) = false;
  std::deque<Caller> callers_ ABSL_GUARDED_BY(mutex_);
  std::deque<Job> jobs_ ABSL_GUARDED_BY(mutex_);
  std::optional<ModuleId> module_at_work_ ABSL_GUARDED_BY(mutex_);  // The current work's module.
  std::optional<Key> at_work_ ABSL_GUARDED_BY(mutex_);              // The function being compiled.
  std::map<Key, Made> made_ ABSL_GUARDED_BY(mutex_);                // The code not taken yet.
  // The functions that were compiled, or are being compiled, by the thread or by callers; each with
  // the function whose object contains it.
  std::map<Key, SymbolOrdinal> known_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_COMPILE_AHEAD_H_
