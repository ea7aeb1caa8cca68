// Keeps the calling thread from being cancelled (pthread_cancel), because others would wait for
// what it holds, or find what it has left.
//
// A thread whose cancellation is asynchronous ends the process if it was cancelled meanwhile.

#ifndef FIRSTCALL_BASE_NO_CANCELLATION_H_
#define FIRSTCALL_BASE_NO_CANCELLATION_H_

#include <pthread.h>

namespace firstcall {

// The constructor and the destructor run on the same thread.
class NoCancellation {
 public:
  NoCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoCancellation() { pthread_setcancelstate(before_, nullptr); }
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_NO_CANCELLATION_H_
