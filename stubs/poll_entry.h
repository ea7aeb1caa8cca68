// The entry of polls in machine code (backend/baseline/polls.h): asks a counter's handler how the
// running body is left, and leaves the body, or goes on in it with all registers as they were.
//
// The convention of the call of the entry, which passes a counter and a loop's number:
//   - x86-64: the counter in r11; the number pushed in front of the return address, from where the
//     entry takes it.
//   - AArch64: the counter in x15, the number in w17.
// If the body is left, the entry jumps to LoopExit::leave: with the frame pointer of the body; with
// the continuation's address in r10, or x9; with the address of its live-ins in rdi, or x0, which
// is also the stack pointer; and with the registers that a body may keep a value in for longer than
// a block (Architecture::registers, except those of arguments) as they were at the poll.
//
// Thread-safe, and async-signal-safe if the counter's handler is. Tested in
// tests/backend/baseline/polls_test.cc.

#ifndef FIRSTCALL_STUBS_POLL_ENTRY_H_
#define FIRSTCALL_STUBS_POLL_ENTRY_H_

namespace firstcall {

// The entry for this machine's architecture; null if there is none.
const void* PollEntry();

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_POLL_ENTRY_H_
