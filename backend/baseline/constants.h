// The values of LLVM IR constants in registers and in memory: bits, or an address plus an offset.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_CONSTANTS_H_
#define FIRSTCALL_BACKEND_BASELINE_CONSTANTS_H_

#include <cstdint>
#include <vector>

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/GlobalVariable.h"

namespace firstcall::baseline {

// A part of a constant.
struct ConstantPart {
  enum class Kind : uint8_t {
    kBits,          // `low` and, for 16 bytes in a vector register, `high`. Integers are
                    // sign-extended to 64 bits.
    kAddress,       // global + low
    kBlockAddress,  // The address of `block`, a block of the function itself.
    kUnsupported,
  };
  Kind kind = Kind::kUnsupported;
  bool is_undefined = false;  // Any bits are allowed; `low` and `high` are 0.
  uint64_t low = 0, high = 0;
  const llvm::GlobalValue* global = nullptr;
  const llvm::BasicBlock* block = nullptr;
};

// Part number `part` (value_parts.h) of `constant`.
ConstantPart PartOf(const llvm::Constant& constant, unsigned part, const llvm::DataLayout& layout);

// Whether an offset from a symbol is so small that LLVM's small code model lets a 32-bit relocation
// refer to symbol + offset.
inline bool IsCloseToSymbol(int64_t offset) {
  constexpr int64_t kMost = 16 << 20;
  return -kMost < offset && offset < kMost;
}

// Whether `global` is a table of labels: a constant array of addresses of blocks of `function` that
// only `function` uses. The table becomes a part of the function's code.
bool IsLabelTable(const llvm::GlobalValue& global, const llvm::Function& function);

// Whether the addresses of the blocks of `function` are used only by `function` itself and by its
// tables of labels. Adds these tables to `tables`.
bool KeepsItsLabels(const llvm::Function& function,
                    std::vector<const llvm::GlobalVariable*>& tables);

// Whether every part of `constant` is supported as an operand in `function`.
bool IsSupported(const llvm::Constant& constant, const llvm::Function& function);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_CONSTANTS_H_
