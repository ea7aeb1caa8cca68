// What an instruction or a constant refers to: a constant, or a value of the function itself.

#ifndef FIRSTCALL_IR_OPERAND_H_
#define FIRSTCALL_IR_OPERAND_H_

#include <cstdint>

namespace firstcall::ir {

inline constexpr uint32_t kNone = UINT32_MAX;

// A value of the function has a number: first the arguments, from 0, then the results of
// instructions in the order of the instructions. An instruction without a result (void) has no
// number. These are the numbers that LLVM prints for values without names, when blocks are not
// counted.
//
// A constant has a number, too: first those of the module (Module::constants), then those that only
// the function has (Function::constants).
//
// A plain value. Default: refers to nothing.
class Operand {
 public:
  Operand() = default;
  static Operand Value(uint32_t number) { return Operand(number); }
  static Operand Constant(uint32_t number) { return Operand(number | kConstantBit); }

  bool IsNothing() const { return bits_ == kNone; }
  // An operand that refers to nothing is neither.
  bool IsConstant() const { return (bits_ & kConstantBit) != 0 && bits_ != kNone; }
  bool IsValue() const { return (bits_ & kConstantBit) == 0; }
  // Of the value, or of the constant.
  uint32_t number() const { return bits_ & ~kConstantBit; }

  friend bool operator==(Operand a, Operand b) { return a.bits_ == b.bits_; }
  friend bool operator!=(Operand a, Operand b) { return a.bits_ != b.bits_; }

 private:
  explicit Operand(uint32_t bits) : bits_(bits) {}
  static constexpr uint32_t kConstantBit = uint32_t{1} << 31;
  uint32_t bits_ = kNone;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_OPERAND_H_
