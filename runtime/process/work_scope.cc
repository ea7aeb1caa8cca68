#include "runtime/process/work_scope.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/forks.h"
#include "base/steady_clock.h"
#include "runtime/process/awaited_work.h"
#include "runtime/process/exit_hook.h"
#include "runtime/process/unattended_work.h"

namespace firstcall {
namespace {

thread_local int depth = 0;
thread_local bool counts = false;   // The gate counts this thread as being at work.
thread_local int own_closings = 0;  // How often this thread has closed the gate.
thread_local bool is_in_callback = false;
thread_local bool is_exiting_thread = false;
thread_local uint64_t own_number = 0;  // See AwaitedWork::OwnNumber.

std::atomic<uint64_t> next_number{1};
// If this process was forked: the first number of its own threads, and the number of the thread
// that has forked.
std::atomic<uint64_t> first_number{0};
std::atomic<uint64_t> forking_number{0};

// Null if no actions wait. A pointer, because an object's destructor would run while its thread
// ends.
thread_local std::deque<std::function<void()>>* waiting_actions = nullptr;
thread_local bool runs_actions = false;

// If a thread is at work for longer than this, it waits for something, perhaps for the thread that
// exits.
constexpr absl::Duration kLongestCompile = absl::Seconds(1);

// A thread that begins to work gives precedence to threads that want to close the gate, but only
// for this time. There must be a limit: in a callback of the client's, a thread that is at work may
// wait for a thread that begins.
constexpr absl::Duration kLongestPrecedence = absl::Milliseconds(50);

// The pause between two checks of a condition that other threads are to make true.
constexpr absl::Duration kPause = absl::Microseconds(100);

}  // namespace

// Never destroyed: threads may work while static objects go.
class Gate {
 public:
  static Gate& Get() {
    static const bool is_made = [] {
      current_.store(new Gate(), std::memory_order_release);
      AddOutermostForkHandlers(
          {[] { Get().Close(); }, [] { Get().Open(); }, [] { Get().ReplaceInChild(); }});
      return true;
    }();
    (void)is_made;
    return *current_.load(std::memory_order_acquire);
  }

  // Returns whether the thread is at work now.
  bool Enter(WorkScope::WhenOver when_over) {
    absl::MutexLock lock(&mutex_);
    if (!is_exiting_thread) {
      if (waiting_ > 0) {
        mutex_.AwaitWithTimeout(absl::Condition(this, &Gate::IsFree), kLongestPrecedence);
      }
      const bool forgets = when_over == WorkScope::WhenOver::kForget;
      const auto is_decided = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return IsOpen() || (forgets && is_exiting_);
      };
      mutex_.Await(absl::Condition(&is_decided));
      if (!IsOpen()) return false;
    }
    ++at_work_;
    counts = true;
    return true;
  }

  void EnterThoughExiting() {
    absl::MutexLock lock(&mutex_);
    const auto is_open = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !is_closed_; };
    mutex_.Await(absl::Condition(&is_open));
    ++at_work_;
    counts = true;
  }

  void KeepForThisThread() {
    absl::MutexLock lock(&mutex_);
    is_exiting_ = is_exiting_thread = true;
    WaitFor([&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(
                mutex_) { return at_work_ + CountUnattendedOfProgram() <= own_work(); },
            kLongestCompile);
  }

  void Leave() {
    absl::MutexLock lock(&mutex_);
    --at_work_;
    counts = false;
    if (waiting_ > 0) changed_.SignalAll();
  }

  void LeaveUnattended(UnattendedWork& work) {
    {
      absl::MutexLock lock(&mutex_);
      unattended_.push_back(&work);
      counts = false;
      if (work.own_thread_) --*work.attended_;
      --at_work_;
      if (waiting_ > 0) changed_.SignalAll();
      if (!MustStop(work)) return;
    }
    work.own_thread_->StopHere();
  }

  // If the process has forked meanwhile, the thread has left another gate than this one.
  void EnterAttended(UnattendedWork& work) {
    {
      absl::MutexLock lock(&mutex_);
      const auto may_go_on = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
        return IsOpen() || MustStop(work);
      };
      if (!is_exiting_thread) mutex_.Await(absl::Condition(&may_go_on));
      if (!MustStop(work)) {
        unattended_.erase(std::remove(unattended_.begin(), unattended_.end(), &work),
                          unattended_.end());
        counts = true;
        if (work.own_thread_) ++*work.attended_;
        ++at_work_;
        return;
      }
    }
    work.own_thread_->StopHere();
  }

  void StopUnattended() {
    std::vector<StoppableThread*> threads;
    {
      absl::MutexLock lock(&mutex_);
      is_stopping_unattended_ = true;
      // A handler may exit in the middle of unattended work.
      for (UnattendedWork* work : unattended_) {
        if (work->own_thread_ && !work->IsCurrent()) threads.push_back(&*work->own_thread_);
      }
      WaitFor(
          [&] {
            return std::all_of(threads.begin(), threads.end(),
                               [](const StoppableThread* thread) { return thread->is_stopped(); });
          },
          UnattendedWork::kPatience);
    }
    StoppableThread::StopAll(threads);
  }

  bool is_stopping_unattended() const { return is_stopping_unattended_; }

  // A forked child replaces the gate, so a thread that waits here holds no lock in the child.
  void Await(absl::FunctionRef<bool()> is_over) {
    absl::MutexLock lock(&mutex_);
    ++awaiting_;
    awaiting_threads_.push_back(AwaitedWork::OwnNumber());
    blocked_ += own_work();
    if (waiting_ > 0) changed_.SignalAll();
    awaited_.SignalAll();  // Others may ask IsAwaiting.
    while ((is_closed_ && own_closings == 0) || !is_over()) awaited_.Wait(&mutex_);
    blocked_ -= own_work();
    awaiting_threads_.erase(
        std::find(awaiting_threads_.begin(), awaiting_threads_.end(), AwaitedWork::OwnNumber()));
    --awaiting_;
  }

  void AwaitBeginning(DelegatedWorkScope::Order& order) {
    absl::MutexLock lock(&mutex_);
    if (!order.has_begun_ && own_work() > 0) {
      order.is_awaited_ = true;
      ++blocked_;
      if (waiting_ > 0) changed_.SignalAll();
    }
    while (!order.has_begun_) awaited_.Wait(&mutex_);
  }

  // From now on the thread that has given the order counts as being at work, and not as blocked.
  void Begin(DelegatedWorkScope::Order& order) {
    absl::MutexLock lock(&mutex_);
    while (is_closed_) awaited_.Wait(&mutex_);
    order.has_begun_ = true;
    if (order.is_awaited_) --blocked_;
    awaited_.SignalAll();
  }

  // Needs no lock to find that nobody waits: a thread that begins to wait counts itself in
  // `awaiting_` before it first calls `is_over`.
  void TellAwaiting() {
    if (awaiting_ == 0) return;
    absl::MutexLock lock(&mutex_);
    awaited_.SignalAll();
  }

  // Called by `is_over` of Await.
  bool IsAwaiting(uint64_t thread) const ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return std::find(awaiting_threads_.begin(), awaiting_threads_.end(), thread) !=
           awaiting_threads_.end();
  }

  // Lets this thread alone work. A callback of the client's may fork too: then this thread's own
  // work goes on in the child. Other threads at work may wait for it, or fork as well: they do
  // nothing until this thread opens the gate.
  void Close() {
    if (own_closings++ > 0) return;
    absl::MutexLock lock(&mutex_);
    // Whether to wait for unattended work: not if its thread was stopped, and only for kPatience
    // from the first wait on.
    const auto is_awaited = [](UnattendedWork* work) {
      if (work->IsCurrent() || (work->own_thread_ && work->own_thread_->is_stopped())) return false;
      const absl::Duration now = SteadyNow();
      work->patience_ends_ = std::min(work->patience_ends_, now + UnattendedWork::kPatience);
      return now < work->patience_ends_;
    };
    WaitFor(
        [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
          return std::none_of(unattended_.begin(), unattended_.end(), is_awaited);
        },
        2 * UnattendedWork::kPatience);
    ++waiting_;
    blocked_ += own_work();
    if (own_work() > 0) changed_.SignalAll();
    // Not an absl::Condition, because other threads would evaluate it, and own_work() is about this
    // thread.
    while (is_closed_ || at_work_ != (own_work() > 0 ? blocked_ : 0)) changed_.Wait(&mutex_);
    blocked_ -= own_work();
    --waiting_;
    is_closed_ = true;
  }

  void Open() {
    if (own_closings == 1) {
      absl::MutexLock lock(&mutex_);
      is_closed_ = false;
      if (waiting_ > 0) changed_.SignalAll();
      awaited_.SignalAll();
    }
    --own_closings;
  }

  bool IsOpen() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return !is_closed_ && !is_exiting_; }
  bool IsFree() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return IsOpen() && waiting_ == 0; }
  bool MustStop(const UnattendedWork& work) const {
    return is_stopping_unattended_ && work.own_thread_;
  }
  size_t CountUnattendedOfProgram() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return static_cast<size_t>(std::count_if(
        unattended_.begin(), unattended_.end(),
        [](const UnattendedWork* work) { return !work->own_thread_ && !work->IsCurrent(); }));
  }
  static size_t own_work() { return counts ? 1 : 0; }

  // The mutex stays as it is: a thread that wanted to enter may have held it, or been about to wait
  // for it, when the process was forked, and such a thread does not exist in the child.
  void ReplaceInChild() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    first_number = next_number.load();
    forking_number = AwaitedWork::OwnNumber();
    auto* gate = new Gate();
    gate->parents_ = this;
    gate->is_closed_ = --own_closings > 0;
    gate->is_exiting_ = is_exiting_;
    gate->is_stopping_unattended_ = is_stopping_unattended_.load();
    gate->at_work_ = own_work();
    for (UnattendedWork* work : unattended_) {
      if (work->IsCurrent()) gate->unattended_.push_back(work);
    }
    current_.store(gate, std::memory_order_release);
  }

  // Returns when `is_so` returns true, or after `time`. Other threads can take the mutex meanwhile.
  template <typename IsSo>
  void WaitFor(IsSo is_so, absl::Duration time) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    const absl::Duration end = SteadyNow() + time;
    while (!is_so() && SteadyNow() < end) {
      mutex_.Unlock();
      absl::SleepFor(kPause);
      mutex_.Lock();
    }
  }

  static std::atomic<Gate*> current_;
  Gate* parents_ = nullptr;  // Never destroyed; kept, so that it counts as no leak.

  absl::Mutex mutex_;
  absl::CondVar changed_;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_exiting_ ABSL_GUARDED_BY(mutex_) = false;
  size_t at_work_ ABSL_GUARDED_BY(mutex_) = 0;  // How many threads are at work.
  size_t waiting_ ABSL_GUARDED_BY(mutex_) = 0;  // Threads that want to close the gate.
  // Of the threads that are at work: those that want to close the gate, or that wait in Await, or
  // for another thread to begin what they have ordered.
  size_t blocked_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::CondVar awaited_;
  std::atomic<size_t> awaiting_{0};  // Threads in Await.
  std::vector<uint64_t> awaiting_threads_ ABSL_GUARDED_BY(mutex_);
  std::vector<UnattendedWork*> unattended_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> is_stopping_unattended_{false};  // For good. Set with the mutex.
};
std::atomic<Gate*> Gate::current_{nullptr};

void AwaitedWork::Wait(absl::FunctionRef<bool()> is_over) { Gate::Get().Await(is_over); }

void AwaitedWork::Tell() { Gate::Get().TellAwaiting(); }

uint64_t AwaitedWork::OwnNumber() {
  if (own_number == 0) own_number = next_number.fetch_add(1, std::memory_order_relaxed);
  return own_number;
}

bool AwaitedWork::IsOfParent(uint64_t thread) {
  return thread < first_number.load(std::memory_order_relaxed) &&
         thread != forking_number.load(std::memory_order_relaxed);
}

bool AwaitedWork::IsWaiting(uint64_t thread) { return Gate::Get().IsAwaiting(thread); }

void RunWaitingActions() {
  if (waiting_actions == nullptr || runs_actions || depth > 0) return;
  runs_actions = true;
  while (!waiting_actions->empty()) {
    const std::function<void()> action = std::move(waiting_actions->front());
    waiting_actions->pop_front();
    action();
  }
  delete std::exchange(waiting_actions, nullptr);
  runs_actions = false;
}

void RunAfterWork(std::function<void()> action) {
  if (waiting_actions == nullptr) waiting_actions = new std::deque<std::function<void()>>;
  waiting_actions->push_back(std::move(action));
  RunWaitingActions();
}

WorkScope::WorkScope(WhenOver when_over) : was_in_callback_(is_in_callback) {
  // A signal handler that comes meanwhile must not wait for what the thread holds.
  if (depth++ == 0 && !Gate::Get().Enter(when_over)) {
    --depth;
    is_at_work_ = false;
    return;
  }
  is_in_callback = false;
}

WorkScope::~WorkScope() {
  if (!is_at_work_) return;
  is_in_callback = was_in_callback_;
  if (depth == 1) Gate::Get().Leave();
  --depth;
  RunWaitingActions();
}

void WorkScope::KeepForThisThread() { Gate::Get().KeepForThisThread(); }

void WorkScope::KeepForThreadThatExits() {
  // Never destroyed: it may be needed while static objects are.
  static const auto* const exit_hook = new ExitHook(KeepForThisThread, ExitHook::When::kLast);
  (void)exit_hook;
}

bool WorkScope::IsAtWork() { return depth > 0; }

bool WorkScope::IsInterrupted() { return (depth > 0 || own_closings > 0) && !is_in_callback; }

ForkScope::ForkScope() {
  if (depth++ == 0) Gate::Get().EnterThoughExiting();
}

ForkScope::~ForkScope() {
  if (depth == 1) Gate::Get().Leave();
  --depth;
  RunWaitingActions();
}

ExclusiveWorkScope::ExclusiveWorkScope() {
  Gate::Get().Close();
  ++depth;
}

ExclusiveWorkScope::~ExclusiveWorkScope() {
  --depth;
  Gate::Get().Open();
  RunWaitingActions();
}

void DelegatedWorkScope::Order::AwaitBeginning() { Gate::Get().AwaitBeginning(*this); }

DelegatedWorkScope::DelegatedWorkScope(std::fenv_t* program, Order& order)
    : floating_point_(program) {
  Gate::Get().Begin(order);
  ++depth;
  counts = true;
}

DelegatedWorkScope::~DelegatedWorkScope() {
  counts = false;
  --depth;
}

UnattendedWork::UnattendedWork(std::atomic<int>* attended)
    : is_unattended_(depth == 1 && counts), attended_(attended) {
  if (!is_unattended_) return;
  if (attended != nullptr) {
    // Never destroyed: this work may outlive everything else.
    static const auto* const exit_hook = new ExitHook(StopForExit, ExitHook::When::kAtOnce);
    (void)exit_hook;
    own_thread_.emplace();
  }
  Gate::Get().LeaveUnattended(*this);
  if (own_thread_) own_thread_->AllowStopping();
}

UnattendedWork::~UnattendedWork() {
  if (!is_unattended_) return;
  // The gate's mutex may be held when the thread is stopped elsewhere.
  if (own_thread_) own_thread_->ForbidStopping();
  Gate::Get().EnterAttended(*this);
}

void UnattendedWork::StopIfExiting() {
  StoppableThread* thread = StoppableThread::Current();
  if (thread != nullptr && Gate::Get().is_stopping_unattended()) thread->StopHere();
}

void UnattendedWork::StopForExit() { Gate::Get().StopUnattended(); }

CallbackScope::CallbackScope() : was_in_callback_(is_in_callback) { is_in_callback = true; }

CallbackScope::~CallbackScope() { is_in_callback = was_in_callback_; }

}  // namespace firstcall
