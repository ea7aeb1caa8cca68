// LLVM's numbers of opcodes, orderings and fast-math flags as those of ir/.
//
// Thread-safe: constants and pure functions.

#ifndef FIRSTCALL_IR_FROM_LLVM_OPCODES_H_
#define FIRSTCALL_IR_FROM_LLVM_OPCODES_H_

#include <array>
#include <cstdint>

#include "ir/opcode.h"
#include "llvm/IR/FMF.h"
#include "llvm/Support/AtomicOrdering.h"

namespace firstcall::ir {

// By LLVM's number of an opcode. kNoOpcode: no instruction of valid IR has the number.
inline constexpr uint8_t kNoOpcode = 255;
extern const std::array<uint8_t, 128> kOpcodes;

// `opcode` is one of llvm::Instruction's. False if no instruction of valid IR has it.
inline bool FindOpcode(unsigned opcode, Opcode& result) {
  if (opcode >= kOpcodes.size() || kOpcodes[opcode] == kNoOpcode) return false;
  result = static_cast<Opcode>(kOpcodes[opcode]);
  return true;
}

Ordering OrderingOf(llvm::AtomicOrdering ordering);

// The flags as bitcode encodes them.
uint8_t FastMathOf(const llvm::FastMathFlags& flags);

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_FROM_LLVM_OPCODES_H_
