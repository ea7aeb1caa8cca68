// Writes a function's body anew, for a pass that turns some instructions into others.
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_BACKEND_BASELINE_EXPANSION_WRITER_H_
#define FIRSTCALL_BACKEND_BASELINE_EXPANSION_WRITER_H_

#include <algorithm>
#include <cstdint>
#include <initializer_list>

#include "absl/types/span.h"
#include "ir/body_rewriter.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/made_types.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::baseline {

class ExpansionWriter {
 public:
  // An operand of an instruction that is written: one of the old function, or one that was written.
  struct Source {
    ir::Operand operand;
    bool is_old = false;
  };

  ExpansionWriter() = default;
  ExpansionWriter(const ExpansionWriter&) = delete;
  ExpansionWriter& operator=(const ExpansionWriter&) = delete;

  // Calls `write(instruction)` for each instruction for which `is_expanded(instruction)` is true.
  // It writes others, and returns the one that computes the same; what it returns does not matter
  // if the instruction has no result. False, and `function` is as it was, if there is no such
  // instruction. Otherwise types of the function's values may be this object's.
  template <typename IsExpanded, typename Write>
  bool Expand(ir::Function& function, const IsExpanded& is_expanded, const Write& write) {
    if (std::none_of(function.instructions.begin(), function.instructions.end(), is_expanded)) {
      return false;
    }
    Begin(function);
    for (const ir::Block& block : function.blocks) {
      rewriter_.BeginBlock(block.has_address_taken);
      for (const ir::Instruction& instruction : function.InstructionsOf(block)) {
        if (!is_expanded(instruction)) {
          rewriter_.Copy(instruction);
          continue;
        }
        const Source result = write(instruction);
        if (instruction.value != ir::kNone) {
          rewriter_.SetNewValue(instruction.value, result.operand);
        }
      }
      rewriter_.EndBlock();
    }
    rewriter_.Finish();
    return true;
  }

  // For passes that write blocks themselves.
  void Begin(ir::Function& function) {
    function_ = &function;
    rewriter_.Begin(function);
  }

  Source Old(const ir::Instruction& instruction, uint32_t index) const {
    return {function_->OperandOf(instruction, index), /*is_old=*/true};
  }
  const ir::Type* TypeOf(const Source& value) const {
    const bool is_known = value.is_old || value.operand.IsConstant();
    return is_known ? function_->TypeOf(value.operand) : rewriter_.TypeOf(value.operand);
  }

  // Appends an instruction. `code` is its ir::Instruction::code.
  Source Add(ir::Opcode opcode, const ir::Type* type, absl::Span<const Source> operands,
             uint8_t code = 0);
  Source Add(ir::Opcode opcode, const ir::Type* type, std::initializer_list<Source> operands,
             uint8_t code = 0) {
    return Add(opcode, type, absl::Span<const Source>(operands.begin(), operands.size()), code);
  }
  Source Compare(ir::Predicate predicate, const Source& left, const Source& right) {
    return Add(predicate < ir::Predicate::kIcmpEq ? ir::Opcode::kFCmp : ir::Opcode::kICmp,
               types_.Integer(1), {left, right}, static_cast<uint8_t>(predicate));
  }
  Source Select(const Source& condition, const Source& if_true, const Source& if_false) {
    return Add(ir::Opcode::kSelect, TypeOf(if_true), {condition, if_true, if_false});
  }
  // A call of what `call` calls, with other arguments.
  Source Call(const ir::Instruction& call, const ir::Type* type,
              absl::Span<const Source> arguments);

  // A number of the type, an integer of at most 64 bits: the lowest of `bits`.
  Source Integer(const ir::Type* type, uint64_t bits);
  // The floating-point number, of at most 64 bits, with these bits.
  Source Float(const ir::Type* type, uint64_t bits);
  Source Undefined(const ir::Type* type);

  Source ExtractLane(const Source& vector, uint64_t lane);
  Source InsertLane(const Source& vector, const Source& value, uint64_t lane);

  ir::Function& function() { return *function_; }
  ir::BodyRewriter& rewriter() { return rewriter_; }
  const ir::BodyRewriter& rewriter() const { return rewriter_; }
  ir::MadeTypes& types() { return types_; }

 private:
  ir::Function* function_ = nullptr;
  ir::BodyRewriter rewriter_;
  ir::MadeTypes types_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_EXPANSION_WRITER_H_
