// The counter of a first body: compiled code decrements it, and the engine reads and sets it.
// Tested in tests/runtime/hotness_counters_test.cc.

#ifndef FIRSTCALL_SEAM_HOTNESS_COUNTER_H_
#define FIRSTCALL_SEAM_HOTNESS_COUNTER_H_

#include <atomic>
#include <cstdint>

namespace firstcall {

// A function's counter in memory. The engine provides it under the function's name with
// kHotnessSuffix.
struct HotnessCounter {
  // Called when the counter has run out. `loop` is the index of the OSR entry in LoopEntries, or
  // kNoLoop. Returns the OSR continuation for that loop; the function then calls it with the
  // address of the live-ins, and returns its result. Returns null if the function must go on in its
  // body. The handler must write `left`.
  using Handler = void* (*)(HotnessCounter* counter, uint32_t loop);

  std::atomic<int32_t> left;  // Decremented at each poll; if negative, the handler is called.
  uint32_t padding;
  std::atomic<Handler> handler;
  std::atomic<void*> owner;  // For the handler's use.
};

inline constexpr uint32_t kNoLoop = UINT32_MAX;

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_HOTNESS_COUNTER_H_
