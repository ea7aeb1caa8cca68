#include "base/forks.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/single_threaded.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>

#include "absl/base/internal/cycleclock.h"
#include "base/no_interruption.h"

namespace firstcall {
namespace {

// What can interrupt this thread, before it forks. Meanwhile nothing does: nobody would be told
// that no child came. Has no destructor, which would run while its thread ends.
thread_local InterruptionState interruption_before;

// When a thread waits for an absl::Mutex for the first time, Abseil measures its clock, once, for
// some milliseconds. A child that is forked meanwhile would wait for the end of the measurement for
// ever, so the measurement is completed before. A process that has only one thread is not inside a
// measurement. No public function of Abseil's has this effect.
void CompleteClockMeasurement() {
  if (!__libc_single_threaded) (void)absl::base_internal::CycleClock::Frequency();
}

struct Entry {
  ForkHandlers handlers;
  Entry* previous = nullptr;  // Of those that were added before. Constant once it is in the list.
  bool is_prepared = false;   // For the fork in progress. Guarded by what `prepare` locks.
};

// Never destroyed: processes fork while static objects go.
class Forks {
 public:
  static Forks& Get() {
    static auto* const forks = new Forks;
    return *forks;
  }

  // Without a lock, which another thread could hold when the process forks.
  void Add(const ForkHandlers& handlers) {
    auto* const entry = new Entry{handlers, last_.load(std::memory_order_relaxed)};
    while (!last_.compare_exchange_weak(entry->previous, entry, std::memory_order_release,
                                        std::memory_order_relaxed)) {
    }
  }
  void AddOutermost(const ForkHandlers& handlers) {
    outermost_.store(new Entry{handlers}, std::memory_order_release);
  }

  uint64_t count() const { return count_.load(std::memory_order_relaxed); }

  uint64_t identity() {
    if (page_ == nullptr) return static_cast<uint64_t>(getpid());
    uint64_t found = page_->load(std::memory_order_relaxed);
    if (found != 0) return found;
    const uint64_t next = identity_.load(std::memory_order_relaxed) + 1;
    if (!page_->compare_exchange_strong(found, next)) return found;
    identity_.store(next, std::memory_order_relaxed);
    owner_.store(getpid(), std::memory_order_relaxed);
    return next;
  }

  bool borrows_memory() {
    if (page_ == nullptr) return false;
    (void)identity();
    return owner_.load(std::memory_order_relaxed) != getpid();
  }

 private:
  Forks() {
    // The system clears the page in children, even in those that run no handlers.
    void* const page =
        mmap(nullptr, sizeof(*page_), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED && madvise(page, sizeof(*page_), MADV_WIPEONFORK) == 0) {
      page_ = static_cast<std::atomic<uint64_t>*>(page);
    }
    (void)identity();
    pthread_atfork([] { Get().Prepare(); }, [] { Get().TellParent(); }, [] { Get().TellChild(); });
  }

  // Set when its locks are held, because several threads may fork at the same time.
  static void Prepare(Entry* entry) {
    if (entry == nullptr || entry->handlers.prepare == nullptr) return;
    entry->handlers.prepare();
    entry->is_prepared = true;
  }

  // The oldest first.
  static void PrepareUpTo(Entry* last) {
    if (last == nullptr) return;
    PrepareUpTo(last->previous);
    Prepare(last);
  }

  void Prepare() {
    interruption_before = InterruptionState::Disable();
    Prepare(outermost_.load(std::memory_order_acquire));
    CompleteClockMeasurement();
    count_.fetch_add(1, std::memory_order_relaxed);
    PrepareUpTo(last_.load(std::memory_order_acquire));
  }

  void Tell(void (*ForkHandlers::*handler)()) {
    for (Entry* entry = last_.load(std::memory_order_acquire); entry != nullptr;
         entry = entry->previous) {
      Tell(*entry, handler);
    }
    if (Entry* outermost = outermost_.load(std::memory_order_acquire)) Tell(*outermost, handler);
    interruption_before.Restore();
  }

  static void Tell(Entry& entry, void (*ForkHandlers::*handler)()) {
    if (entry.handlers.*handler == nullptr) return;
    const bool is_prepared = entry.handlers.prepare == nullptr || entry.is_prepared;
    entry.is_prepared = false;
    if (is_prepared) (entry.handlers.*handler)();
  }

  void TellParent() { Tell(&ForkHandlers::parent); }

  void TellChild() {
    if (page_ != nullptr) page_->store(0, std::memory_order_relaxed);  // Emulators do not clear it.
    (void)identity();
    Tell(&ForkHandlers::child);
  }

  std::atomic<Entry*> outermost_{nullptr};
  std::atomic<Entry*> last_{nullptr};  // Of the others, the one that was added last.
  std::atomic<uint64_t> count_{0};
  std::atomic<uint64_t>* page_ = nullptr;  // Null if the system cannot clear it.
  // Of the newest process, in memory that is copied.
  std::atomic<uint64_t> identity_{0};
  std::atomic<pid_t> owner_{0};
};

}  // namespace

void AddForkHandlers(const ForkHandlers& handlers) { Forks::Get().Add(handlers); }

void AddOutermostForkHandlers(const ForkHandlers& handlers) { Forks::Get().AddOutermost(handlers); }

uint64_t ForkCount() { return Forks::Get().count(); }

bool BorrowsMemory() { return Forks::Get().borrows_memory(); }

uint64_t ProcessIdentity() { return Forks::Get().identity(); }

}  // namespace firstcall
