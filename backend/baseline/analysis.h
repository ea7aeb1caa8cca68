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
#include "backend/baseline/pointer_map.h"
#include "backend/baseline/refusal.h"
#include "backend/baseline/register_fixer.h"
#include "backend/baseline/registers.h"
#include "backend/baseline/value_facts.h"
#include "backend/baseline/value_parts.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Instructions.h"

namespace firstcall::baseline {

class Analysis {
 public:
  explicit Analysis(const Architecture& architecture)
      : architecture_(architecture), fixer_(architecture) {}

  // Returns kNone if the function is covered. Then the results below are valid until the next Run.
  Refusal Run(const llvm::Function& function, const CoverageOptions& options);

  const BlockOrder& order() const { return order_; }
  std::vector<ValuePart>& values() { return values_; }
  const BlockFacts& facts(uint32_t block) const { return facts_[block]; }
  // The number of an argument or an instruction; PointerMap::kMissing for other values.
  uint32_t NumberOf(const llvm::Value* value) const { return numbers_.Find(value); }
  const Architecture& architecture() const { return architecture_; }
  // Registers that are fixed: each belongs to a value for the value's whole life.
  RegisterSet fixed_registers() const { return fixed_; }
  // Registers that calls change because of Swift's attributes (SwiftRegistersOf). They belong to no
  // value.
  RegisterSet swift_registers() const { return swift_registers_; }
  // Whether the function has a parameter with `swifterror`, whose register is one of its results.
  bool returns_error() const { return returns_error_; }
  // The variables that become a part of the function's code (IsLabelTable).
  const std::vector<const llvm::GlobalVariable*>& label_tables() const { return label_tables_; }
  bool has_call() const { return has_call_; }
  bool has_dynamic_alloca() const { return has_dynamic_alloca_; }

 private:
  Refusal NumberValues(const llvm::Function& function, const CoverageOptions& options);
  uint32_t AddValue(const llvm::Value& value, uint32_t block);
  void CountUses(uint32_t block);
  void CountUse(const llvm::Value* operand, uint32_t block);
  void CountPhiUses(const llvm::PHINode& phi);
  // Notes the registers in which a call or a return wants its operands.
  void WishForPlaces(const llvm::Instruction& instruction, uint32_t block);
  void Wish(const llvm::Value* value, Register reg, uint32_t block);
  void ExtendLife(ValuePart& value, uint32_t block);
  // If `store` ends an update in memory: defers the update's operation to `store`.
  void DeferUpdate(const llvm::StoreInst& store, uint32_t position);
  // Whether `instruction`, which has one use, is deferred to its user. `next_write`: the position
  // of the next instruction that may write to memory.
  bool IsDeferrable(const llvm::Instruction& instruction, uint32_t next_write);
  void CollectWhatDies();

  const Architecture& architecture_;
  BlockOrder order_;
  PointerMap numbers_;
  std::vector<ValuePart> values_;
  std::vector<BlockFacts> facts_;
  std::vector<const llvm::GlobalVariable*> label_tables_;
  std::vector<uint32_t> wishes_;   // The values with a wish, while a block is examined.
  std::vector<uint32_t> weights_;  // Each value's number of uses, weighted by loop depth.
  RegisterFixer fixer_;
  RegisterSet fixed_ = 0;
  bool has_call_ = false;
  bool has_dynamic_alloca_ = false;
  RegisterSet swift_registers_ = 0;
  bool returns_error_ = false;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_ANALYSIS_H_
