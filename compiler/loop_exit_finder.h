// Finds out how a first body that polls in machine code is left at a loop for the function's OSR
// continuation: generates the body once more, and records where the live-ins are
// (seam/loop_exit.h).
//
// Thread-compatible: hold the view's mutex. Tested in tests/api/loops_test.cc.

#ifndef FIRSTCALL_COMPILER_LOOP_EXIT_FINDER_H_
#define FIRSTCALL_COMPILER_LOOP_EXIT_FINDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "compiler/compile_context.h"
#include "compiler/first_body.h"
#include "compiler/loaded_module.h"
#include "seam/loop_exit.h"
#include "splitter/module_view.h"
#include "splitter/osr/loop_entries.h"

namespace firstcall {

// What a continuation is passed.
struct LiveIns {
  struct Value {
    uint32_t number;  // As in the baseline code generator's CodeMap.
    uint32_t to;      // Its place in the memory of live-ins.
    bool is_label;
  };
  std::vector<Value> values;
  uint32_t bytes = 0;             // Of the memory.
  std::vector<uint32_t> targets;  // The numbers of the blocks that labels may be of.
  // Set if the continuation cannot be called by a first body in machine code.
  const char* obstacle = nullptr;
};

// The live-ins of `entry`, an entry of `function`, which is as it was read.
LiveIns LiveInsOf(llvm::Function& function, const LoopEntry& entry);

// How the first body of `function` is left at loop number `loop`, the one of `live_ins`. Nullopt if
// the baseline code generator refuses the function, so that the first body polls in its IR. Errors:
// NotFound, with the reason, if the body cannot be left there; otherwise as ExtractFirstBody.
absl::StatusOr<std::optional<LeavableLoop>> FindLoopExit(const LiveIns& live_ins, uint32_t loop,
                                                         SymbolOrdinal function,
                                                         const FirstBodyOrder& order,
                                                         LoadedModule& module, ModuleView& view,
                                                         CompileContext& context);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_LOOP_EXIT_FINDER_H_
