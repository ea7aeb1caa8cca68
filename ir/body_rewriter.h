// Writes the instructions of a function anew, in one pass: those that it has, with others among
// them, in blocks of which some are new. Numbers of old blocks stay, because constants of the
// module may name them.
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_IR_BODY_REWRITER_H_
#define FIRSTCALL_IR_BODY_REWRITER_H_

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

namespace firstcall::ir {

class BodyRewriter {
 public:
  // Begins with `function`, which is changed from now on: only its arrays of values, instructions
  // and blocks are as they were until Finish.
  void Begin(Function& function);

  // Edges from old block `from`, of which phis say what they bring, come from block `to` instead:
  // the part of the old block that has its terminator. Called before phis are copied.
  void MoveEdges(uint32_t from, uint32_t to);

  // Gives an argument another type. Who needs the old one sets another value in its place.
  void SetArgumentType(uint32_t argument, const Type* type) { values_[argument].type = type; }

  // Blocks are written in the order of their numbers.
  uint32_t BeginBlock(bool has_address_taken);
  void EndBlock();

  // Appends a copy of an old instruction.
  void Copy(const Instruction& instruction);
  // The same, with another type of the result.
  void CopyAs(const Instruction& instruction, const Type* type);
  // Appends an instruction without operands and
  // targets; the next operands and targets are its own. Valid until the next call.
  Instruction& Add(Opcode opcode, const Type* type);
  void AddOperand(Operand operand) {
    function_->operands.push_back(operand);
    ++instructions_.back().operand_count;
  }
  // The same of an operand of the old function, whose value may be copied later.
  void AddOldOperand(Operand operand) {
    if (operand.IsValue()) later_.push_back({SizeOfOperands(), operand});
    AddOperand(operand);
  }
  void AddTarget(uint32_t block) {
    function_->targets.push_back(block);
    ++instructions_.back().target_count;
  }
  // Makes the instruction that was added last a call, whose arguments are the operands that it
  // has, of `callee`.
  void CompleteCall(const Type* function_type, const AttributeList* attributes, Operand callee);
  // The instruction that was added last.
  Instruction& Last() { return instructions_.back(); }
  // The result of the instruction that was added last.
  Operand Result() const { return Operand::Value(instructions_.back().value); }

  Operand AddConstant(const Constant& constant);
  Operand AddInteger(const Type* type, uint64_t bits);

  // The type of a value, by its new number.
  const Type* TypeOf(Operand value) const { return values_[value.number()].type; }

  // The new number of an old value that has been copied, or of an argument.
  Operand NewValue(uint32_t old) const { return Operand::Value(numbers_[old]); }

  // The old value, whose instruction is not copied, is now `value`, the result of an instruction
  // that was added.
  void SetNewValue(uint32_t old, Operand value) { numbers_[old] = value.number(); }

  // From now on, operand number `operand` of the function's operands, that of an old instruction,
  // is `value`, the result of an instruction that was added.
  void Replace(uint32_t operand, Operand value) { replaced_.push_back({operand, value}); }

  // All old instructions are copied, but for those left out, whose results nothing uses. Completes
  // the function.
  void Finish();

 private:
  uint32_t SizeOfOperands() const { return static_cast<uint32_t>(function_->operands.size()); }

  Function* function_ = nullptr;
  std::vector<Value> values_;
  std::vector<Instruction> instructions_;
  std::vector<Block> blocks_;
  std::vector<uint32_t> numbers_;   // By old value: the new number.
  std::vector<uint32_t> edges_to_;  // By old block: where its edges come from now; 0: no change.
  struct Replaced {
    uint32_t operand;
    Operand value;
  };
  std::vector<Replaced> replaced_;
  std::vector<Replaced> later_;  // New operands that are old values.
  size_t old_operands_ = 0;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_BODY_REWRITER_H_
