// The values of LLVM IR constants in registers and in memory: bits, or an address plus an offset.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_CONSTANTS_H_
#define FIRSTCALL_BACKEND_BASELINE_CONSTANTS_H_

#include <cstdint>
#include <vector>

#include "ir/constant.h"
#include "ir/function.h"
#include "ir/global.h"
#include "ir/module.h"
#include "ir/operand.h"

namespace firstcall::baseline {

// A part of a constant.
struct ConstantPart {
  enum class Kind : uint8_t {
    kBits,          // `low` and, for 16 bytes in a vector register, `high`. Integers are
                    // sign-extended to 64 bits.
    kAddress,       // global + low
    kBlockAddress,  // The address of `block`, a block of the function `global`.
    kUnsupported,
  };
  Kind kind = Kind::kUnsupported;
  bool is_undefined = false;  // Any bits are allowed; `low` and `high` are 0.
  uint64_t low = 0, high = 0;
  const ir::Global* global = nullptr;
  uint32_t block = ir::kNone;  // The number of the block.
};

// Part number `part` (value_parts.h) of `constant`. `constants` must have what `constant` refers
// to.
ConstantPart PartOf(const ir::Constant& constant, unsigned part, const ir::Constants& constants);

// What the address `operand` is without casts between pointers and without getelementptrs that have
// only zero indices. An operand that is no constant stays as it is.
ir::Operand WithoutCasts(ir::Operand operand, const ir::Constants& constants);

// Whether an offset from a symbol is so small that LLVM's small code model lets a 32-bit relocation
// refer to symbol + offset.
inline bool IsCloseToSymbol(int64_t offset) {
  constexpr int64_t kMost = 16 << 20;
  return -kMost < offset && offset < kMost;
}

// Whether `global` is a table of labels: constant data that has addresses of blocks of the function
// number `function`, and of no other function, and whose address only this function uses. The data
// may be an array, or a structure, such as AddressSanitizer makes of an array and its red zone. The
// table becomes a part of the function's code.
bool IsLabelTable(const ir::Global& global, const ir::Module& module, uint32_t function);

// Whether the addresses of the blocks of `function` are used only by `function` itself and by its
// tables of labels. Adds these tables to `tables`.
bool KeepsItsLabels(const ir::Function& function, std::vector<const ir::Global*>& tables);

// Whether every part of `constant` is supported as an operand in `function`.
bool IsSupported(const ir::Constant& constant, const ir::Function& function);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_CONSTANTS_H_
