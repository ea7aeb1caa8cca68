// Links lazy objects (see lazy_object.h): makes them, loads them and binds their references.
//
// Thread-safe. Only one thread links at a time. Another thread that needs an object which is not
// linked yet waits. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_OBJECT_LINKER_H_
#define FIRSTCALL_RUNTIME_LINK_OBJECT_LINKER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "object/elf_object.h"
#include "object/linker.h"
#include "object/object_loader.h"
#include "runtime/link/code_space.h"
#include "runtime/link/lazy_object.h"
#include "runtime/link/object_constructors.h"
#include "runtime/link/providers.h"
#include "runtime/link/symbol_resolver.h"
#include "runtime/link/weak_symbols.h"
#include "runtime/process/work_mutex.h"
#include "seam/compiler.h"
#include "seam/listener.h"

namespace firstcall {

class ObjectLinker final : public DataProvider {
 public:
  // All must outlive the linker. For objects that the user added, `other_linkers` never come first.
  ObjectLinker(Compiler& compiler, OtherLinkers other_linkers, const CodeSpace& code_space,
               const WeakSymbols& weak_symbols, SymbolResolver& resolver,
               ObjectConstructors& constructors, Listener& listener)
      : compiler_(compiler),
        other_linkers_(std::move(other_linkers)),
        code_space_(code_space),
        weak_symbols_(weak_symbols),
        resolver_(resolver),
        constructors_(constructors),
        listener_(listener) {}

  // Links `object` if it is not linked yet. Objects that refer to each other in a circle are linked
  // together. (While the thread that links them waits for other threads, perhaps for this one, this
  // thread may use the objects that are bound.) Fails if an object that `object` refers to fails. A
  // failure is kept and returned again, except in two cases: the failure may pass (MayPass), or a
  // symbol was missing (NotFound) and there was an addition since. Then the next call continues
  // where this one stopped. May block on generating code for data, or for a whole module in eager
  // mode.
  absl::Status Link(LazyObject& object) override;

  // Notes that a module or an object was added, which may define a missing symbol.
  void NoteAddition() { ++additions_; }
  // Notes that a module was removed, with definitions that unfinished objects may be bound to.
  void NoteRemoval() {
    ++removals_;
    ++additions_;  // What failed with a module may succeed without it.
  }

  // Links `object` and returns the address of one of its symbols. NotFound if it does not define
  // the symbol. Linking `object` may link other objects, which may refer back to it: on the linking
  // thread this returns the addresses of `object` before its contents are complete.
  absl::StatusOr<ExecutorAddress> AddressIn(LazyObject& object, absl::string_view name) override;

  // Whether the calling thread is linking an object, so that data is not complete yet.
  bool IsLinking() const { return linking_thread_ == AwaitedWork::OwnNumber(); }

  // Must be called while IsLinking(). When the thread has linked everything that it is linking now,
  // calls `action` with whether linking has succeeded, and holds the mutex during this call.
  using WhenLinked = std::function<void(bool is_linked)>;
  void RunWhenLinked(WhenLinked action) { when_linked_.push_back(std::move(action)); }

  // The mutex that is held while linking. A thread that compiles a function together with data must
  // lock this mutex before it starts, because the function and the data may need each other.
  WorkMutex& mutex() { return mutex_; }

 private:
  // A link in progress. Links nest where an object refers to another one, and objects may refer to
  // each other in a circle.
  struct Frame {
    LazyObject* object;
    // The index of the outermost frame whose object this frame's object refers to, directly or
    // through other objects. If there is no such circle, this frame's own index. (Tarjan,
    // Depth-First Search and Linear Graph Algorithms, 1972, calls this number LOWLINK.)
    size_t reaches;
    // The end of `bound_` when the frame began.
    size_t first_bound;
  };

  absl::Status LinkUnlinked(LazyObject& object);
  absl::Status LinkLocked(LazyObject& object);
  void EndLinking(bool is_linked);
  // In a forked child: drops the frames of a thread that exists only in the parent. A later Link
  // continues these links.
  void ForgetLinksOfParent();
  // Notes that the object of the innermost frame refers to `object`, which is kLoaded or kBound.
  void NoteReference(const LazyObject& object);
  // Ends the innermost frame, whose object `object` is bound now. If `object` refers to the object
  // of an outer frame, it waits for that object. Otherwise `object` becomes ready, together with
  // the objects that have waited for it.
  void EndFrame(LazyObject& object);
  // Unlinks the objects that were bound since `frame` began, because they may refer to the frame's
  // object, which has failed.
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
  const WeakSymbols& weak_symbols_;
  SymbolResolver& resolver_;
  ObjectConstructors& constructors_;
  Listener& listener_;
  // Recursive, because the data of two modules may refer to each other, and because a client's
  // symbol finder, which is called while the mutex is held, may call compiled code.
  WorkMutex mutex_;
  // Both guarded by `mutex_`. `frames_`: the links in progress, the outermost first. `bound_`: the
  // objects that are bound and wait for the object of a frame to which they refer, in the order in
  // which they were bound.
  std::vector<Frame> frames_;
  std::vector<LazyObject*> bound_;
  std::atomic<uint64_t> linking_thread_{0};  // As AwaitedWork::OwnNumber; 0: no thread links.
  std::vector<WhenLinked> when_linked_;      // Guarded by `mutex_`.
  std::atomic<uint64_t> additions_{0};
  std::atomic<uint64_t> removals_{0};
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_OBJECT_LINKER_H_
