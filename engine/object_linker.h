// Links objects that are needed as a whole (see lazy_object.h): makes them, loads them, binds their
// references.
//
// Thread-safe. One thread at a time links; others that need an unlinked object wait.

#ifndef FIRSTCALL_ENGINE_OBJECT_LINKER_H_
#define FIRSTCALL_ENGINE_OBJECT_LINKER_H_

#include <atomic>
#include <mutex>  // std::recursive_mutex
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "engine/code_space.h"
#include "engine/compile_context.h"
#include "engine/lazy_object.h"
#include "engine/listener.h"
#include "engine/symbol_resolver.h"

namespace firstcall {

class ObjectLinker {
 public:
  // All must outlive the linker.
  ObjectLinker(const Target& target, const CodeSpace& code_space, SymbolResolver& resolver,
               Listener& listener)
      : target_(target), code_space_(code_space), resolver_(resolver), listener_(listener) {}

  // Links `object` unless that has been done. A failure is kept and returned again, except for a
  // lack of memory, which may end: then the next call goes on where this one stopped. May block on
  // generating code for data, or in eager mode for a module.
  absl::Status Link(LazyObject& object, CompileContext& context);

  // The address of a symbol it defines, after linking it. NotFound if it defines no such symbol.
  // While `object` is being linked by this very thread, what it needs may refer back to it: then
  // its address is known although its contents are not complete.
  absl::StatusOr<ExecutorAddress> AddressIn(LazyObject& object, absl::string_view name,
                                            CompileContext& context);

  // The object files that have been linked, and whose constructors the caller is to run now: those
  // that were linked since the last call. From the first call on RunPendingConstructors does that
  // for what is linked while the program runs.
  std::vector<LazyObject*> TakeObjectsToConstruct() ABSL_LOCKS_EXCLUDED(constructors_mutex_);
  void RunPendingConstructors() ABSL_LOCKS_EXCLUDED(constructors_mutex_);

  // All that were taken, in their order, to be destroyed by the caller.
  std::vector<LazyObject*> TakeObjectsToDestroy() ABSL_LOCKS_EXCLUDED(constructors_mutex_);

  // Held while linking. Whoever compiles a function together with data must hold it from before,
  // because both may need each other.
  std::recursive_mutex& mutex() { return mutex_; }

 private:
  absl::Status LinkLocked(LazyObject& object, CompileContext& context);
  absl::StatusOr<std::unique_ptr<UnfinishedLink>> Begin(LazyObject& object,
                                                        CompileContext& context);
  absl::Status Bind(LazyObject& object, UnfinishedLink& link, CompileContext& context);
  void Complete(LazyObject& object, const UnfinishedLink& link);
  absl::StatusOr<SymbolAddresses> Load(LazyObject& object, ObjectImage& image,
                                       McjitLinker& linker) const;
  absl::StatusOr<ObjectBytes> Make(LazyObject& object, CompileContext& context,
                                   UnfinishedLink& link);
  absl::StatusOr<ObjectBytes> MakeWhole(SourceModule& module, CompileContext& context,
                                        UnfinishedLink& link);

  const Target& target_;
  const CodeSpace& code_space_;
  SymbolResolver& resolver_;
  Listener& listener_;
  // Recursive, because data of two modules may refer to each other, and because a client's symbol
  // finder, called while it is held, may call compiled code.
  std::recursive_mutex mutex_;

  absl::Mutex constructors_mutex_;
  std::atomic<bool> constructors_started_{false};
  std::atomic<bool> has_pending_{false};
  std::vector<LazyObject*> pending_ ABSL_GUARDED_BY(constructors_mutex_);
  std::vector<LazyObject*> constructed_ ABSL_GUARDED_BY(constructors_mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_OBJECT_LINKER_H_
