// Computes what the lowering has to know of a function before it emits the first byte: whether the
// function is covered, a number for each value, each value's last use, which instructions are
// deferred (computed where they are used), and which values get a fixed register (one register for
// the value's whole life; register_fixer.h).
//
// Analysis walks over the function three times: to order the blocks (block_order.h); forward, to
// number values and to decide on coverage (coverage.h); backward within each block, to count uses
// and to find deferred instructions.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_ANALYSIS_H_
#define FIRSTCALL_BACKEND_BASELINE_ANALYSIS_H_

#include <cstdint>
#include <vector>

#include "backend/baseline/architecture.h"
#include "backend/baseline/block_order.h"
#include "backend/baseline/coverage.h"
#include "backend/baseline/refusal.h"
#include "backend/baseline/register_fixer.h"
#include "backend/baseline/registers.h"
#include "backend/baseline/value_facts.h"
#include "backend/baseline/value_parts.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline {

class Analysis {
 public:
  explicit Analysis(const Architecture& architecture)
      : architecture_(architecture), fixer_(architecture) {}

  // Returns kNone if the function is covered. Then the results below are valid until the next Run.
  Refusal Run(const ir::Function& function, const CoverageOptions& options);

  const BlockOrder& order() const { return order_; }
  std::vector<ValuePart>& values() { return values_; }
  const BlockFacts& facts(uint32_t block) const { return facts_[block]; }
  // The number of the first part of an argument or of the result of an instruction; kNone for
  // constants, and for values without parts.
  uint32_t NumberOf(ir::Operand value) const {
    return value.IsValue() ? numbers_[value.number()] : kNone;
  }
  // The same for the result of an instruction.
  uint32_t NumberOf(const ir::Instruction& instruction) const {
    return instruction.value == ir::kNone ? kNone : numbers_[instruction.value];
  }
  const Architecture& architecture() const { return architecture_; }
  // Registers that are fixed: each belongs to a value for the value's whole life.
  RegisterSet fixed_registers() const { return fixed_; }
  // Registers that calls change because of Swift's attributes (SwiftRegistersOf). They belong to no
  // value.
  RegisterSet swift_registers() const { return swift_registers_; }
  // Whether the function has a parameter with `swifterror`, whose register is one of its results.
  bool returns_error() const { return returns_error_; }
  // The variables that become a part of the function's code (IsLabelTable).
  const std::vector<const ir::Global*>& label_tables() const { return label_tables_; }
  bool has_call() const { return has_call_; }
  bool has_dynamic_alloca() const { return has_dynamic_alloca_; }

 private:
  Refusal NumberValues(const CoverageOptions& options);
  void BeginNumbering();
  Refusal NumberArguments();
  // Of the instructions of the block.
  Refusal NumberResults(uint32_t block, const CoverageOptions& options);
  Refusal NumberResult(const ir::Instruction& instruction, uint32_t block);
  // `value`: the number of a value of the function.
  uint32_t AddValue(uint32_t value, uint32_t block);
  // The refusal because of blocks whose addresses are used.
  Refusal RefusalOfLabels();
  void CountUses(uint32_t block);
  // Steps of CountUses for an instruction whose result has a number: the instruction's position is
  // set, and whether the instruction is deferred.
  void DecideResult(const ir::Instruction& instruction, uint32_t block, uint32_t position,
                    uint32_t next_write);
  void CountUse(ir::Operand operand, uint32_t block);
  void CountPhiUses(const ir::Instruction& phi);
  // Notes the registers in which `instruction`, a call or a return, wants its operands.
  void WishForPlaces(const ir::Instruction& instruction, uint32_t block);
  void Wish(ir::Operand value, Register reg, uint32_t block);
  void ExtendLife(ValuePart& value, uint32_t block);
  // If `store` ends an update in memory: defers the update's operation to `store`.
  void DeferUpdate(const ir::Instruction& store, uint32_t position);
  // Whether `instruction`, which has one use, is deferred to its user. `next_write`: the position
  // of the next instruction that may write to memory.
  bool IsDeferrable(const ir::Instruction& instruction, uint32_t next_write);
  bool IsLoadDeferrable(const ir::Instruction& load, const ir::Instruction& user,
                        uint32_t next_write);
  // The first user of the instruction's result, which must have one.
  const ir::Instruction& UserOf(const ir::Instruction& instruction) const {
    return function_->instructions[function_->values[instruction.value].first_user];
  }
  void CollectWhatDies();

  const Architecture& architecture_;
  BlockOrder order_;
  const ir::Function* function_ = nullptr;
  std::vector<uint32_t> numbers_;  // For each value of the function: the number of its first part.
  std::vector<ValuePart> values_;
  std::vector<BlockFacts> facts_;
  std::vector<const ir::Global*> label_tables_;
  std::vector<uint32_t> wishes_;   // The values with a wish, while a block is examined.
  std::vector<uint32_t> weights_;  // Each value's number of uses, weighted by loop depth.
  RegisterFixer fixer_;
  RegisterSet fixed_ = 0;
  bool has_call_ = false;
  bool has_dynamic_alloca_ = false;
  bool has_landing_pads_ = false;
  bool has_fused_ = false;  // Calls llvm.fmuladd.
  RegisterSet swift_registers_ = 0;
  bool returns_error_ = false;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_ANALYSIS_H_
