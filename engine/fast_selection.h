// Rewrites what LLVM's fast instruction selector (FastISel, used at -O0) cannot select into what it
// can.
//
// FastISel works through a basic block from its end. At the first instruction it cannot select, the
// rest of the block goes to the much slower SelectionDAG. In optimized IR two kinds of instruction
// cause most of that; both have an equivalent that is selected fast (ADR 0004).

#ifndef FIRSTCALL_ENGINE_FAST_SELECTION_H_
#define FIRSTCALL_ENGINE_FAST_SELECTION_H_

namespace llvm {
class Function;
}  // namespace llvm

namespace firstcall {

// Changes `function` in place; what it computes stays the same. Thread-compatible.
void PrepareForFastSelection(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_FAST_SELECTION_H_
