// Makes a first body count its calls and its loops' iterations, and continue in an OSR continuation
// when it is told to. So code of tier 1 can replace code of tier 0.
//
// The polls are ordinary instructions, those that splitter/osr/hotness_polls writes into the same
// function of LLVM. A poll in front of the code it interrupts (`body`):
//
//     left = counter.left - 1; counter.left = left
//     if (left < 0) goto ask        // The rest is at the end of the function.
//   body:
//     ...
//   ask:
//     continuation = counter.handler(&counter, loop)
//     if (continuation == null) goto body
//     frame = live values...        // Of a label, its number; if that is unknown, goto body.
//   leave:                          // Shared by the polls at all loops.
//     frame = addresses of live variables...
//     return continuation(&frame)
//
// Blocks keep their numbers; what is split off a block, and all new blocks, have the numbers behind
// them. (The code generator orders blocks by the edges between them.)
//
// Thread-compatible: use one writer for each compiling thread and module. Reuse the writer, because
// it keeps its memory from function to function.

#ifndef FIRSTCALL_DIRECT_OSR_POLL_WRITER_H_
#define FIRSTCALL_DIRECT_OSR_POLL_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "direct/osr/instruction_writer.h"
#include "direct/osr/label_number.h"
#include "direct/osr/live_in_frame.h"
#include "direct/osr/loop_entries.h"
#include "direct/osr/poll_places.h"
#include "direct/osr/poll_types.h"
#include "ir/attributes.h"
#include "ir/body_rewriter.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/module.h"
#include "ir/operand.h"

namespace firstcall::direct {

class PollWriter {
 public:
  // `module` must outlive the writer.
  explicit PollWriter(const ir::Module& module);
  PollWriter(const PollWriter&) = delete;
  PollWriter& operator=(const PollWriter&) = delete;

  struct Polls {
    // The loops to poll at, in their order. Their entries must be possible.
    absl::Span<const uint32_t> loops;
    bool asks_when_called = false;  // There is a poll at the function's beginning.
    // The address of the function's HotnessCounter: a constant of the module or of the function,
    // such as the address of an external variable. A pointer.
    ir::Operand counter;
    // If a label is live at one of the loops: the address of a table of the blocks that the
    // function's indirect branches may go to (IndirectTargets). A constant, too.
    ir::Operand targets;
  };

  // Adds polls to `function`, one of the module, whose `entries` these are. Afterwards, `entries`
  // must begin anew. The function refers to types and attributes of this writer, until the writer
  // writes into another function. The function's frame must not be scanned by anything, and its
  // calling convention must have a stack.
  //
  // Unimplemented, and the function is as it was, if variables are not in address space 0.
  absl::Status Write(ir::Function& function, const LoopEntries& entries, const Polls& polls);

 private:
  absl::Status Check() const;
  void WriteHeads();
  void WriteHead(uint32_t block, const Poll* poll);
  void WriteTail(const Poll& poll);
  void CopyRange(uint32_t begin, uint32_t end);
  bool IsMarkOfVariable(const ir::Instruction& instruction) const;
  void WriteFrame();
  void WritePoll(const Poll& poll);
  void WriteAsk(Poll& poll);
  void WriteStores(Poll& poll, size_t number, const LoopEntries& entries);
  void WriteLeave(const LoopEntries& entries);
  void WriteReturn(ir::Operand continuation);
  ir::Operand AddHandlerAddress();
  ir::Operand PlaceInFrame(uint64_t offset);

  PollTypes types_;
  ir::AttributeList of_handler_, of_continuation_;  // Attributes of calls.
  ir::BodyRewriter rewriter_;
  InstructionWriter writer_;  // Writes by `rewriter_`.
  ir::Function* function_ = nullptr;
  ir::Operand counter_;
  LabelTable targets_;
  PollPlaces places_;
  LiveInFrame live_ins_;
  ir::Operand frame_;             // The address of the memory for the live-ins.
  std::vector<bool> is_written_;  // By variable.
  ir::Operand null_, handler_address_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_POLL_WRITER_H_
