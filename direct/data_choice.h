// Chooses what the data-module of a source module defines, if the baseline code generator may be
// able to write that: the variables, under which names, and with which properties. The same
// decisions as those of splitter/data_extractor.
//
// Thread-safe: pure functions. Tested in tests/direct/data_choice_test.cc.

#ifndef FIRSTCALL_DIRECT_DATA_CHOICE_H_
#define FIRSTCALL_DIRECT_DATA_CHOICE_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/global.h"
#include "ir/module.h"
#include "seam/compile_questions.h"
#include "seam/symbol_index.h"

namespace firstcall::direct {

struct ChosenVariable {
  uint32_t global = ir::kNone;  // The number in the source module.
  // The name in objects, which lives as long as the index.
  absl::string_view name;
  // What the data-module defines: a global variable with this name, alignment and section. The
  // initializer is still that of the source module.
  ir::NewGlobal definition;
  // Entries of the initializer that are addresses of functions may have names of their own
  // (kTableSuffix). A variable with such an entry becomes writable.
  bool is_table = false;
};

// First the variables that belong to the data-module alone, then the constants that are copied into
// some functions, each in the order of the module. `index` is the module's.
//
// Unimplemented, with its name, for what only LLVM makes: initializers that code has to compute,
// sections that attributes name, debug information unless `drops_debug_info`, prefix data of
// functions, the list of roots of garbage collection.
absl::StatusOr<std::vector<ChosenVariable>> ChooseData(const ir::Module& module,
                                                       const SymbolIndex& index,
                                                       IsReplaced is_replaced,
                                                       bool drops_debug_info);

// What a function-module or the data-module defines for the variable number `global`, whose symbol
// is `symbol`: the variable under the symbol's name. Unimplemented as ChooseData.
absl::StatusOr<ir::NewGlobal> DefinitionOf(const ir::Module& module, uint32_t global,
                                           const Symbol& symbol, bool drops_debug_info);

// Whether the data-module would define anything that belongs to it alone. (Constants that functions
// have copies of do not count.)
bool HasData(const ir::Module& module, const SymbolIndex& index);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_DATA_CHOICE_H_
