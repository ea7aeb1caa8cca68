// Keeps the calling thread from being cancelled (pthread_cancel), because others would wait for
// what it holds, or find what it has left.
//
// A thread that allows asynchronous cancellation, and was cancelled meanwhile, ends where its state
// is restored: pthread_setcanceltype unwinds the thread from there.
//
// Tested in tests/api/cancellation_test.cc.

#ifndef FIRSTCALL_BASE_NO_CANCELLATION_H_
#define FIRSTCALL_BASE_NO_CANCELLATION_H_

#include <pthread.h>

namespace firstcall {

// Whether, and where, a thread may be cancelled.
class CancellationState {
 public:
  // Keeps this thread from being cancelled until Restore is called on the state that is returned,
  // which is the one before. Changes the type, too: a thread that cancels another one looks at the
  // state and then sends a signal, and when the signal comes, glibc looks at the type only
  // (sigcancel_handler, glibc 2.36).
  static CancellationState Disable() {
    CancellationState before;
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before.type_);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before.state_);
    return before;
  }

  // Does not return if the thread is to end now. A type that a callback of the client's has set
  // stays. It is restored last, because a thread that ends in pthread_setcancelstate has the result
  // null, or that of an earlier thread, and not PTHREAD_CANCELED (glibc 2.36).
  void Restore() const {
    int type = PTHREAD_CANCEL_DEFERRED;
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    if (type_ != PTHREAD_CANCEL_DEFERRED) type = type_;
    pthread_setcancelstate(state_, nullptr);
    if (type != PTHREAD_CANCEL_DEFERRED) pthread_setcanceltype(type, nullptr);
  }

 private:
  int type_ = PTHREAD_CANCEL_DEFERRED;
  int state_ = PTHREAD_CANCEL_ENABLE;
};

// The constructor and the destructor run on the same thread. The destructor may unwind the thread.
// So an object of this class is declared first, among members or local variables: it is destroyed
// last, when the thread holds nothing any more.
class NoCancellation {
 public:
  NoCancellation() = default;
  ~NoCancellation() noexcept(false) { before_.Restore(); }
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;

 private:
  const CancellationState before_ = CancellationState::Disable();
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_NO_CANCELLATION_H_
