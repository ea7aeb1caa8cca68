// Rewrites instructions that LLVM's fast instruction selector (FastISel, used at -O0) cannot
// select.
//
// FastISel works through a basic block from its end. At the first instruction that it cannot
// select, it leaves the rest of the block to the much slower SelectionDAG. In optimized IR two
// kinds of instruction cause most of that (ADR 0004): selects of one bit, which become "and" or
// "or"; and switches, each of which gets a block of its own, so that nothing else is left to
// SelectionDAG.

#ifndef FIRSTCALL_BACKEND_LLVM_FAST_SELECTION_H_
#define FIRSTCALL_BACKEND_LLVM_FAST_SELECTION_H_

namespace llvm {
class Function;
}  // namespace llvm

namespace firstcall {

// Changes `function` in place, without changing what it computes. Thread-compatible.
void PrepareForFastSelection(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_FAST_SELECTION_H_
