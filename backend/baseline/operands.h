// Operands and results of instructions: in registers, as immediates, in memory.
//
// Every instruction is lowered in the same way: its operands are brought into registers
// (value_locations.h), which are pinned; its result gets a register; then the uses of its operands
// are counted down and all registers are unpinned. An instruction that is deferred (uses.h) is
// lowered when its user asks for its value.
//
// Thread-compatible: functions of their arguments. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_OPERANDS_H_
#define FIRSTCALL_BACKEND_BASELINE_OPERANDS_H_

#include <cstdint>

#include "backend/baseline/assembler.h"
#include "backend/baseline/constants.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/registers.h"
#include "ir/constant.h"
#include "ir/function.h"
#include "ir/instruction.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::baseline {

// ---- What the function says ----
// The number of the first part of the value, or of the result of the instruction; kNone if there is
// none.
inline uint32_t NumberOf(const FunctionCode& code, ir::Operand value) {
  return code.facts.NumberOf(value);
}
inline uint32_t NumberOf(const FunctionCode& code, const ir::Instruction& result) {
  return code.facts.NumberOf(result);
}
// Operand number `index` of the instruction (ir/instruction.h).
inline ir::Operand OperandAt(const FunctionCode& code, const ir::Instruction& instruction,
                             unsigned index) {
  return code.function->OperandOf(instruction, index);
}
inline const ir::Type* TypeOf(const FunctionCode& code, ir::Operand value) {
  return code.function->TypeOf(value);
}
inline const ir::Type* TypeAt(const FunctionCode& code, const ir::Instruction& instruction,
                              unsigned index) {
  return code.function->TypeAt(instruction, index);
}
// Null if the operand is no constant.
inline const ir::Constant* ConstantOf(const FunctionCode& code, ir::Operand value) {
  return code.function->ConstantOf(value);
}
// The same, if the constant is an integer of at most 64 bits.
inline const ir::Constant* IntegerOf(const FunctionCode& code, ir::Operand value) {
  const ir::Constant* constant = ConstantOf(code, value);
  return constant != nullptr && constant->IsInteger() && constant->type->number <= 64 ? constant
                                                                                      : nullptr;
}
inline ConstantPart PartOf(const FunctionCode& code, const ir::Constant& constant, unsigned part) {
  return PartOf(constant, part, code.function->all_constants());
}
inline unsigned BitsOf(const ir::Type* type) { return type->IsInteger() ? type->number : 64; }
inline unsigned BytesOf(const FunctionCode& code, ir::Operand value) {
  return static_cast<unsigned>(TypeOf(code, value)->store_size);
}
// The deferred instruction that computes the value. Null if the value is not deferred, or already
// computed.
const ir::Instruction* DeferredOf(const FunctionCode& code, ir::Operand value);
bool DiesHere(const FunctionCode& code, ir::Operand value);

// ---- Operands in registers ----
// Returns the register that holds the part. The caller must not change the register.
Register In(FunctionCode& code, ir::Operand value, unsigned part = 0);
// Returns a register with a copy of the part, which may be changed.
Register Copy(FunctionCode& code, ir::Operand value, unsigned part = 0);
// Makes `reg` hold a copy of the part, which may be changed.
void Claim(FunctionCode& code, Register reg, ir::Operand value, unsigned part = 0);
// Returns a register with the integer, extended to `bytes`. The caller must not change it.
Register InExtended(FunctionCode& code, ir::Operand value, bool is_signed, unsigned bytes);
void Extend(FunctionCode& code, Register dst, Register src, unsigned bits, bool is_signed,
            unsigned bytes);

// ---- Results in registers ----
inline Register Define(FunctionCode& code, const ir::Instruction& result, unsigned part = 0) {
  return code.locations.Define(NumberOf(code, result) + part);
}
inline void DefineIn(FunctionCode& code, const ir::Instruction& result, Register reg,
                     unsigned part = 0) {
  code.locations.DefineIn(NumberOf(code, result) + part, reg);
}
// A register for the part, with the value of a part of `from`.
Register DefineFrom(FunctionCode& code, const ir::Instruction& result, ir::Operand from,
                    unsigned result_part = 0, unsigned from_part = 0);
// As DefineFrom, with the value extended to `bytes`.
Register DefineExtended(FunctionCode& code, const ir::Instruction& result, ir::Operand from,
                        bool is_signed, unsigned bytes);
// Calls `visit(part)` for each part of the result. Unpins all registers after each part.
template <typename Visit>
void ForEachPart(FunctionCode& code, const ir::Instruction& result, const Visit& visit) {
  const unsigned parts = code.facts.values[NumberOf(code, result)].parts;
  for (unsigned part = 0; part < parts; ++part) {
    visit(part);
    code.locations.registers().UnpinAll();
  }
}

// ---- Constants ----
void Materialize(FunctionCode& code, Register reg, const ir::Constant& constant, unsigned part);
void MaterializeBits(FunctionCode& code, Register reg, const ConstantPart& part, unsigned bytes);
// If `value` is a constant that fits 32 bits sign-extended: stores it, and returns true.
bool ImmediateOf(const FunctionCode& code, ir::Operand value, int32_t& immediate,
                 unsigned part = 0);

// ---- The right operands of arithmetic instructions ----
struct ArithmeticOperand {
  enum class Kind : uint8_t { kRegister, kImmediate, kMemory };
  Kind kind = Kind::kRegister;
  Register reg = kNoRegister;
  int32_t immediate = 0;
  Mem mem;
};
ArithmeticOperand OperandOf(FunctionCode& code, ir::Operand value, unsigned bytes,
                            unsigned part = 0);
void EmitAlu(FunctionCode& code, Alu alu, unsigned bytes, Register dst,
             const ArithmeticOperand& operand);

// ---- The ends of lives ----
// Counts one use of the operand, or of each operand of the instruction, as compiled.
void CountDown(FunctionCode& code, ir::Operand operand);
void CountDownOperands(FunctionCode& code, const ir::Instruction& instruction);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_OPERANDS_H_
