// The body of a function, in flat arrays: made for one pass over its instructions.
//
// ir/from_llvm/llvm_reader makes bodies from functions of LLVM. A reader guarantees the invariants
// that are listed at Function, so that who walks over a body need not check them.

#ifndef FIRSTCALL_IR_FUNCTION_H_
#define FIRSTCALL_IR_FUNCTION_H_

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "ir/constant.h"
#include "ir/constrained.h"
#include "ir/instruction.h"
#include "ir/module.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::ir {

struct Block {
  uint32_t first_instruction = 0;
  uint32_t instruction_count = 0;  // At least 1; the last one is the only terminator.
  // A constant of this function or of the module is the block's address. If other functions use the
  // addresses of blocks, all blocks count as such.
  bool has_address_taken = false;
};

// A value of the function: an argument, or an instruction's result.
struct Value {
  const Type* type = nullptr;
  uint32_t instruction = kNone;  // kNone: an argument.
  uint32_t uses = 0;             // How many operands of instructions refer to the value.
  // The first and the last instruction that use the value, in the order of the blocks. kNone: none.
  uint32_t first_user = kNone, last_user = kNone;
};

// Invariants of a complete body:
//   - There is a block. Each block ends with its only terminator; phis stand first in a block; the
//   entry
//     block is no target and has no phis. Every number of a block, a value or a constant exists.
//   - Types of operands and results are those that LangRef demands. Calls agree with their function
//   type
//     (but may have more arguments if that is variadic). Phis have one incoming value for each edge
//     of each predecessor. A landing pad is the first instruction, behind phis, of each block that
//     an invoke unwinds to, and stands nowhere else.
//   - Each use of a value in a block that can be reached is dominated by the value's definition.
//   - All types of values are sized, or are tokens or metadata.
// Thread-compatible. Reused from function to function to keep its memory.
class Function {
 public:
  // Empties the body, for the function number `global` of `module`, which must outlive the body.
  void Clear(const Module& module, uint32_t global);
  // Makes this the body of function number `global` of `module`, which must outlive the body. The
  // caller replaces the numbers of constants, which are those of the former module.
  void MoveTo(const Module& module, uint32_t global) {
    module_ = &module;
    global_ = global;
    result_type_ = nullptr;
  }

  const Module& module() const { return *module_; }
  uint32_t global_number() const { return global_; }
  const Global& global() const { return module_->globals()[global_]; }
  const AttributeList& attributes() const { return *global().attributes(); }
  // The type of what the function returns: that of its own type, unless a pass has given the
  // returned values another one.
  const Type* result_type() const {
    return result_type_ != nullptr ? result_type_ : global().value_type()->result();
  }
  void set_result_type(const Type* type) { result_type_ = type; }

  // Whether other functions use addresses of this function's blocks. (Nobody may use the address of
  // the entry block.)
  bool has_shared_blocks() const { return blocks[0].has_address_taken; }

  // The arguments have the first numbers.
  uint32_t argument_count() const { return argument_count_; }

  // All constants that the function's operands may refer to. Valid until the body changes.
  Constants all_constants() const { return Constants(*module_, constants); }
  const Constant& constant(Operand operand) const {
    const uint32_t number = operand.number();
    const absl::Span<const Constant> shared = module_->constants();
    return number < shared.size() ? shared[number] : constants[number - shared.size()];
  }
  const Type* TypeOf(Operand operand) const {
    return operand.IsConstant() ? constant(operand).type : values[operand.number()].type;
  }
  // The constant, or null if the operand is a value.
  const Constant* ConstantOf(Operand operand) const {
    return operand.IsConstant() ? &constant(operand) : nullptr;
  }
  // The instruction whose result the operand is; null if there is none.
  const Instruction* DefinitionOf(Operand operand) const {
    if (!operand.IsValue()) return nullptr;
    const uint32_t number = values[operand.number()].instruction;
    return number == kNone ? nullptr : &instructions[number];
  }
  // The global if the operand is its address; null otherwise.
  const Global* GlobalOf(Operand operand) const {
    if (!operand.IsConstant()) return nullptr;
    const Constant& address = constant(operand);
    return address.IsGlobal() ? &module_->globals()[address.global] : nullptr;
  }

  absl::Span<const Operand> OperandsOf(const Instruction& instruction) const {
    return {operands.data() + instruction.first_operand, instruction.operand_count};
  }
  Operand OperandOf(const Instruction& instruction, uint32_t index) const {
    return operands[instruction.first_operand + index];
  }
  // The type of that operand.
  const Type* TypeAt(const Instruction& instruction, uint32_t index) const {
    return TypeOf(OperandOf(instruction, index));
  }
  // Blocks, or the indices of kExtractValue and kInsertValue, or the clauses' kinds of kLandingPad.
  absl::Span<const uint32_t> TargetsOf(const Instruction& instruction) const {
    return {targets.data() + instruction.first_target, instruction.target_count};
  }
  // The blocks that the terminator may go to.
  absl::Span<const uint32_t> SuccessorsOf(const Block& block) const {
    return TargetsOf(TerminatorOf(block));
  }
  absl::Span<const Instruction> InstructionsOf(const Block& block) const {
    return {instructions.data() + block.first_instruction, block.instruction_count};
  }
  const Instruction& TerminatorOf(const Block& block) const {
    return instructions[block.first_instruction + block.instruction_count - 1];
  }
  // The first instruction of the block that is no phi.
  const Instruction& FirstBehindPhis(const Block& block) const {
    const Instruction* first = &instructions[block.first_instruction];
    while (first->opcode == Opcode::kPhi) ++first;
    return *first;
  }
  uint32_t NumberOf(const Instruction& instruction) const {
    return static_cast<uint32_t>(&instruction - instructions.data());
  }
  // Of a call's operands.
  const Call& CallOf(const Instruction& instruction) const { return calls[instruction.call]; }
  absl::Span<const Operand> ArgumentsOf(const Instruction& call) const {
    return {operands.data() + call.first_operand, calls[call.call].argument_count};
  }
  Operand CalleeOf(const Instruction& call) const {
    return operands[call.first_operand + call.operand_count - 1];
  }
  // The function that is called by its name and with its own type; null otherwise.
  const Global* CalledFunctionOf(const Instruction& call) const {
    const Global* callee = GlobalOf(CalleeOf(call));
    return callee != nullptr && callee->IsFunction() &&
                   callee->value_type() == calls[call.call].function_type
               ? callee
               : nullptr;
  }
  // kNone if the instruction is no call of an intrinsic. Of a strict one (Instruction): what it
  // computes.
  IntrinsicId IntrinsicOf(const Instruction& instruction) const {
    if (!instruction.IsCall()) return IntrinsicId::kNone;
    const Global* callee = CalledFunctionOf(instruction);
    if (callee == nullptr) return IntrinsicId::kNone;
    return instruction.is_strict ? PlainIntrinsicOf(callee->intrinsic()) : callee->intrinsic();
  }
  bool HasOneUse(uint32_t value) const { return values[value].uses == 1; }

  // The arrays. A reader fills them; everybody else only reads them.
  std::vector<Value> values;
  std::vector<Constant> constants;  // Those that only this function has.
  std::vector<Block> blocks;        // The first one is the entry.
  std::vector<Instruction> instructions;
  std::vector<Operand> operands;
  std::vector<uint32_t> targets;
  std::vector<Call> calls;
  // What `constants` point to. Their addresses stay when more is added.
  std::deque<std::vector<Operand>> operand_lists;
  std::deque<std::vector<uint64_t>> word_lists;
  std::deque<InlineAssembly> assemblies;
  std::deque<std::string> data;
  bool has_debug_information = false;  // The function's definition has a DISubprogram.
  // The function itself has metadata that code generation must heed ("pcsections").
  bool has_unknown = false;
  // If other bodies may take over from this one: the number of the global that is the counter
  // (seam/hotness_counter.h) at which the code polls in its loops, and when it is called if it
  // `polls_when_called`. kNone: the code does not poll.
  uint32_t poll_counter = kNone;
  bool polls_when_called = false;

  // Appends an argument's value. All arguments come before the first instruction.
  void AddArgument(const Type* type);
  // Counts uses and notes users (Value): called once, when all instructions are there.
  void CountUses();

 private:
  const Module* module_ = nullptr;
  uint32_t global_ = kNone;
  uint32_t argument_count_ = 0;
  const Type* result_type_ = nullptr;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_FUNCTION_H_
