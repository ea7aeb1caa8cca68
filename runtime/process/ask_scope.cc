#include "runtime/process/ask_scope.h"

#include <atomic>
#include <thread>

#include "base/forks.h"

namespace firstcall {
namespace {

// The numbers of scopes: of all threads, and of this one.
std::atomic<int> all{0};
thread_local int own = 0;

}  // namespace

AskScope::AskScope() {
  ++own;
  ++all;
}

AskScope::~AskScope() {
  --all;
  --own;
}

void AskScope::WaitForThreads() {
  while (all != 0) std::this_thread::yield();
}

void AskScope::NoticeForks() {
  static const bool is_noticed = [] {
    AddForkHandlers({/*prepare=*/nullptr, /*parent=*/nullptr, [] { all = own; }});
    return true;
  }();
  (void)is_noticed;
}

}  // namespace firstcall
