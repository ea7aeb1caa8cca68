// Which operand a number of a value in a function's body means.
//
// Bitcode numbers the values that a body may refer to: first those of the module, then the
// function's arguments, its constants, and the results of its instructions. Records mostly say how
// far a number lies before that of the next result. The arrays of ir::Function number values
// (arguments and results) and constants apart, so that an operand is the number less a constant.
//
// Thread-compatible.

#ifndef FIRSTCALL_BITCODE_VALUE_NUMBERING_H_
#define FIRSTCALL_BITCODE_VALUE_NUMBERING_H_

#include <cstdint>

#include "ir/operand.h"

namespace firstcall::bitcode {

class ValueNumbering {
 public:
  // The most values before the first result. There are at most as many results, so that no number
  // overflows (FunctionReader).
  static constexpr uint64_t kMost = uint64_t{1} << 30;

  // A body that has no constants yet. False: there are too many values.
  bool Begin(uint64_t module_values, uint64_t arguments) {
    if (module_values + arguments > kMost) return false;
    first_argument_ = static_cast<uint32_t>(module_values);
    argument_count_ = static_cast<uint32_t>(arguments);
    first_constant_ = first_argument_ + argument_count_;
    next_ = first_result_ = first_constant_;
    return true;
  }

  // Called before the first result: the function has `count` constants. False: there are too many.
  bool SetConstants(uint64_t count) {
    if (first_constant_ + count > kMost) return false;
    next_ = first_result_ = first_constant_ + static_cast<uint32_t>(count);
    return true;
  }

  // The number of the next result (or constant, as long as there are no results).
  uint32_t next() const { return next_; }
  void AddResult() { ++next_; }

  // Whether the number, if it means anything, means a result.
  bool IsResult(uint32_t number) const { return number >= first_result_; }
  // `number`: of a result.
  ir::Operand OperandOfResult(uint32_t number) const {
    return ir::Operand::Value(number - first_result_ + argument_count_);
  }
  // Also of later results. If there cannot be that many results, the operand is no value.
  ir::Operand OperandOf(uint32_t number) const {
    if (IsResult(number)) return OperandOfResult(number);
    if (number >= first_constant_) return ir::Operand::Constant(number - argument_count_);
    if (number >= first_argument_) return ir::Operand::Value(number - first_argument_);
    return ir::Operand::Constant(number);
  }

 private:
  uint32_t first_argument_ = 0;
  uint32_t argument_count_ = 0;
  uint32_t first_constant_ = 0;
  uint32_t first_result_ = 0;
  uint32_t next_ = 0;
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_BITCODE_VALUE_NUMBERING_H_
