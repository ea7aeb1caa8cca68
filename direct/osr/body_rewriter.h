// Writes the instructions of a function anew, in one pass: those that it has, with others among
// them, in blocks of which some are new. Numbers of old blocks stay, because constants of the
// module may name them.
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_DIRECT_OSR_BODY_REWRITER_H_
#define FIRSTCALL_DIRECT_OSR_BODY_REWRITER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ir/attributes.h"
#include "ir/constant.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::direct {

class BodyRewriter {
 public:
  // Begins with `function`, which is changed from now on: only its arrays of values, instructions
  // and blocks are as they were until Finish.
  void Begin(ir::Function& function);

  // Edges from old block `from`, of which phis say what they bring, come from block `to` instead:
  // the part of the old block that has its terminator. Called before phis are copied.
  void MoveEdges(uint32_t from, uint32_t to);

  // Blocks are written in the order of their numbers.
  uint32_t BeginBlock(bool has_address_taken);
  void EndBlock();

  // Appends a copy of an old instruction.
  void Copy(const ir::Instruction& instruction);
  // Appends an instruction without operands and
  // targets; the next operands and targets are its own. Valid until the next call.
  ir::Instruction& Add(ir::Opcode opcode, const ir::Type* type);
  void AddOperand(ir::Operand operand) {
    function_->operands.push_back(operand);
    ++instructions_.back().operand_count;
  }
  void AddTarget(uint32_t block) {
    function_->targets.push_back(block);
    ++instructions_.back().target_count;
  }
  // Makes the instruction that was added last a call, whose arguments are the operands that it
  // has, of `callee`.
  void CompleteCall(const ir::Type* function_type, const ir::AttributeList* attributes,
                    ir::Operand callee);
  // The result of the instruction that was added last.
  ir::Operand Result() const { return ir::Operand::Value(instructions_.back().value); }

  ir::Operand AddConstant(const ir::Constant& constant);
  ir::Operand AddInteger(const ir::Type* type, uint64_t bits);

  // The type of a value, by its new number.
  const ir::Type* TypeOf(ir::Operand value) const { return values_[value.number()].type; }

  // The new number of an old value that has been copied, or of an argument.
  ir::Operand NewValue(uint32_t old) const { return ir::Operand::Value(numbers_[old]); }

  // All old instructions are copied, but for those left out, whose results nothing uses. Completes
  // the function.
  void Finish();

 private:
  ir::Function* function_ = nullptr;
  std::vector<ir::Value> values_;
  std::vector<ir::Instruction> instructions_;
  std::vector<ir::Block> blocks_;
  std::vector<uint32_t> numbers_;   // By old value: the new number.
  std::vector<uint32_t> edges_to_;  // By old block: where its edges come from now; 0: no change.
  size_t old_operands_ = 0;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_BODY_REWRITER_H_
