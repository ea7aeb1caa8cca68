// The parts of stubs that depend on the CPU architecture: an encoder, which returns bytes and
// decides nothing, the reentry that its stubs lead to, and the unwind table that describes the
// stubs.
//
// A stub block is at most a page of code, and its data:
//   code:  stub 0 .. stub n-1, lead 0 .. lead n-1, tail
//   data:  context, reentry, slot 0 .. slot n-1      (8 bytes each)
// A stub jumps through its slot. Until its function is published, the slot holds the address of the
// stub's lead. The lead notes the stub's index and jumps to the tail; the tail notes the block's
// context and jumps to the reentry. None of this code changes a register that a calling convention
// uses.
//
// Calls may be counted between a slot and a body. A block of counters, too, is at most a page of
// code, and its data:
//   code:  counter 0 .. counter n-1, tail
//   data:  context, reentry              (8 bytes each)
//          cell 0 .. cell n-1            (16 bytes each: target address: 8, what is left: 4)
// A counter subtracts 1 from what is left in its cell and jumps to the cell's target. Only the call
// that finds 0 left continues differently: to the lead at the end of the counter's code, which
// notes the counter's index and jumps to the tail, like a stub's lead. On neither path does a
// register that a calling convention uses change.
//
// Immutable. Tested in tests/stubs/stub_table_test.cc.

#ifndef FIRSTCALL_STUBS_STUB_ARCHITECTURE_H_
#define FIRSTCALL_STUBS_STUB_ARCHITECTURE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "memory/executor_address.h"
#include "stubs/reentry.h"

namespace firstcall {

struct StubBlockLayout {
  size_t stub_size = 0;  // Bytes of a stub, and of a lead.
  size_t tail_size = 0;  // At most 32.

  size_t CodeSize(size_t count) const { return 2 * count * stub_size + tail_size; }
  size_t StubOffset(size_t index) const { return index * stub_size; }
  size_t LeadOffset(size_t count, size_t index) const { return (count + index) * stub_size; }
  size_t TailOffset(size_t count) const { return 2 * count * stub_size; }

  static constexpr size_t kContextOffset = 0;
  static constexpr size_t kReentryOffset = 8;
  static size_t DataSize(size_t count) { return 8 * (count + 2); }
  static size_t SlotOffset(size_t index) { return 8 * (index + 2); }
};

struct CallCounterLayout {
  size_t counter_size = 0;  // Bytes of code, including the counter's lead; at most 40.
  size_t tail_size = 0;     // At most 32.

  size_t CodeSize(size_t count) const { return count * counter_size + tail_size; }
  size_t CounterOffset(size_t index) const { return index * counter_size; }
  size_t TailOffset(size_t count) const { return count * counter_size; }

  // Context and reentry are at the same offsets as in a stub block.
  static constexpr size_t kLeftOffset = 8;  // In a cell.
  static size_t DataSize(size_t count) { return 16 * (count + 1); }
  static size_t CellOffset(size_t index) { return 16 * (index + 1); }
};

// Where a block of `count` stubs or counters will run and where its data will lie. Code and data
// are within reach of the architecture's PC-relative addressing.
struct StubBlockPlacement {
  ExecutorAddress code;
  ExecutorAddress data;
  size_t count = 0;
};

struct StubArchitecture {
  const char* name;
  StubBlockLayout layout;

  // The code of a block; StubBlockLayout::CodeSize bytes.
  std::vector<uint8_t> (*encode_block)(const StubBlockPlacement& placement);

  // A terminated .eh_frame table that describes the caller's frame at every instruction of a block.
  std::vector<uint8_t> (*encode_unwind_table)(const StubBlockPlacement& placement);

  // The same for a block of counters. The code is aligned to 32 bytes, the data to 16.
  CallCounterLayout counter_layout;
  std::vector<uint8_t> (*encode_counters)(const StubBlockPlacement& placement);
  std::vector<uint8_t> (*encode_counter_unwind_table)(const StubBlockPlacement& placement);

  // A function that passes its first two arguments on to `function`, with a third of `third`. It
  // may lie anywhere, at a multiple of 8.
  std::vector<uint8_t> (*encode_forwarder)(ExecutorAddress function, ExecutorAddress third);

  // The reentry, ready for use, if this process runs on the architecture; otherwise null.
  ExecutorAddress reentry;

  // Writes the words of the data of a block (of either kind) that its tail reads.
  void WriteContextAndReentry(ReentryContext& context, uint8_t* data) const;
};

const StubArchitecture& StubArchitectureX86_64();
const StubArchitecture& StubArchitectureAArch64();

// The architecture this process runs on.
const StubArchitecture& HostStubArchitecture();

}  // namespace firstcall

#endif  // FIRSTCALL_STUBS_STUB_ARCHITECTURE_H_
