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
class Gate {
 public:
  static Gate& Get() {
    static const bool is_made = [] {
      current_.store(new Gate(), std::memory_order_release);
      pthread_atfork([] { Get().Close(); }, [] { Get().Open(); }, [] { Get().ReplaceInChild(); });
      return true;
    }();
    (void)is_made;
    return *current_.load(std::memory_order_acquire);
  }

  void Enter() {
    absl::MutexLock lock(&mutex_);
    if (!is_exiting_thread) mutex_.Await(absl::Condition(this, &Gate::IsOpen));
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
    if (waiting_ > 0) changed_.SignalAll();
  }

  // Lets this thread alone work. A callback of the client's may fork too: then this thread's own
  // work goes on in the child.
  void Close() {
    absl::MutexLock lock(&mutex_);
    ++waiting_;
    // Evaluated by this thread alone, because it looks at a variable of it.
    while (is_closed_ || at_work_ != own_work()) changed_.Wait(&mutex_);
    --waiting_;
    is_closed_ = true;
  }

  void Open() {
    absl::MutexLock lock(&mutex_);
    is_closed_ = false;
    if (waiting_ > 0) changed_.SignalAll();
  }

  bool IsOpen() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !is_closed_ && !is_exiting_; }
  static size_t own_work() { return depth > 0 ? 1 : 0; }

  // The mutex stays as it is: a thread that wanted to enter may have held it, or been about to wait
  // for it, when the process was forked, and is not there any more.
  void ReplaceInChild() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    auto* gate = new Gate();
    gate->parents_ = this;
    gate->is_exiting_ = is_exiting_;
    gate->at_work_ = own_work();
    current_.store(gate, std::memory_order_release);
  }

  static std::atomic<Gate*> current_;
  Gate* parents_ = nullptr;  // Never destroyed either, and so no leak.

  absl::Mutex mutex_;
  absl::CondVar changed_;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_exiting_ ABSL_GUARDED_BY(mutex_) = false;
  size_t at_work_ ABSL_GUARDED_BY(mutex_) = 0;  // Threads.
  size_t waiting_ ABSL_GUARDED_BY(mutex_) = 0;  // Threads that want to close it.
};
std::atomic<Gate*> Gate::current_{nullptr};

}  // namespace

WorkScope::WorkScope() : was_in_callback_(is_in_callback) {
  if (depth == 0) Gate::Get().Enter();
  ++depth;
  is_in_callback = false;
}

WorkScope::~WorkScope() {
  is_in_callback = was_in_callback_;
  --depth;
  if (depth == 0) Gate::Get().Leave();
}

void WorkScope::KeepForThisThread() { Gate::Get().KeepForThisThread(); }

void WorkScope::Abandon() {
  if (depth > 0) Gate::Get().Leave();
  depth = 0;
}

bool WorkScope::IsAtWork() { return depth > 0; }

bool WorkScope::IsInterrupted() { return depth > 0 && !is_in_callback; }

ExclusiveWorkScope::ExclusiveWorkScope() {
  Gate::Get().Close();
  ++depth;
}

ExclusiveWorkScope::~ExclusiveWorkScope() {
  --depth;
  Gate::Get().Open();
}

DelegatedWorkScope::DelegatedWorkScope(std::fenv_t* program) : floating_point_(program) { ++depth; }

DelegatedWorkScope::~DelegatedWorkScope() { --depth; }

CallbackScope::CallbackScope() : was_in_callback_(is_in_callback) { is_in_callback = true; }

CallbackScope::~CallbackScope() { is_in_callback = was_in_callback_; }

}  // namespace firstcall
