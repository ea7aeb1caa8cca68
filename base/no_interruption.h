// Keeps the calling thread's work in the engine from being interrupted: the thread is not cancelled
// (base/no_cancellation.h), and signals are held back (base/signal_hold.h).
//
// Tested in tests/api/cancellation_test.cc and tests/api/signals_test.cc.

#ifndef FIRSTCALL_BASE_NO_INTERRUPTION_H_
#define FIRSTCALL_BASE_NO_INTERRUPTION_H_

#include "absl/base/attributes.h"
#include "base/no_cancellation.h"
#include "base/signal_hold.h"

namespace firstcall {

// What may interrupt a thread.
class InterruptionState {
 public:
  // Nothing interrupts this thread until Restore is called on the state that is returned, which is
  // the one before.
  static InterruptionState Disable() {
    InterruptionState before;
    before.cancellation_ = CancellationState::Disable();
    before.signals_ = SignalHold::Begin();
    return before;
  }

  // Does not return if the thread is to end now, or if the handler of a signal that was held back
  // leaves by siglongjmp. Signals come last: otherwise such a handler would leave a thread that is
  // never cancelled. (A thread that ends here runs its cleanup with the signals still blocked.)
  void Restore() const {
    cancellation_.Restore();
    signals_.End();
  }

 private:
  CancellationState cancellation_;
  SignalHold signals_;
};

// Calls `function` with `before` restored if it throws. Never inlined: WithoutInterruption would
// have something to do when it is unwound.
template <typename Function>
ABSL_ATTRIBUTE_NOINLINE auto CallOrRestore(const InterruptionState& before,
                                           const Function& function) {
  try {
    return function();
  } catch (...) {
    before.Restore();
    throw;
  }
}

// Calls `function`, whose result is a plain value, while nothing interrupts the thread. For
// functions that compiled code calls, and that do nothing else: they have nothing to destroy, so
// the thread can be unwound from each of their instructions. (In functions that have, an
// instruction between two calls ends the process when an exception comes from there.)
template <typename Function>
auto WithoutInterruption(const Function& function) {
  const InterruptionState before = InterruptionState::Disable();
  const auto result = CallOrRestore(before, function);
  before.Restore();
  return result;
}

// The constructor and the destructor run on the same thread. The destructor may unwind the thread,
// or be left by siglongjmp. So an object of this class is declared first, among members or local
// variables: it is destroyed last, when the thread holds nothing any more.
class NoInterruption {
 public:
  NoInterruption() = default;
  ~NoInterruption() noexcept(false) { before_.Restore(); }
  NoInterruption(const NoInterruption&) = delete;
  NoInterruption& operator=(const NoInterruption&) = delete;

 private:
  const InterruptionState before_ = InterruptionState::Disable();
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_NO_INTERRUPTION_H_
