// Tells whether the calling thread may be in a signal handler. Starting a thread allocates memory,
// which is forbidden in a handler that has interrupted an allocation.
//
// While a handler runs, the system blocks its signal. So the thread may be in a handler if a signal
// is blocked that has a handler, and that was not blocked when the thread was last noted.
//
// Thread-safe; async-signal-safe.

#ifndef FIRSTCALL_BASE_SIGNAL_STATE_H_
#define FIRSTCALL_BASE_SIGNAL_STATE_H_

namespace firstcall {

class SignalState {
 public:
  // The calling thread is in no signal handler, or in one that may allocate memory.
  static void NoteForThread();

  static bool MayBeInHandler();
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_SIGNAL_STATE_H_
