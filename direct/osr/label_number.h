// Writes the code that finds out which of a function's indirect targets a label is:
//
//   before:
//     goto look
//   look:                           // For each entry of the table.
//     if (table[i] == label) { number = i; ++matches }
//     if (++i < count) goto look
//   end:
//     if (matches != 1) goto otherwise
//   found:
//
// As splitter/osr/hotness_polls writes it. A label that is only compared may have the address of
// another one, after an optimizer has removed the branches to it.
//
// Thread-compatible: a function of its arguments. Tested in tests/direct/osr/polls_test.cc.

#ifndef FIRSTCALL_DIRECT_OSR_LABEL_NUMBER_H_
#define FIRSTCALL_DIRECT_OSR_LABEL_NUMBER_H_

#include <cstdint>

#include "direct/osr/instruction_writer.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::direct {

// The blocks that are added: `look`, `end` and `found`.
inline constexpr uint32_t kBlocksOfLabelNumber = 3;

// The table of labels, and its address.
struct LabelTable {
  const ir::Type* type = nullptr;  // An array.
  ir::Operand address;
};

// Ends the block `before`, and adds the blocks with the next numbers. The last one is begun, and
// not ended. Branches to block `otherwise`, which has no phis, if `label` is none of the labels, or
// several. Returns the number, an i32.
ir::Operand WriteLabelNumber(InstructionWriter& writer, const LabelTable& table, ir::Operand label,
                             uint32_t before, uint32_t otherwise);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_LABEL_NUMBER_H_
