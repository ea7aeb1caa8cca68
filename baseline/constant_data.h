// Constants of which each function that names them has a copy behind its code, because they have no
// name that others know and their address does not matter: string literals, tables of numbers.
//
// Thread-safe: pure functions. Tested in tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_CONSTANT_DATA_H_
#define FIRSTCALL_BASELINE_CONSTANT_DATA_H_

#include <cstdint>
#include <vector>

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalValue.h"

namespace firstcall::baseline {

struct ConstantData {
  // Eight bytes at `offset` with global + addend.
  struct Address {
    uint32_t offset;
    const llvm::GlobalValue* global;
    int64_t addend;
  };
  std::vector<uint8_t> bytes;
  std::vector<Address> addresses;
};

// Whether `global` is such a constant. Those that hold addresses of others of them are not.
bool IsCopied(const llvm::GlobalValue& global);

// What `global`, for which IsCopied(), holds.
ConstantData DataOf(const llvm::GlobalValue& global);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_CONSTANT_DATA_H_
