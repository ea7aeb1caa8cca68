// What is known of a function before its code is generated. Analysis finds it out. While code is
// generated, the values' parts also say where each part is (value_locations.h).
//
// Plain values; reused from function to function to keep their memory.

#ifndef FIRSTCALL_BACKEND_BASELINE_FUNCTION_FACTS_H_
#define FIRSTCALL_BACKEND_BASELINE_FUNCTION_FACTS_H_

#include <cstdint>
#include <vector>

#include "backend/baseline/block_order.h"
#include "backend/baseline/coverage_options.h"
#include "backend/baseline/registers.h"
#include "backend/baseline/value_facts.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/instruction.h"
#include "ir/operand.h"

namespace firstcall::baseline {

struct FunctionFacts {
  const ir::Function* function = nullptr;
  BlockOrder order;
  std::vector<uint32_t> numbers;  // For each value of the function: the number of its first part.
  std::vector<ValuePart> values;
  std::vector<BlockFacts> blocks;  // In the order of `order`.
  std::vector<uint32_t> weights;   // Each value's number of uses, weighted by loop depth.
  std::vector<uint32_t> wishes;    // The values with a wish, while uses are counted.
  // The variables that become a part of the function's code (IsLabelTable).
  std::vector<const ir::Global*> label_tables;
  // Registers that are fixed: each belongs to a value for the value's whole life.
  RegisterSet fixed_registers = 0;
  // Registers that calls change because of Swift's attributes (SwiftRegistersOf). They belong to no
  // value.
  RegisterSet swift_registers = 0;
  // Registers that an instruction uses besides those which are allocated. They belong to no value.
  RegisterSet claimed_registers = 0;
  // Whether the function has a parameter with `swifterror`, whose register is one of its results.
  bool returns_error = false;
  // The function is variadic and passes all its arguments on (`musttail`).
  bool forwards_arguments = false;
  // The registers that are set to zero before each return (cleared_registers.h).
  RegisterSet cleared_registers = 0;
  bool emulates_thread_locals = false;  // As in CoverageOptions.
  uint32_t thread_local_addresses = 0;  // How many instructions compute one.
  bool has_call = false;
  bool has_dynamic_alloca = false;
  // The function has both dynamic allocas and landing pads. The unwinder comes to a landing pad
  // with the stack pointer of the call, which may have arguments on the stack; so the stack pointer
  // without these is kept in the frame.
  bool keeps_stack_pointer = false;
  // The static allocas of more than 16 bytes of alignment. Their addresses are ordinary values,
  // which are computed at the function's beginning.
  std::vector<const ir::Instruction*> aligned_allocas;
  // Whether the frame has a guard (stack_protection.h), and the variables next to the guard, from
  // the nearest one on.
  bool has_guard = false;
  std::vector<const ir::Instruction*> guarded_variables;
  // A call may return twice (setjmp). When it does, the registers that calls preserve are as they
  // were at the call. Slots are as the code that has run meanwhile has left them, so that they must
  // not be reused.
  bool has_second_return = false;
  // Where the code polls (polls.h): for each block of the function the number of the loop that has
  // the block as its header, or kNone; empty if no loop polls.
  std::vector<uint32_t> polled_loops;

  bool has_polls() const { return !polled_loops.empty() || function->polls_when_called; }

  // The number of the first part of an argument or of the result of an instruction; kNone for
  // constants, and for values without parts.
  uint32_t NumberOf(ir::Operand value) const {
    return value.IsValue() ? numbers[value.number()] : kNone;
  }
  // The same for the result of an instruction.
  uint32_t NumberOf(const ir::Instruction& instruction) const {
    return instruction.value == ir::kNone ? kNone : numbers[instruction.value];
  }
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_FUNCTION_FACTS_H_
