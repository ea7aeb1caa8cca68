// Several listeners as one. They are called in the order in which they were added.
//
// Thread-safe once all have been added. Tested in tests/api/threads_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROCESS_LISTENER_GROUP_H_
#define FIRSTCALL_RUNTIME_PROCESS_LISTENER_GROUP_H_

#include <vector>

#include "runtime/process/work_scope.h"
#include "seam/listener.h"

namespace firstcall {

class ListenerGroup final : public Listener {
 public:
  // `listener` must outlive the group.
  void Add(Listener& listener) {
    listeners_.push_back(&listener);
    hears_first_calls_ |= listener.hears_first_calls();
  }

  bool hears_first_calls() const override { return hears_first_calls_; }

  void OnModuleMade(const llvm::Module& module) override {
    CallbackScope scope;
    for (Listener* listener : listeners_) listener->OnModuleMade(module);
  }
  void OnModuleAdded(const AddedModule& module) override {
    for (Listener* listener : listeners_) listener->OnModuleAdded(module);
  }
  void OnFirstCall(const FirstCall& call) override {
    for (Listener* listener : listeners_) listener->OnFirstCall(call);
  }
  void OnFunctionFailed(const FailedFunction& failed) override {
    for (Listener* listener : listeners_) listener->OnFunctionFailed(failed);
  }
  void OnPublished(const PublishedObject& object) override {
    CallbackScope scope;
    for (Listener* listener : listeners_) listener->OnPublished(object);
  }
  void OnPromotionFailed(const FailedPromotion& failed) override {
    CallbackScope scope;
    for (Listener* listener : listeners_) listener->OnPromotionFailed(failed);
  }
  void OnRemoved(const RemovedModule& module) override {
    CallbackScope scope;
    for (Listener* listener : listeners_) listener->OnRemoved(module);
  }

 private:
  std::vector<Listener*> listeners_;
  bool hears_first_calls_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_LISTENER_GROUP_H_
