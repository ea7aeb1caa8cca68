#include "base/signal_state.h"

#include <csignal>

#include "base/signal_hold.h"

namespace firstcall {
namespace {

thread_local sigset_t noted = {};

bool HasHandler(int signal) {
  struct sigaction action = {};
  if (sigaction(signal, nullptr, &action) != 0) return false;
  return (action.sa_flags & SA_SIGINFO) != 0 ||
         (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

}  // namespace

void SignalState::NoteForThread() { noted = SignalHold::ProgramMask(); }

bool SignalState::MayBeInHandler() {
  const sigset_t now = SignalHold::ProgramMask();
  if (sigisemptyset(&now) != 0) return false;
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&now, signal) != 1 || sigismember(&noted, signal) == 1) continue;
    if (HasHandler(signal)) return true;
  }
  return false;
}

}  // namespace firstcall
