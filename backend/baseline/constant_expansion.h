// Turns constant expressions that the code generator does not support as operands into
// instructions, such as `mul (ptrtoint (ptr @table to i64), 8)` into a kPtrToInt and a kMul in
// front of the instruction that has the operand. An expression that is an operand of a phi is
// computed at the end of the incoming block.
//
// The address of a thread-local variable, which a call computes, becomes a kFreeze of the variable,
// whose address the other operands then have. MemorySanitizer passes shadows of arguments in such
// variables.
//
// Called only for a function that was refused for its constants, so that others pay nothing.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/constant_expansion_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_CONSTANT_EXPANSION_H_
#define FIRSTCALL_BACKEND_BASELINE_CONSTANT_EXPANSION_H_

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "ir/body_rewriter.h"
#include "ir/constant.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline {

class ConstantExpansion {
 public:
  // Takes time in proportion to the function's size. False, and `function` is as it was, if there
  // is no such expression, or one that no instructions can compute.
  bool Expand(ir::Function& function);

  // The number that the function which was expanded last gives to what was value number `old`.
  uint32_t NewNumberOf(uint32_t old) const { return rewriter_.NewValue(old).number(); }

 private:
  // An operand that is to become the result of instructions.
  struct Use {
    uint32_t before;   // The number of the instruction that these stand in front of.
    uint32_t operand;  // The number of the operand in Function::operands.
  };

  bool FindUses();
  bool AddUse(const ir::Instruction& instruction, uint32_t index);
  // How many instructions compute `constant`; more than kMost if it cannot be done.
  uint32_t CountOf(const ir::Constant& constant, unsigned depth) const;
  ir::Operand Write(ir::Operand constant);
  ir::Operand AddressOfThreadLocal(const ir::Global& variable, ir::Operand operand);

  ir::Function* function_ = nullptr;
  std::vector<Use> uses_;
  uint64_t instructions_ = 0;  // That are to be written.
  // The addresses of thread-local variables that the block being written has computed.
  std::vector<std::pair<const ir::Global*, ir::Operand>> addresses_;
  ir::BodyRewriter rewriter_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_CONSTANT_EXPANSION_H_
