#include "memory/debugger_presence.h"

#include <atomic>
#include <cstdint>

namespace firstcall {
namespace {

std::atomic<const void*> own{nullptr};
std::atomic<const void*> other{nullptr};

// Whether there is INT3 (Intel SDM volume 2) or BRK #0 (Arm Architecture Reference Manual, C6.2),
// with which no function begins.
bool HasBreakpoint(const void* function) {
#if defined(__x86_64__)
  using Instruction = uint8_t;
  constexpr Instruction kBreakpoint = 0xcc;
#else
  using Instruction = uint32_t;
  constexpr Instruction kBreakpoint = 0xd4200000;
#endif
  return function != nullptr && *static_cast<const volatile Instruction*>(function) == kBreakpoint;
}

}  // namespace

void SetOwnDebuggerStop(const void* function) { own.store(function, std::memory_order_release); }

void SetOtherDebuggerStop(const void* function) {
  other.store(function, std::memory_order_release);
}

bool IsDebuggerListening() {
  return HasBreakpoint(own.load(std::memory_order_acquire)) ||
         HasBreakpoint(other.load(std::memory_order_acquire));
}

}  // namespace firstcall
