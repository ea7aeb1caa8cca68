// A signal that is not held back may come between any two instructions here, and its handler may
// begin and end a hold of its own. If the signals are blocked and is_held is not set yet, or not
// any more, the handler's hold finds them blocked, and leaves them so.

#include "base/signal_hold.h"

#include <pthread.h>

#include <cstring>

#include "base/unheld_signals.h"

namespace firstcall {
namespace {

// The signals of Linux, which has 64, are in the first word of a sigset_t.
constexpr int kSignals = 64;

thread_local bool is_held = false;
thread_local uint64_t blocked = 0;  // What the hold has blocked. While is_held.

constexpr uint64_t BitOf(int signal) { return uint64_t{1} << (signal - 1); }

// Signals of faults; abort's; those that cannot be blocked; and those with which GNU libc cancels
// threads and changes their user (32 and 33).
constexpr uint64_t kNeverHeld = BitOf(SIGSEGV) | BitOf(SIGBUS) | BitOf(SIGFPE) | BitOf(SIGILL) |
                                BitOf(SIGTRAP) | BitOf(SIGABRT) | BitOf(SIGSYS) | BitOf(SIGKILL) |
                                BitOf(SIGSTOP) | BitOf(32) | BitOf(33);
std::atomic<uint64_t> unheld{0};  // The signals of NeverHold.

sigset_t SetOf(uint64_t bits) {
  sigset_t set;
  sigemptyset(&set);
  static_assert(sizeof(set) >= sizeof(bits));
  std::memcpy(&set, &bits, sizeof(bits));
  return set;
}

uint64_t BitsOf(const sigset_t& set) {
  uint64_t bits;
  std::memcpy(&bits, &set, sizeof(bits));
  return bits;
}

}  // namespace

std::atomic<uint64_t> HeldSignals::bits_{0};

bool HeldSignals::Add(int signal) {
  return signal >= 1 && signal <= kSignals && AddBits(BitOf(signal));
}

bool HeldSignals::AddAll() { return AddBits(~uint64_t{0}); }

bool HeldSignals::AddBits(uint64_t bits) {
  bits &= ~kNeverHeld;
  return (bits_.fetch_or(bits, std::memory_order_seq_cst) & bits) != bits;
}

void NeverHold(int signal) {
  if (signal >= 1 && signal <= kSignals) unheld.fetch_or(BitOf(signal), std::memory_order_relaxed);
}

SignalHold SignalHold::BeginNow() {
  SignalHold hold;
  if (is_held) return hold;
  const uint64_t held = HeldSignals::Bits() & ~unheld.load(std::memory_order_relaxed);
  const sigset_t set = SetOf(held);
  sigset_t before = {};
  pthread_sigmask(SIG_BLOCK, &set, &before);
  is_held = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  blocked = held & ~BitsOf(before);
  hold.blocks_ = true;
  return hold;
}

void SignalHold::EndNow() {
  const sigset_t set = SetOf(blocked);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  is_held = false;
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

bool SignalHold::IsHeld() { return is_held; }

sigset_t SignalHold::ProgramMask() {
  sigset_t mask = {};
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  return is_held ? SetOf(BitsOf(mask) & ~blocked) : mask;
}

}  // namespace firstcall
