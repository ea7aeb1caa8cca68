#include "base/signal_state.h"

#include <csignal>

namespace firstcall {
namespace {

thread_local sigset_t noted = {};

void GetBlocked(sigset_t& blocked) {
  blocked = {};
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
}

bool HasHandler(int signal) {
  struct sigaction action = {};
  if (sigaction(signal, nullptr, &action) != 0) return false;
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

}  // namespace

void SignalState::NoteForThread() { GetBlocked(noted); }

bool SignalState::MayBeInHandler() {
  sigset_t now;
  GetBlocked(now);
  if (sigisemptyset(&now) != 0) return false;
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&now, signal) != 1 || sigismember(&noted, signal) == 1) continue;
    if (HasHandler(signal)) return true;
  }
  return false;
}

}  // namespace firstcall
