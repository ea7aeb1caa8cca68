#include "engine/work_scope.h"

#include <pthread.h>

#include <atomic>
#include <cstddef>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"

namespace firstcall {
namespace {

thread_local int depth = 0;
thread_local bool is_in_callback = false;
thread_local bool is_exiting_thread = false;

// A thread that is at work for longer waits for something, perhaps for the one that exits.
constexpr absl::Duration kLongestCompile = absl::Seconds(1);

// Never destroyed: threads may work while static objects go.
class ForkGate {
 public:
  static ForkGate& Get() {
    static const bool is_made = [] {
      current_.store(new ForkGate(), std::memory_order_release);
      pthread_atfork([] { Get().Close(); }, [] { Get().Open(); }, [] { Get().ReplaceInChild(); });
      return true;
    }();
    (void)is_made;
    return *current_.load(std::memory_order_acquire);
  }

  void Enter() {
    absl::MutexLock lock(&mutex_);
    if (!is_exiting_thread) mutex_.Await(absl::Condition(this, &ForkGate::IsOpen));
    ++at_work_;
  }

  void KeepForThisThread() {
    absl::MutexLock lock(&mutex_);
    is_exiting_ = is_exiting_thread = true;
    const absl::Time deadline = absl::Now() + kLongestCompile;
    while (at_work_ > own_work() && absl::Now() < deadline) {
      changed_.WaitWithTimeout(&mutex_, absl::Milliseconds(1));
    }
  }

  void Leave() {
    absl::MutexLock lock(&mutex_);
    --at_work_;
  }

 private:
  bool IsOpen() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !is_forking_ && !is_exiting_; }
  bool MayFork() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return !is_forking_ && at_work_ == own_work();
  }
  // A callback of the client's may fork too: then this thread's own work goes on in the child.
  static size_t own_work() { return depth > 0 ? 1 : 0; }

  void Close() {
    absl::MutexLock lock(&mutex_);
    // Evaluated by this thread alone, because it looks at a variable of it.
    while (!MayFork()) changed_.WaitWithTimeout(&mutex_, absl::Milliseconds(1));
    is_forking_ = true;
  }

  void Open() {
    absl::MutexLock lock(&mutex_);
    is_forking_ = false;
  }

  // The mutex stays as it is: a thread that wanted to enter may have held it, or been about to wait
  // for it, when the process was forked, and is not there any more.
  void ReplaceInChild() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    auto* gate = new ForkGate();
    gate->is_exiting_ = is_exiting_;
    gate->at_work_ = own_work();
    current_.store(gate, std::memory_order_release);
  }

  static std::atomic<ForkGate*> current_;

  absl::Mutex mutex_;
  absl::CondVar changed_;
  bool is_forking_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_exiting_ ABSL_GUARDED_BY(mutex_) = false;
  size_t at_work_ ABSL_GUARDED_BY(mutex_) = 0;  // Threads.
};
std::atomic<ForkGate*> ForkGate::current_{nullptr};

}  // namespace

WorkScope::WorkScope() : was_in_callback_(is_in_callback) {
  if (depth == 0) ForkGate::Get().Enter();
  ++depth;
  is_in_callback = false;
}

WorkScope::~WorkScope() {
  is_in_callback = was_in_callback_;
  --depth;
  if (depth == 0) ForkGate::Get().Leave();
}

void WorkScope::KeepForThisThread() { ForkGate::Get().KeepForThisThread(); }

bool WorkScope::IsAtWork() { return depth > 0; }

bool WorkScope::IsInterrupted() { return depth > 0 && !is_in_callback; }

DelegatedWorkScope::DelegatedWorkScope() { ++depth; }

DelegatedWorkScope::~DelegatedWorkScope() { --depth; }

CallbackScope::CallbackScope() : was_in_callback_(is_in_callback) { is_in_callback = true; }

CallbackScope::~CallbackScope() { is_in_callback = was_in_callback_; }

}  // namespace firstcall
