// Finds the functions that a function calls, the likeliest first.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_LIKELY_CALLS_H_
#define FIRSTCALL_SPLITTER_LIKELY_CALLS_H_

#include <vector>

namespace llvm {
class Function;
}  // namespace llvm

namespace firstcall {

// Returns the functions that the materialized `function` calls directly, each once. They are
// ordered by how often LLVM's BlockFrequencyInfo expects the blocks with the calls to run.
std::vector<llvm::Function*> LikelyCallees(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_LIKELY_CALLS_H_
