// Tells the thread sanitizer what Abseil's mutexes and events order, under --config=tsan only.
//
// Debian's Abseil is not instrumented: what its mutex does to memory is invisible to the sanitizer,
// and every access the mutex guards would be reported as a race. The linker (--wrap, see absl.bzl)
// sends each call that leaves our code here; the functions below announce it and call the real one.
//
// Waiting on an absl::Condition is replaced by polling. The real one lets whichever thread unlocks
// evaluate the waiter's condition, and so our code would run in a thread that, for all the
// sanitizer knows, does not hold the mutex.

#include <sanitizer/tsan_interface.h>

#include <atomic>
#include <cstdint>

#include "absl/base/internal/spinlock_wait.h"
#include "absl/synchronization/barrier.h"
#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/mutex.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

// The Itanium ABI's names, in the inline namespace Debian compiles Abseil with: Debian's soname is
// part of it, and with another one the link fails rather than losing the announcements.
#define CONCATENATE(prefix, name) prefix##name
#define EXPAND(prefix, name) CONCATENATE(prefix, name)
#define REAL(name) EXPAND(__real__ZN4absl7debian3, name)
#define WRAP(name) EXPAND(__wrap__ZN4absl7debian3, name)
#define REAL_CONST(name) EXPAND(__real__ZNK4absl7debian3, name)
#define WRAP_CONST(name) EXPAND(__wrap__ZNK4absl7debian3, name)

using ::absl::BlockingCounter;
using ::absl::Condition;
using ::absl::CondVar;
using ::absl::Mutex;
using ::absl::Notification;

namespace {

constexpr unsigned kWriter = 0;
constexpr unsigned kReader = __tsan_mutex_read_lock;

// How the calling thread, which must hold `mutex`, holds it: the first word of a mutex has
// kMuWriter (8) set while a writer does, and no other thread can change that until we unlock.
__attribute__((no_sanitize("thread"))) unsigned HeldAs(const Mutex* mutex) {
  constexpr intptr_t kMuWriter = 8;
  return (*reinterpret_cast<const volatile intptr_t*>(mutex) & kMuWriter) != 0 ? kWriter : kReader;
}

// Announces an unlock at construction and the lock that follows it at destruction: for calls that
// wait with the mutex released and return with it held again.
class ReleasedDuring {
 public:
  explicit ReleasedDuring(Mutex* mutex) : mutex_(mutex), how_(HeldAs(mutex)) {
    __tsan_mutex_pre_unlock(mutex_, how_);
    __tsan_mutex_post_unlock(mutex_, how_);
  }
  ~ReleasedDuring() {
    __tsan_mutex_pre_lock(mutex_, how_);
    __tsan_mutex_post_lock(mutex_, how_, /*recursion=*/0);
  }

 private:
  Mutex* const mutex_;
  const unsigned how_;
};

void LockAs(Mutex* mutex, unsigned how) { how == kWriter ? mutex->Lock() : mutex->ReaderLock(); }
void UnlockAs(Mutex* mutex, unsigned how) {
  how == kWriter ? mutex->Unlock() : mutex->ReaderUnlock();
}

// Requires `mutex` held; returns with it held as before, and whether the condition holds.
bool AwaitByPolling(Mutex* mutex, const Condition& condition, absl::Time deadline) {
  const unsigned how = HeldAs(mutex);
  while (!condition.Eval()) {
    if (absl::Now() >= deadline) return false;
    UnlockAs(mutex, how);
    absl::SleepFor(absl::Microseconds(100));
    LockAs(mutex, how);
  }
  return true;
}

bool LockWhen(Mutex* mutex, unsigned how, const Condition& condition, absl::Time deadline) {
  LockAs(mutex, how);
  return AwaitByPolling(mutex, condition, deadline);
}

template <typename RealTryLock>
bool TryLock(Mutex* mutex, unsigned how, RealTryLock real) {
  how |= __tsan_mutex_try_lock;
  __tsan_mutex_pre_lock(mutex, how);
  const bool locked = real(mutex);
  __tsan_mutex_post_lock(mutex, locked ? how : how | __tsan_mutex_try_lock_failed, /*recursion=*/0);
  return locked;
}

// A notification's flag follows its mutex. HasBeenNotified() is inline and therefore instrumented:
// it acquires at the flag's address.
void* FlagOf(const Notification* notification) {
  return reinterpret_cast<char*>(const_cast<Notification*>(notification)) + sizeof(Mutex);
}

}  // namespace

extern "C" {

// --- Mutex: locking ---

void REAL(5Mutex4LockEv)(Mutex*);
void WRAP(5Mutex4LockEv)(Mutex* mutex) {
  __tsan_mutex_pre_lock(mutex, kWriter);
  REAL(5Mutex4LockEv)(mutex);
  __tsan_mutex_post_lock(mutex, kWriter, /*recursion=*/0);
}

void REAL(5Mutex6UnlockEv)(Mutex*);
void WRAP(5Mutex6UnlockEv)(Mutex* mutex) {
  __tsan_mutex_pre_unlock(mutex, kWriter);
  REAL(5Mutex6UnlockEv)(mutex);
  __tsan_mutex_post_unlock(mutex, kWriter);
}

void REAL(5Mutex10ReaderLockEv)(Mutex*);
void WRAP(5Mutex10ReaderLockEv)(Mutex* mutex) {
  __tsan_mutex_pre_lock(mutex, kReader);
  REAL(5Mutex10ReaderLockEv)(mutex);
  __tsan_mutex_post_lock(mutex, kReader, /*recursion=*/0);
}

void REAL(5Mutex12ReaderUnlockEv)(Mutex*);
void WRAP(5Mutex12ReaderUnlockEv)(Mutex* mutex) {
  __tsan_mutex_pre_unlock(mutex, kReader);
  REAL(5Mutex12ReaderUnlockEv)(mutex);
  __tsan_mutex_post_unlock(mutex, kReader);
}

bool REAL(5Mutex7TryLockEv)(Mutex*);
bool WRAP(5Mutex7TryLockEv)(Mutex* mutex) {
  return TryLock(mutex, kWriter, REAL(5Mutex7TryLockEv));
}

bool REAL(5Mutex13ReaderTryLockEv)(Mutex*);
bool WRAP(5Mutex13ReaderTryLockEv)(Mutex* mutex) {
  return TryLock(mutex, kReader, REAL(5Mutex13ReaderTryLockEv));
}

void REAL(5MutexD1Ev)(Mutex*);
void WRAP(5MutexD1Ev)(Mutex* mutex) {
  __tsan_mutex_destroy(mutex, 0);
  REAL(5MutexD1Ev)(mutex);
}

// Its Unlock() is a call inside Abseil, which --wrap does not see. Its first member is the mutex.
void REAL(19ReleasableMutexLock7ReleaseEv)(Mutex**);
void WRAP(19ReleasableMutexLock7ReleaseEv)(Mutex** lock) {
  Mutex* const mutex = *lock;
  const unsigned how = HeldAs(mutex);
  __tsan_mutex_pre_unlock(mutex, how);
  REAL(19ReleasableMutexLock7ReleaseEv)(lock);
  __tsan_mutex_post_unlock(mutex, how);
}

// --- Mutex: waiting for a condition ---

void WRAP(5Mutex5AwaitERKNS0_9ConditionE)(Mutex* mutex, const Condition& condition) {
  AwaitByPolling(mutex, condition, absl::InfiniteFuture());
}
bool WRAP(5Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE)(Mutex* mutex,
                                                                    const Condition& condition,
                                                                    absl::Duration timeout) {
  return AwaitByPolling(mutex, condition, absl::Now() + timeout);
}
bool WRAP(5Mutex17AwaitWithDeadlineERKNS0_9ConditionENS0_4TimeE)(Mutex* mutex,
                                                                 const Condition& condition,
                                                                 absl::Time deadline) {
  return AwaitByPolling(mutex, condition, deadline);
}
void WRAP(5Mutex8LockWhenERKNS0_9ConditionE)(Mutex* mutex, const Condition& condition) {
  LockWhen(mutex, kWriter, condition, absl::InfiniteFuture());
}
bool WRAP(5Mutex19LockWhenWithTimeoutERKNS0_9ConditionENS0_8DurationE)(Mutex* mutex,
                                                                       const Condition& condition,
                                                                       absl::Duration timeout) {
  return LockWhen(mutex, kWriter, condition, absl::Now() + timeout);
}
bool WRAP(5Mutex20LockWhenWithDeadlineERKNS0_9ConditionENS0_4TimeE)(Mutex* mutex,
                                                                    const Condition& condition,
                                                                    absl::Time deadline) {
  return LockWhen(mutex, kWriter, condition, deadline);
}
void WRAP(5Mutex14ReaderLockWhenERKNS0_9ConditionE)(Mutex* mutex, const Condition& condition) {
  LockWhen(mutex, kReader, condition, absl::InfiniteFuture());
}
bool WRAP(5Mutex25ReaderLockWhenWithTimeoutERKNS0_9ConditionENS0_8DurationE)(
    Mutex* mutex, const Condition& condition, absl::Duration timeout) {
  return LockWhen(mutex, kReader, condition, absl::Now() + timeout);
}
bool WRAP(5Mutex26ReaderLockWhenWithDeadlineERKNS0_9ConditionENS0_4TimeE)(
    Mutex* mutex, const Condition& condition, absl::Time deadline) {
  return LockWhen(mutex, kReader, condition, deadline);
}

// --- CondVar ---

void REAL(7CondVar4WaitEPNS0_5MutexE)(CondVar*, Mutex*);
void WRAP(7CondVar4WaitEPNS0_5MutexE)(CondVar* condvar, Mutex* mutex) {
  ReleasedDuring wait(mutex);
  REAL(7CondVar4WaitEPNS0_5MutexE)(condvar, mutex);
}

bool REAL(7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE)(CondVar*, Mutex*, absl::Duration);
bool WRAP(7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE)(CondVar* condvar, Mutex* mutex,
                                                                absl::Duration timeout) {
  ReleasedDuring wait(mutex);
  return REAL(7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE)(condvar, mutex, timeout);
}

bool REAL(7CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE)(CondVar*, Mutex*, absl::Time);
bool WRAP(7CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE)(CondVar* condvar, Mutex* mutex,
                                                             absl::Time deadline) {
  ReleasedDuring wait(mutex);
  return REAL(7CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE)(condvar, mutex, deadline);
}

// --- Events ---

void REAL(12Notification6NotifyEv)(Notification*);
void WRAP(12Notification6NotifyEv)(Notification* notification) {
  __tsan_release(FlagOf(notification));
  REAL(12Notification6NotifyEv)(notification);
}

void REAL_CONST(12Notification19WaitForNotificationEv)(const Notification*);
void WRAP_CONST(12Notification19WaitForNotificationEv)(const Notification* notification) {
  REAL_CONST(12Notification19WaitForNotificationEv)(notification);
  __tsan_acquire(FlagOf(notification));
}

bool REAL_CONST(12Notification30WaitForNotificationWithTimeoutENS0_8DurationE)(const Notification*,
                                                                               absl::Duration);
bool WRAP_CONST(12Notification30WaitForNotificationWithTimeoutENS0_8DurationE)(
    const Notification* notification, absl::Duration timeout) {
  const bool notified = REAL_CONST(12Notification30WaitForNotificationWithTimeoutENS0_8DurationE)(
      notification, timeout);
  if (notified) __tsan_acquire(FlagOf(notification));
  return notified;
}

void REAL(12NotificationD1Ev)(Notification*);
void WRAP(12NotificationD1Ev)(Notification* notification) {
  __tsan_mutex_destroy(notification, 0);  // its mutex is its first member
  REAL(12NotificationD1Ev)(notification);
}

bool REAL(15BlockingCounter14DecrementCountEv)(BlockingCounter*);
bool WRAP(15BlockingCounter14DecrementCountEv)(BlockingCounter* counter) {
  __tsan_release(counter);
  return REAL(15BlockingCounter14DecrementCountEv)(counter);
}

void REAL(15BlockingCounter4WaitEv)(BlockingCounter*);
void WRAP(15BlockingCounter4WaitEv)(BlockingCounter* counter) {
  REAL(15BlockingCounter4WaitEv)(counter);
  __tsan_acquire(counter);
}

bool REAL(7Barrier5BlockEv)(absl::Barrier*);
bool WRAP(7Barrier5BlockEv)(absl::Barrier* barrier) {
  __tsan_release(barrier);
  const bool last = REAL(7Barrier5BlockEv)(barrier);
  __tsan_acquire(barrier);
  return last;
}

// The part of absl::call_once() in which a thread waits for another's call to end.
using SpinLockWord = std::atomic<uint32_t>;
using SpinLockTransition = absl::base_internal::SpinLockWaitTransition;
using absl::base_internal::SchedulingMode;
#define SPIN_LOCK_WAIT \
  13base_internal12SpinLockWaitEPSt6atomicIjEiPKNS1_22SpinLockWaitTransitionENS1_14SchedulingModeE
uint32_t REAL(SPIN_LOCK_WAIT)(SpinLockWord*, int, const SpinLockTransition[], SchedulingMode);
uint32_t WRAP(SPIN_LOCK_WAIT)(SpinLockWord* word, int count, const SpinLockTransition transitions[],
                              SchedulingMode mode) {
  const uint32_t state = REAL(SPIN_LOCK_WAIT)(word, count, transitions, mode);
  __tsan_acquire(word);
  return state;
}

}  // extern "C"
