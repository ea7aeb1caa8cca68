// What constants of LLVM IR are in registers and in memory: bits, or an address and a distance.
//
// Thread-safe: pure functions. Tested in tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_CONSTANTS_H_
#define FIRSTCALL_BASELINE_CONSTANTS_H_

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
    kBits,          // `low` and, of 16 bytes in a vector register, `high`. Integers are
                    // sign-extended to 64 bits.
    kAddress,       // global + low
    kBlockAddress,  // Of a block of the function itself.
    kUnsupported,
  };
  Kind kind = Kind::kUnsupported;
  bool is_undefined = false;  // The bits, which are 0, may be any.
  uint64_t low = 0, high = 0;
  const llvm::GlobalValue* global = nullptr;
  const llvm::BasicBlock* block = nullptr;
};

// Part number `part` (value_parts.h) of `constant`.
ConstantPart PartOf(const llvm::Constant& constant, unsigned part, const llvm::DataLayout& layout);

// Whether a distance from a symbol is as close to it as LLVM's small code model assumes that
// addresses of a relocation of 32 bits are.
inline bool IsCloseToSymbol(int64_t offset) {
  constexpr int64_t kMost = 16 << 20;
  return -kMost < offset && offset < kMost;
}

// Whether `global` is a constant array of addresses of blocks of `function`, which nothing else
// uses: it becomes a part of the function's code.
bool IsLabelTable(const llvm::GlobalValue& global, const llvm::Function& function);

// Whether the addresses of the blocks of `function` are used only by itself and by such tables,
// which it adds to `tables`.
bool KeepsItsLabels(const llvm::Function& function,
                    std::vector<const llvm::GlobalVariable*>& tables);

// Whether every part is supported where `function` uses it.
bool IsSupported(const llvm::Constant& constant, const llvm::Function& function);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_CONSTANTS_H_
