// The counter of a first body: compiled code decrements it, and the engine reads and sets it.
// Tested in tests/runtime/hotness_counters_test.cc.

#ifndef FIRSTCALL_SEAM_HOTNESS_COUNTER_H_
#define FIRSTCALL_SEAM_HOTNESS_COUNTER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace firstcall {

struct LoopExit;  // seam/loop_exit.h

// A function's counter in memory. The engine provides it under the function's name with
// kHotnessSuffix.
struct HotnessCounter {
  // Called when the counter has run out. `loop` is its number (ir/loop_headers.h; the index of the
  // OSR entry in LoopEntries), or kNoLoop. Returns the OSR continuation for that loop; the function
  // then calls it with the address of the live-ins, and returns its result. Returns null if the
  // function must go on in its body. The handler must write `left`.
  using Handler = void* (*)(HotnessCounter* counter, uint32_t loop);

  std::atomic<int32_t> left;  // Decremented at each poll; if negative, the handler is called.
  uint32_t padding;
  std::atomic<Handler> handler;
  std::atomic<void*> owner;  // For the handlers' use.
  // For polls in machine code (backend/baseline/polls.h): what they call, with a convention of its
  // own (stubs/poll_entry.h), and what that calls as `handler` is called. Returns how the body is
  // left for the continuation of `loop`; null if the function must go on in its body.
  std::atomic<const void*> entry;
  using LeavingHandler = const LoopExit* (*)(HotnessCounter* counter, uint32_t loop);
  std::atomic<LeavingHandler> leaving_handler;
};

inline constexpr int32_t kPollEntryOffset = 24;  // Of `entry`, as code knows it.
static_assert(offsetof(HotnessCounter, entry) == kPollEntryOffset);

inline constexpr uint32_t kNoLoop = UINT32_MAX;

// Attributes of a function of LLVM whose first body polls in machine code: the name of the counter,
// and that the body polls when it is called, too.
inline constexpr char kPollsAttribute[] = "firstcall-polls";
inline constexpr char kPollsWhenCalledAttribute[] = "firstcall-polls-when-called";

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_HOTNESS_COUNTER_H_
