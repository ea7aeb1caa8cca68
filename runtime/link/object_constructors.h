// The object files that were linked and have constructors or destructors: which constructors still
// have to run, and which destructors will have to.
//
// Thread-safe. Tested in tests/runtime/object_constructors_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_OBJECT_CONSTRUCTORS_H_
#define FIRSTCALL_RUNTIME_LINK_OBJECT_CONSTRUCTORS_H_

#include <atomic>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "runtime/link/lazy_object.h"
#include "seam/entry_point.h"

namespace firstcall {

class ObjectConstructors {
 public:
  ObjectConstructors() = default;
  ObjectConstructors(const ObjectConstructors&) = delete;
  ObjectConstructors& operator=(const ObjectConstructors&) = delete;

  // Adds the object files among `linked`, which must outlive this. The constructors of source
  // modules are listed elsewhere (SymbolIndex). To be called before other threads can see that the
  // objects are ready.
  void Add(absl::Span<LazyObject* const> linked) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns the object files that were added since the last call, in the order of addition. The
  // caller must now run their constructors. After the first call, RunPending runs the constructors
  // of objects that are linked while the program runs.
  std::vector<LazyObject*> TakeToConstruct() ABSL_LOCKS_EXCLUDED(mutex_);

  // Runs the constructors of object files that were added since the last TakeToConstruct. Does
  // nothing before the first TakeToConstruct. SetArguments must have been called before
  // TakeToConstruct. The caller is at work (see WorkScope).
  void RunPending() ABSL_LOCKS_EXCLUDED(mutex_);

  // Sets the arguments that RunPending passes to constructors. Only the first call has an effect.
  // The arguments are kept as long as this object exists, because constructors may keep pointers to
  // them.
  void SetArguments(std::shared_ptr<const ProgramArguments> arguments) ABSL_LOCKS_EXCLUDED(mutex_);

  // Returns all objects that were taken to be constructed, in the same order. The caller must run
  // their destructors.
  std::vector<LazyObject*> TakeToDestroy() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Mutex mutex_;
  std::atomic<bool> has_started_{false};  // TakeToConstruct was called.
  std::atomic<bool> has_pending_{false};
  std::vector<LazyObject*> pending_ ABSL_GUARDED_BY(mutex_);
  std::vector<LazyObject*> constructed_ ABSL_GUARDED_BY(mutex_);
  std::shared_ptr<const ProgramArguments> arguments_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_OBJECT_CONSTRUCTORS_H_
