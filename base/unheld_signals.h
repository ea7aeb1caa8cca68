// Signals that no hold holds back (base/signal_hold.h): those by which a garbage collector in a
// library stops threads. While threads are stopped, such a collector needs nothing of the engine. A
// thread that it cannot stop may wait for a lock of malloc, which a thread that it has stopped
// holds.
//
// Thread-safe. Tested in tests/runtime/collector_roots_test.cc.

#ifndef FIRSTCALL_BASE_UNHELD_SIGNALS_H_
#define FIRSTCALL_BASE_UNHELD_SIGNALS_H_

namespace firstcall {

// Holds that begin from now on do not hold `signal` back. Does nothing for a number that is no
// signal.
void NeverHold(int signal);

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_UNHELD_SIGNALS_H_
