// Tells LLVM's listeners (llvm::JITEventListener) of the objects that an engine publishes. Each
// function, or the few that were compiled with it, is an object of its own.
//
// Thread-safe.

#ifndef FIRSTCALL_CLIENTS_MCJIT_OBJECT_NOTIFIER_H_
#define FIRSTCALL_CLIENTS_MCJIT_OBJECT_NOTIFIER_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "seam/listener.h"

namespace llvm {
class JITEventListener;
}  // namespace llvm

namespace firstcall {

class ObjectNotifier final : public Listener {
 public:
  // A listener is told of what is published from now on.
  void Add(llvm::JITEventListener* listener) ABSL_LOCKS_EXCLUDED(mutex_);
  void Remove(llvm::JITEventListener* listener) ABSL_LOCKS_EXCLUDED(mutex_);

  // Tells the listeners that the code of all objects is about to be freed.
  void NotifyFreeing() ABSL_LOCKS_EXCLUDED(mutex_);

  void OnPublished(const PublishedObject& object) override ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Mutex mutex_;
  std::vector<llvm::JITEventListener*> listeners_ ABSL_GUARDED_BY(mutex_);
  // Keys of objects, and who was told of them.
  std::vector<std::pair<uint64_t, llvm::JITEventListener*>> told_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_OBJECT_NOTIFIER_H_
