// Makes events of what happens in an engine, numbers them, and delivers them to the listeners when
// the thread is not at work any more.
//
// Thread-safe. The listeners live as long as an event is on its way to them, which may be longer
// than the engine. Tested in tests/api/events_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROCESS_EVENT_SOURCE_H_
#define FIRSTCALL_RUNTIME_PROCESS_EVENT_SOURCE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "seam/event.h"
#include "seam/listener.h"

namespace firstcall {

class EventSource final : public Listener {
 public:
  explicit EventSource(std::vector<std::shared_ptr<EventListener>> listeners);

  void OnModuleAdded(const AddedModule& module) override;
  bool hears_first_calls() const override { return true; }
  void OnFirstCall(const FirstCall& call) override;
  void OnPublished(const PublishedObject& object) override;
  void OnPromotionFailed(const FailedPromotion& failed) override;
  void OnFunctionFailed(const FailedFunction& failed) override;
  void OnRemoved(const RemovedModule& module) override;

  // A block of stubs was made, or of call counters: `name` says which.
  void OnStubs(ExecutorAddress code, size_t size, absl::string_view name);

  // So many bytes were allocated; if negative, they are about to be freed.
  void OnMemory(int64_t change);

 private:
  // What outlives the engine.
  struct Receivers {
    std::vector<std::shared_ptr<EventListener>> listeners;
    std::atomic<uint64_t> last_number{0};
    // The bytes that are allocated, as of the last event that has its number.
    absl::Mutex memory_mutex;
    size_t memory_used ABSL_GUARDED_BY(memory_mutex) = 0;
    bool want_code = false;
    bool want_names = false;
  };

  void Number(Event& event);
  // Delivers an event that has its number.
  void DeliverNumbered(Event event);
  void Deliver(Event event);

  const std::shared_ptr<Receivers> receivers_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_EVENT_SOURCE_H_
