#include "backend/baseline/thread_local_reuse.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "ir/global.h"
#include "ir/instruction.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"
#include "ir/operand.h"

namespace firstcall::baseline {
namespace {

using ir::Opcode;

// What is known in the block, up to the instruction that is looked at.
class KnownAddresses {
 public:
  void Clear() {
    addresses_.clear();
    same_.clear();
  }

  // Of an instruction that computes the address of `variable`, whose result is `value`.
  void Add(const ir::Global* variable, uint32_t value) {
    for (const auto& [known, address] : addresses_) {
      if (known == variable) return same_.push_back({value, address});
    }
    addresses_.push_back({variable, value});
  }

  // Whether the operand has become another value.
  bool Replace(ir::Operand& operand) const {
    if (!operand.IsValue()) return false;
    for (const auto& [value, address] : same_) {
      if (operand.number() != value) continue;
      operand = ir::Operand::Value(address);
      return true;
    }
    return false;
  }

 private:
  std::vector<std::pair<const ir::Global*, uint32_t>> addresses_;
  std::vector<std::pair<uint32_t, uint32_t>> same_;  // Values, and those with the same address.
};

}  // namespace

bool ReuseThreadLocals(ir::Function& function) {
  bool has_changed = false;
  KnownAddresses known;
  for (const ir::Block& block : function.blocks) {
    known.Clear();
    for (const ir::Instruction& instruction : function.InstructionsOf(block)) {
      if (instruction.opcode != Opcode::kPhi) {
        for (uint32_t i = 0; i < instruction.operand_count; ++i) {
          has_changed |= known.Replace(function.operands[instruction.first_operand + i]);
        }
      }
      if (!instruction.IsCall()) continue;
      switch (function.IntrinsicOf(instruction)) {
        case ir::IntrinsicId::kThreadlocalAddress:
          known.Add(function.GlobalOf(function.OperandOf(instruction, 0)), instruction.value);
          break;
        case ir::IntrinsicId::kNone:
          known.Clear();
          break;
        default:
          break;
      }
    }
  }
  if (!has_changed) return false;
  for (ir::Value& value : function.values) {
    value.uses = 0;
    value.first_user = value.last_user = ir::kNone;
  }
  function.CountUses();
  return true;
}

}  // namespace firstcall::baseline
