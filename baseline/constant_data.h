// What variables of LLVM IR hold in memory, and which constants are copied: each function that
// names such a constant has its own copy behind its code, because the constant has no name that
// others know and its address does not matter (string literals, tables of numbers).
//
// Thread-safe: pure functions. Tested in tests/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BASELINE_CONSTANT_DATA_H_
#define FIRSTCALL_BASELINE_CONSTANT_DATA_H_

#include <cstdint>
#include <vector>

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/GlobalVariable.h"

namespace firstcall::baseline {

struct ConstantData {
  struct Reference {
    uint32_t offset;  // Of eight bytes with global + addend, or of four with that distance.
    const llvm::GlobalValue* global;
    int64_t addend;
    bool is_distance;  // From the place itself.
  };
  std::vector<uint8_t> bytes;
  std::vector<Reference> references;
};

// Whether `global` is a constant that is copied. Those that hold addresses of other local
// variables, or whose own address another variable holds, are not.
bool IsCopied(const llvm::GlobalValue& global);

// Replaces `data` by what `variable`, which has an initializer, holds. False if that cannot be
// written: addresses of blocks or of thread-local variables, and unusual constant expressions.
bool WriteData(const llvm::GlobalVariable& variable, ConstantData& data);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_CONSTANT_DATA_H_
