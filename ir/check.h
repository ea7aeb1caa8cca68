// Checks function bodies that a reader has made of bytes that nobody vouches for: establishes the
// invariants that are listed at ir::Function, and whatever else code generation relies on.
//
// Thread-compatible: use one checker for each reading thread. Reuse it, because it keeps its memory
// from function to function.

#ifndef FIRSTCALL_IR_CHECK_H_
#define FIRSTCALL_IR_CHECK_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/check_constants.h"
#include "ir/control_flow.h"
#include "ir/fault.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/operand.h"
#include "ir/operand_scope.h"

namespace firstcall::ir {

class Checker {
 public:
  // Checks `function`, whose module must have passed CheckModule (ir/check_module.h). The reader
  // sees to this, and the check relies on that:
  //   - Every number of a block (also of a phi's blocks), a value, a constant, a call and a global
  //     is one of what there is, and no operand refers to nothing. Pointers to types and to
  //     attributes are the module's; `source_type` of an alloca and of a getelementptr is not null.
  //   - There is a block. Blocks follow one another in `instructions` without gaps, and each ends
  //     with its only terminator. An instruction names its block, and has a result, which names the
  //     instruction, exactly if its type is not void; results have numbers as ir/operand.h says.
  //     Operands and targets of an instruction lie inside of their arrays; the numbers of both are
  //     whatever the bytes say.
  //   - Enumerators are those of their enumerations. Predicates, orderings, atomic operations,
  //     alignments and the kinds of a landing pad's clauses are whatever the bytes say.
  //   - CountUses was called.
  //
  // InvalidArgument for what is no valid IR. Unimplemented for what may be valid IR and is not
  // known here, such as pads of Windows' exceptions, or an intrinsic with another signature.
  // Messages count instructions from the beginning of the function.
  absl::Status Check(const Function& function);

 private:
  // By block: what has been seen of a phi. Holds only if `phi` is `PhiEdges::phi_count`.
  struct Incoming {
    uint64_t phi = 0;
    uint32_t edges = 0;  // From the block, that the phi has no value for yet.
    Operand value;
  };
  // The edges to the block whose phis are checked.
  struct PhiEdges {
    std::vector<uint32_t> counts;    // By the block they come from. Zeros while none is checked.
    bool has_double = false;         // Some block has several edges to that block.
    std::vector<Incoming> incoming;  // By block.
    uint64_t phi_count = 0;          // Phis that CheckIncomingBlocks has seen.
  };

  // If there is a fault, `current_` or `faulty_constant_` says where.
  Fault CheckBody();
  Fault CheckArguments() const;
  Fault CheckOwnConstants();
  // The constant is the address of a block of the function.
  Fault CheckBlockAddress(const Constant& constant) const;
  Fault CheckBlock(uint32_t number);
  Fault CheckInstruction(const Instruction& instruction);
  // What computes values from values, and what is rare.
  Fault CheckOthers(const Instruction& instruction);
  // The operands of the block's instructions that are no phis are defined before. `begin`, `end`:
  // the block's instructions.
  Fault CheckUses(uint32_t begin, uint32_t end);
  // Whether value number `value`, a result, is there when the block of `user` begins. If not,
  // `user` becomes `current_`.
  bool IsDefinedBefore(uint32_t value, const Instruction& user);
  // Whether the result of instruction number `definition` is there when `block` begins.
  bool IsAvailable(uint32_t definition, uint32_t block);
  static Fault NotDefined();

  // In check_edges.cc.
  Fault CheckTerminator(const Instruction& terminator);
  Fault CheckTargets(const Instruction& terminator) const;
  Fault CheckReturn(const Instruction& instruction) const;
  Fault CheckBranch(const Instruction& branch) const;
  Fault CheckSwitch(const Instruction& instruction);
  // The function has a personality, and `type` is what all its landing pads return.
  Fault CheckException(const Type& type);
  Fault CheckLandingPad(const Instruction& pad);
  Fault CheckInvoke(const Instruction& invoke) const;
  Fault CheckEdgesToPads();

  // In check_phis.cc. The phis of block number `block` are the instructions from number `begin` to
  // before number `end`.
  Fault CheckPhis(uint32_t block, uint32_t begin, uint32_t end);
  Fault CheckPhi(const Instruction& phi, absl::Span<const uint32_t> blocks_before);
  // Each of the phi's blocks stands for as many edges as there are.
  Fault CheckIncomingBlocks(const Instruction& phi);
  Fault CheckIncomingValues(const Instruction& phi);
  // Whether the result of instruction number `definition` is there on the edge.
  bool IsAvailableOnEdge(uint32_t definition, uint32_t source, uint32_t target);

  absl::Span<const Operand> OperandsOf(const Instruction& instruction) const {
    return function_->OperandsOf(instruction);
  }

  const Function* function_ = nullptr;
  std::optional<OperandScope> scope_;
  ControlFlow flow_;
  ConstantChecker constants_;
  uint32_t current_ = kNone;          // The instruction that is being checked.
  uint32_t faulty_constant_ = kNone;  // kNone: the fault is not about a constant.
  uint32_t value_count_ = 0;          // Arguments, and results of the blocks that are checked.
  // Those of arguments and of the entry block, without its terminator; 0 while that is checked.
  uint32_t entry_value_count_ = 0;
  uint32_t behind_phis_ = 0;  // The first instruction of the block that is no phi.
  // Of landing pads and of what is resumed; null: there was none yet.
  const Type* exception_type_ = nullptr;
  std::vector<uint32_t> pads_;  // The landing pads.
  std::vector<int64_t> cases_;  // Of a switch.
  PhiEdges edges_;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_CHECK_H_
