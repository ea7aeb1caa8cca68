#include "runtime/process/collector_roots.h"

#include <dlfcn.h>

#include <atomic>
#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/base/const_init.h"
#include "absl/strings/match.h"
#include "absl/synchronization/mutex.h"
#include "base/forks.h"
#include "base/unheld_signals.h"
#include "memory/process_unwinders.h"
#include "memory/variable_memory.h"

namespace firstcall {
namespace {

// Of libgc 7.6 and later (gc/gc_mark.h).
using PushOtherRoots = void (*)();
struct Collector {
  // The function that the collector calls when it looks for roots. The one that is there from the
  // beginning passes the stacks of threads.
  void (*set_push_other_roots)(PushOtherRoots) = nullptr;
  PushOtherRoots (*get_push_other_roots)() = nullptr;
  // Looks for references at once, and not after that function has returned.
  void (*push_all_eager)(void* begin, void* end) = nullptr;
  // Of the signals by which it stops threads, and lets them go on.
  int (*get_suspend_signal)() = nullptr;
  int (*get_thr_restart_signal)() = nullptr;
};

ABSL_CONST_INIT absl::Mutex finding(absl::kConstInit);
ABSL_CONST_INIT std::atomic<bool> has_collector{false};
// Both are written once, before the collector gets PushRoots.
Collector collector;
PushOtherRoots push_roots_of_others;

// The program may have chosen other signals since they were last asked for.
void LetSignalsThrough() {
  NeverHold(collector.get_suspend_signal());
  NeverHold(collector.get_thr_restart_signal());
}

// Called by the collector, with its own lock held, while it has stopped all threads that it knows.
void PushRoots() {
  LetSignalsThrough();
  if (push_roots_of_others != nullptr) push_roots_of_others();
  VariableMemory::OfProcess().Visit([](const char* begin, const char* end) {
    collector.push_all_eager(const_cast<char*>(begin), const_cast<char*>(end));
  });
}

template <typename Function>
bool FindFunction(CollectorRoots::Finder find, const char* name, Function& function) {
  function = reinterpret_cast<Function>(find(name));
  return function != nullptr;
}

}  // namespace

void CollectorRoots::Find(Finder find) {
  if (has_collector.load(std::memory_order_acquire)) return;
  Collector found;
  if (!FindFunction(find, "GC_set_push_other_roots", found.set_push_other_roots) ||
      !FindFunction(find, "GC_get_push_other_roots", found.get_push_other_roots) ||
      !FindFunction(find, "GC_push_all_eager", found.push_all_eager) ||
      !FindFunction(find, "GC_get_suspend_signal", found.get_suspend_signal) ||
      !FindFunction(find, "GC_get_thr_restart_signal", found.get_thr_restart_signal)) {
    return;
  }
  absl::MutexLock lock(&finding);
  if (has_collector.load(std::memory_order_relaxed)) return;
  collector = found;
  LetSignalsThrough();
  push_roots_of_others = collector.get_push_other_roots();
  collector.set_push_other_roots(PushRoots);
  has_collector.store(true, std::memory_order_release);
}

// GNU libc leaves the lock of loaded libraries locked in a child that was forked while another
// thread loaded a library.
void CollectorRoots::FindInProcess() {
  static const uint64_t process = ProcessIdentity();
  static std::atomic<uint64_t> library_count{0};
  if (has_collector.load(std::memory_order_acquire) || ProcessIdentity() != process) return;
  const uint64_t count = CountOfLoadedLibraries();
  if (library_count.exchange(count, std::memory_order_relaxed) == count) return;
  Find([](const char* name) { return dlsym(RTLD_DEFAULT, name); });
}

bool CollectorRoots::IsNameOfCollector(absl::string_view name) {
  return absl::StartsWith(name, "GC_");
}

}  // namespace firstcall
