// A mutex whose holder gets no signals. So a signal handler may lock the mutex, too, and a garbage
// collector that stops threads by a signal stops none that holds the mutex.
//
// Thread-safe; async-signal-safe.

#ifndef FIRSTCALL_BASE_UNINTERRUPTED_MUTEX_H_
#define FIRSTCALL_BASE_UNINTERRUPTED_MUTEX_H_

#include <pthread.h>

#include <csignal>

namespace firstcall {

class UninterruptedMutex {
 public:
  constexpr UninterruptedMutex() = default;
  UninterruptedMutex(const UninterruptedMutex&) = delete;
  UninterruptedMutex& operator=(const UninterruptedMutex&) = delete;

  void Lock() {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_mutex_lock(&mutex_);
    before_ = before;
  }
  // The holder has the signal mask again that it had at Lock.
  void Unlock() {
    const sigset_t before = before_;
    pthread_mutex_unlock(&mutex_);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  sigset_t before_ = {};  // The holder's mask.
};

class UninterruptedLock {
 public:
  explicit UninterruptedLock(UninterruptedMutex& mutex) : mutex_(mutex) { mutex_.Lock(); }
  ~UninterruptedLock() { mutex_.Unlock(); }
  UninterruptedLock(const UninterruptedLock&) = delete;
  UninterruptedLock& operator=(const UninterruptedLock&) = delete;

 private:
  UninterruptedMutex& mutex_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_UNINTERRUPTED_MUTEX_H_
