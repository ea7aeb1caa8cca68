// Polls of a first body in machine code: each loop decrements the body's counter, and asks when the
// counter has run out (seam/hotness_counter.h). A poll needs nothing to be known of live values. If
// the body is to be left at a poll, the entry of the poll (stubs/poll_entry.h) comes to the code
// behind the label `leave`, which calls the function's OSR continuation and returns its result.
//
// The code of a poll, and what follows behind the last block:
//
//     counter.left -= 1
//     if (counter.left < 0) goto ask
//   back:
//     ...
//   ask:
//     counter.entry(loop)  // Preserves all registers.
//     goto back
//   leave:                 // Control comes here from the entry, with the continuation and the
//                          // address of its live-ins in registers.
//     store register variables to the frame
//     continuation(live)
//     return its result
//
// The decrement is not atomic. If threads count at the same time, counts may be lost, but nothing
// else.
//
// Thread-compatible: functions of their arguments. Tested in tests/backend/baseline/polls_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_POLLS_H_
#define FIRSTCALL_BACKEND_BASELINE_POLLS_H_

#include <cstdint>
#include <vector>

namespace firstcall::baseline {

struct FunctionCode;

// The polls of the function that is compiled.
struct PollCode {
  struct Ask {
    uint32_t loop;   // The loop's number (ir/loop_headers.h), or kNoLoop.
    uint32_t label;  // Of the code that asks.
    uint32_t back;   // Of the code behind the poll.
  };
  std::vector<Ask> asks;
  uint32_t leave = UINT32_MAX;  // The offset of that code in the assembler's buffer.

  void Clear() {
    asks.clear();
    leave = UINT32_MAX;
  }
};

// Emits the poll of `loop` here, at the beginning of an iteration, where no value is in a register
// that is not fixed; or, with kNoLoop, at the beginning of the function.
void EmitPoll(FunctionCode& code, uint32_t loop);

// Emits what follows behind the last block.
void EmitAsks(FunctionCode& code);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_POLLS_H_
