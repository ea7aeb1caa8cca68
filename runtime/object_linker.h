// Links lazy objects (see lazy_object.h): makes them, loads them and binds their references.
//
// Thread-safe. Only one thread links at a time; other threads that need an object which is not
// linked wait. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_RUNTIME_OBJECT_LINKER_H_
#define FIRSTCALL_RUNTIME_OBJECT_LINKER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "code/elf_object.h"
#include "code/linker.h"
#include "code/object_loader.h"
#include "runtime/code_space.h"
#include "runtime/compiler.h"
#include "runtime/entry_point.h"
#include "runtime/lazy_object.h"
#include "runtime/listener.h"
#include "runtime/symbol_resolver.h"
#include "runtime/work_mutex.h"

namespace firstcall {

class ObjectLinker {
 public:
  // All must outlive the linker. `other_linkers` always come first for modules that are compiled
  // whole, and never for objects of the user's.
  ObjectLinker(Compiler& compiler, OtherLinkers other_linkers, const CodeSpace& code_space,
               SymbolResolver& resolver, Listener& listener)
      : compiler_(compiler),
        other_linkers_(std::move(other_linkers)),
        code_space_(code_space),
        resolver_(resolver),
        listener_(listener) {}

  // Links `object` if it is not linked yet. A circle of objects is linked as one. (While the thread
  // that links it waits for other threads, perhaps for this one, this one may use what is bound.) A
  // failure is kept and returned again, but if it may pass (MayPass), and after an addition if a
  // symbol is missing (NotFound), the next call continues where this one stopped. Fails if an
  // object that `object` refers to fails. May block on generating code for data, or for a whole
  // module in eager mode.
  absl::Status Link(LazyObject& object);

  // A module or an object was added, which may define what was missing.
  void NoteAddition() { ++additions_; }
  // A module was removed, with definitions that unfinished objects may be bound to.
  void NoteRemoval() {
    ++removals_;
    ++additions_;  // What failed with a module may succeed without it.
  }

  // Links `object` and returns the address of one of its symbols. NotFound if it does not define
  // the symbol. Linking `object` may link other objects, which may refer back to it: on the linking
  // thread this returns the addresses of `object` before its contents are complete.
  absl::StatusOr<ExecutorAddress> AddressIn(LazyObject& object, absl::string_view name);

  // Returns the object files that were linked since the last call; the caller must now run their
  // constructors. After the first call, RunPendingConstructors runs the constructors of objects
  // that are linked while the program runs.
  std::vector<LazyObject*> TakeObjectsToConstruct() ABSL_LOCKS_EXCLUDED(constructors_mutex_);
  void RunPendingConstructors() ABSL_LOCKS_EXCLUDED(constructors_mutex_);

  // What RunPendingConstructors passes to constructors. The first call counts, and the arguments
  // are kept for as long as this: constructors may keep them.
  void SetArguments(std::shared_ptr<const ProgramArguments> arguments)
      ABSL_LOCKS_EXCLUDED(constructors_mutex_);

  // Returns all objects that were taken, in their order. The caller must run their destructors.
  std::vector<LazyObject*> TakeObjectsToDestroy() ABSL_LOCKS_EXCLUDED(constructors_mutex_);

  // Whether the calling thread is linking an object, so that data is not complete yet.
  bool IsLinking() const { return linking_thread_ == AwaitedWork::OwnNumber(); }

  // To be called while IsLinking(): calls `action` when the thread has linked everything that it is
  // linking now, with whether that has succeeded. Holds the mutex meanwhile.
  using WhenLinked = std::function<void(bool is_linked)>;
  void RunWhenLinked(WhenLinked action) { when_linked_.push_back(std::move(action)); }

  // Held while linking. A thread that compiles a function together with data must take it before it
  // starts, because the function and the data may need each other.
  WorkMutex& mutex() { return mutex_; }

 private:
  // A link in progress. Links nest where an object refers to another one, and objects may refer to
  // each other in a circle.
  struct Frame {
    LazyObject* object;
    // The outermost frame whose object the object of this frame refers to, directly or through
    // others: its own if there is no such circle. (Tarjan, Depth-First Search and Linear Graph
    // Algorithms, 1972, calls that LOWLINK.)
    size_t reaches;
    // The end of `bound_` when the frame began.
    size_t first_bound;
  };

  absl::Status LinkUnlinked(LazyObject& object);
  absl::Status LinkLocked(LazyObject& object);
  void EndLinking(bool is_linked);
  // The links in progress are those of a thread that does not exist here: they are taken up again.
  void ForgetLinksOfParent();
  // `object`, which is kLoaded or kBound, is referred to by the object of the innermost frame.
  void NoteReference(const LazyObject& object);
  // The object of the innermost frame, which ends, is bound: it is ready, and with it what has
  // waited for it, or it waits for the object of an outer frame.
  void EndFrame(LazyObject& object);
  // What was bound since the frame began may refer to its object, which has failed.
  void UnlinkBoundIn(const Frame& frame);
  absl::StatusOr<std::unique_ptr<UnfinishedLink>> Begin(LazyObject& object);
  absl::Status Bind(LazyObject& object, UnfinishedLink& link);
  absl::Status CheckBinding(UnfinishedLink& link, const SymbolResolution& resolution) const;
  void Complete(LazyObject& object, const UnfinishedLink& link);
  absl::StatusOr<LoadedObject> Load(ElfObject& image, LazyObject& object,
                                    bool needs_others_near) const;
  absl::StatusOr<ObjectBytes> Make(LazyObject& object, UnfinishedLink& link);
  absl::StatusOr<ObjectBytes> MakeWhole(SourceModule& module, UnfinishedLink& link);

  Compiler& compiler_;
  const OtherLinkers other_linkers_;
  const CodeSpace& code_space_;
  SymbolResolver& resolver_;
  Listener& listener_;
  // Recursive, because the data of two modules may refer to each other, and because a client's
  // symbol finder, which is called while it is held, may call compiled code.
  WorkMutex mutex_;
  // Guarded by `mutex_`: the links in progress, and the objects that are bound, in that order, and
  // wait for the object of a frame to which they refer.
  std::vector<Frame> frames_;
  std::vector<LazyObject*> bound_;
  std::atomic<uint64_t> linking_thread_{0};  // Its number (AwaitedWork); 0: none is linking.
  std::vector<WhenLinked> when_linked_;      // Guarded by `mutex_`.
  std::atomic<uint64_t> additions_{0};
  std::atomic<uint64_t> removals_{0};

  absl::Mutex constructors_mutex_;
  std::atomic<bool> constructors_started_{false};
  std::atomic<bool> has_pending_{false};
  std::vector<LazyObject*> pending_ ABSL_GUARDED_BY(constructors_mutex_);
  std::vector<LazyObject*> constructed_ ABSL_GUARDED_BY(constructors_mutex_);
  std::shared_ptr<const ProgramArguments> arguments_ ABSL_GUARDED_BY(constructors_mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_OBJECT_LINKER_H_
