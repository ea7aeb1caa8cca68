// Compiles ahead on its own thread: the callees of the functions that the client has requested.
//
// Nothing is asked of the client meanwhile: no weak definition is taken to be replaced, which has
// to be asked when the function is used. Work that is not used is limited: about as many functions
// as are used.
//
// A body is moved out of what a compile has read. So this class knows which functions were compiled
// in any way, and says when the module has to be read again for one of them.
//
// Thread-safe. Tested in tests/remote/compile_ahead_test.cc and
// tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_REMOTE_COMPILE_AHEAD_H_
#define FIRSTCALL_REMOTE_COMPILE_AHEAD_H_

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
#include "code/object_bytes.h"
#include "code/symbol_index.h"
#include "remote/seam_coding.h"
#include "runtime/compiler.h"

namespace firstcall {

class CompileAhead {
 public:
  struct Made {
    CompiledFunction function;
    bool is_far = false;
    // The functions that were compiled along, and that the client has not been asked about.
    std::vector<SymbolOrdinal> joined;
    // The weak definitions that must not be replaced.
    std::vector<SymbolOrdinal> weak;
  };
  struct Taken {
    std::optional<Made> made;
    // If nothing was made: the module has to be read again before the function is compiled.
    bool must_read_again = false;
  };

  // `compiler` must exist as long as the process: the thread is never stopped.
  explicit CompileAhead(Compiler& compiler) : compiler_(compiler) {}

  // What was made for `order`, if it was, alone or along with another function. If it is being
  // made, waits for a moment. Otherwise the caller has to compile the function.
  Taken Take(const OrderValues& order) ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether `function` may be compiled along with `host`: true once, unless it was compiled.
  bool Claim(ModuleId module, SymbolOrdinal function, SymbolOrdinal host)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // An order was carried out, and made `object`, whose functions call others.
  void NoteObject(const OrderValues& order, const std::shared_ptr<const SymbolIndex>& index,
                  absl::string_view object) ABSL_LOCKS_EXCLUDED(mutex_);

  // Gives up what is to be done, and was made, for a module. Waits for what is being done. The
  // module may be removed then.
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
  std::optional<ModuleId> module_at_work_ ABSL_GUARDED_BY(mutex_);  // For which jobs may come.
  std::optional<Key> at_work_ ABSL_GUARDED_BY(mutex_);              // What is being made of it.
  std::map<Key, Made> made_ ABSL_GUARDED_BY(mutex_);                // And not taken yet.
  // The functions that were compiled, or are being compiled, each with the one whose object has it.
  std::map<Key, SymbolOrdinal> known_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_COMPILE_AHEAD_H_
