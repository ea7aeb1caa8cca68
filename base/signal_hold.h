// Holds back signals from a thread that is at work in the engine: a handler that interrupted the
// work could call a function for the first time, stop the thread with a lock of the engine held, or
// leave the work by siglongjmp. What is held back is delivered when the thread's hold ends.
//
// Signals are blocked by the thread's signal mask. Only those signals are held back for which
// somebody has asked (HeldSignals): as long as there are none, a hold costs one load. Signals that
// a fault raises are never held back.
//
// Thread-safe; async-signal-safe. Tested in tests/base/signal_hold_test.cc.

#ifndef FIRSTCALL_BASE_SIGNAL_HOLD_H_
#define FIRSTCALL_BASE_SIGNAL_HOLD_H_

#include <atomic>
#include <csignal>
#include <cstdint>

namespace firstcall {

// The signals that holds of this process hold back. Their set only grows. A hold that has begun
// before a signal was added does not hold that signal back.
class HeldSignals {
 public:
  // Returns whether `signal` was not in the set before. Signals of faults, and numbers that are no
  // signals, are not added.
  static bool Add(int signal);
  // Returns whether one of the signals was not in the set before.
  static bool AddAll();

  static bool AreAny() { return Bits() != 0; }

 private:
  friend class SignalHold;
  // As in the first word of a sigset_t: bit N is signal N + 1.
  static uint64_t Bits() { return bits_.load(std::memory_order_relaxed); }
  static bool AddBits(uint64_t bits);

  static std::atomic<uint64_t> bits_;
};

// A hold of the thread that has begun it. Holds nest, and only the outermost one blocks signals. A
// plain value, so that a thread can be unwound from each instruction between Begin and End.
class SignalHold {
 public:
  static SignalHold Begin() { return HeldSignals::AreAny() ? BeginNow() : SignalHold(); }

  // Pending signals are delivered before this returns, so their handlers may leave by siglongjmp:
  // this is to be called last, when the thread holds nothing any more.
  void End() const {
    if (blocks_) EndNow();
  }

  // The mask that the program's code of this thread has, or will have when the hold ends.
  static sigset_t ProgramMask();

 private:
  friend class ProgramSignals;
  static SignalHold BeginNow();
  static void EndNow();
  static bool IsHeld();

  bool blocks_ = false;
};

// While this exists, within a hold, code of the program runs with the program's own signal mask,
// and gets signals. If the code changes the mask, the program has the changed mask from then on.
// (Without this, only changes to signals that are not held back stay.) Does nothing outside a hold.
class ProgramSignals {
 public:
  ProgramSignals() {
    if (HeldSignals::AreAny() && SignalHold::IsHeld()) Release();
  }
  ~ProgramSignals() {
    if (is_released_) SignalHold::BeginNow();
  }
  ProgramSignals(const ProgramSignals&) = delete;
  ProgramSignals& operator=(const ProgramSignals&) = delete;

 private:
  void Release() {
    is_released_ = true;
    SignalHold::EndNow();
  }

  bool is_released_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BASE_SIGNAL_HOLD_H_
