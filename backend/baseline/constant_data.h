// Computes the contents of global variables in memory, and decides which constants are copied (such
// as string literals and tables of numbers). Each function that uses a copied constant has its own
// copy behind its code. A constant can be copied if its name is local and its address does not
// matter.
//
// Thread-safe: pure functions. Tested in tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_CONSTANT_DATA_H_
#define FIRSTCALL_BACKEND_BASELINE_CONSTANT_DATA_H_

#include <cstdint>
#include <vector>

#include "ir/global.h"
#include "ir/module.h"
#include "ir/operand.h"

namespace firstcall::baseline {

struct ConstantData {
  struct Reference {
    uint32_t offset;  // Of eight bytes with global + addend, or of four bytes with a distance.
    const ir::Global* global;
    int64_t addend;
    bool is_distance;  // The four bytes hold `addend` + the distance from themselves to `global`.
  };
  struct Label {
    uint32_t offset;  // Of eight bytes with the address of a block.
    uint32_t block;   // Its number.
  };
  std::vector<uint8_t> bytes;
  std::vector<Reference> references;
  std::vector<Label> labels;
};

// Whether `global` is a constant that is copied. A constant that holds the address of another local
// variable, or whose address another variable holds, is not copied.
bool IsCopied(const ir::Global& global, const ir::Module& module);

// Whether attributes of `variable` name the section that it goes to.
bool HasImplicitSection(const ir::Global& variable);

// Replaces `data` with the contents of `variable`, which must have an initializer. False if the
// contents cannot be written: addresses of thread-local variables, addresses of blocks, unless they
// are of the function number `label_owner`, and unusual constant expressions.
bool WriteData(const ir::Global& variable, const ir::Module& module, ConstantData& data,
               uint32_t label_owner = ir::kNone);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_CONSTANT_DATA_H_
