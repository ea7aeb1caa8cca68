#include "runtime/ask_scope.h"

#include <pthread.h>

#include <atomic>
#include <thread>

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
  static const int is_noticed =
      pthread_atfork(/*prepare=*/nullptr, /*parent=*/nullptr, [] { all = own; });
  (void)is_noticed;
}

}  // namespace firstcall
