// What the lowering has to know of a function before it emits the first byte: whether it is
// covered, a number for each value, when each value is used for the last time, which instructions
// are computed where they are used, and which values get a register for life.
//
// Three walks over the function: the blocks' order (block_order.h); forward, to number values and
// to decide on coverage (coverage.h); backward within each block, to count uses and to find what is
// computed late.
//
// Thread-compatible; kept from function to function for its memory. Tested in
// tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_ANALYSIS_H_
#define FIRSTCALL_BASELINE_ANALYSIS_H_

#include <cstdint>
#include <vector>

#include "baseline/architecture.h"
#include "baseline/block_order.h"
#include "baseline/coverage.h"
#include "baseline/pointer_map.h"
#include "baseline/refusal.h"
#include "baseline/registers.h"
#include "baseline/value_parts.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Instructions.h"

namespace firstcall::baseline {

// A part of a value. A value's number is that of its first part; the others follow.
struct ValuePart {
  // ---- Of the value; kept in the first part ----
  uint32_t uses = 0;             // Uses not compiled yet.
  uint32_t first_block = 0;      // Its life, as an interval of the order of blocks. Of a phi, it
  uint32_t last_block = 0;       // includes the predecessors, which write it.
  uint32_t next_to_die = kNone;  // The next in the list of the last block.
  uint32_t position = 0;  // Where in its block it is computed, in instructions from the end. Not
                          // known of addresses that are computed late.
  uint8_t parts = 1;
  // Computed where it is used first. Its uses are in the same block: one, or a store and a
  // comparison (memory_update.h).
  bool is_deferred = false;
  bool is_phi = false;
  // Of a static size, in the frame: its address is `slot`. So is a parameter with `swifterror`.
  bool is_alloca = false;
  // ---- Of the part ----
  uint8_t index = 0;  // Its place among the value's parts.
  bool is_vector = false;
  uint8_t bytes = 0;
  bool is_spilled = false;      // The slot holds it.
  Register reg = kNoRegister;   // That holds it.
  bool is_fixed = false;        // `reg` holds it for life.
  Register wish = kNoRegister;  // Where it is best computed: it is wanted there, in the same block.
  // Its place in the frame; 0 if it has none. Of an argument that the caller has put on the stack,
  // and that stays there, its offset among those.
  int32_t slot = 0;
  bool is_incoming = false;
};

struct BlockFacts {
  uint32_t first_to_die = kNone;  // Values that live in several blocks and end in this one.
  bool has_call = false;          // Caller-saved registers change.
};

class Analysis {
 public:
  explicit Analysis(const Architecture& architecture) : architecture_(architecture) {}

  // kNone if the function is covered; then the following hold until the next call.
  Refusal Run(const llvm::Function& function, const CoverageOptions& options);

  const BlockOrder& order() const { return order_; }
  std::vector<ValuePart>& values() { return values_; }
  const BlockFacts& facts(uint32_t block) const { return facts_[block]; }
  // Of an argument or an instruction; kMissing of others.
  uint32_t NumberOf(const llvm::Value* value) const { return numbers_.Find(value); }
  const Architecture& architecture() const { return architecture_; }
  // Registers that belong to values for life.
  RegisterSet fixed_registers() const { return fixed_; }
  // Registers that belong to no value, and that calls change (SwiftRegistersOf).
  RegisterSet swift_registers() const { return swift_registers_; }
  // Whether the function has a parameter with `swifterror`, whose register is one of its results.
  bool returns_error() const { return returns_error_; }
  // The variables that become a part of the function's code (IsLabelTable).
  const std::vector<const llvm::GlobalVariable*>& label_tables() const { return label_tables_; }
  bool has_call() const { return has_call_; }
  bool has_dynamic_alloca() const { return has_dynamic_alloca_; }

 private:
  struct Candidate {
    uint32_t value;
    uint32_t weight;
  };
  struct Interval {
    uint32_t first, last;
  };

  Refusal NumberValues(const llvm::Function& function, const CoverageOptions& options);
  uint32_t AddValue(const llvm::Value& value, uint32_t block);
  void CountUses(uint32_t block);
  void CountUse(const llvm::Value* operand, uint32_t block);
  void CountPhiUses(const llvm::PHINode& phi);
  // Notes where a call or a return wants its operands.
  void WishForPlaces(const llvm::Instruction& instruction, uint32_t block);
  void Wish(const llvm::Value* value, Register reg, uint32_t block);
  void ExtendLife(ValuePart& value, uint32_t block);
  void Cover(ValuePart& value, uint32_t block);
  // If `store` is the end of an update in memory, the update's operation is computed there.
  void DeferUpdate(const llvm::StoreInst& store, uint32_t position);
  // Whether `instruction`, which has one use, is computed there.
  bool IsDeferrable(const llvm::Instruction& instruction, uint32_t next_write);
  void CollectWhatDies();
  void FixRegisters();
  bool TryFix(ValuePart& value, Register reg);

  const Architecture& architecture_;
  BlockOrder order_;
  PointerMap numbers_;
  std::vector<ValuePart> values_;
  std::vector<BlockFacts> facts_;
  std::vector<const llvm::GlobalVariable*> label_tables_;
  std::vector<uint32_t> wishes_;        // The values that have one, while a block is examined.
  std::vector<uint32_t> weights_;       // Of each value: how often it is used, counting loops.
  std::vector<uint32_t> calls_before_;  // The number of blocks before a block that have calls.
  std::vector<Candidate> candidates_;
  std::vector<Interval> taken_[kRegisterCount];
  RegisterSet fixed_ = 0;
  bool has_call_ = false;
  bool has_dynamic_alloca_ = false;
  RegisterSet swift_registers_ = 0;
  bool returns_error_ = false;
  bool may_use_fixed_ = true;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_ANALYSIS_H_
