// Keeps LLVM 19 from vectorizing loops that it gets wrong.

#ifndef FIRSTCALL_BACKEND_LLVM_MASKED_STRIDES_H_
#define FIRSTCALL_BACKEND_LLVM_MASKED_STRIDES_H_

#include "llvm/IR/Function.h"
#include "llvm/IR/PassManager.h"

namespace firstcall {

// A pass: forbids LLVM to vectorize those innermost loops of a function in which an address wraps
// around: it depends on an induction variable of fewer than 32 bits, as that of `a[i * 3 & 15]`
// does, whose variable has four bits (`llvm.loop.vectorize.enable`). IrOptimizer runs it before
// loops are vectorized.
//
// LLVM assumes that such a variable does not wrap around, and checks that before the vectorized
// loop. LLVM 19 takes the check for passed if the variable has as many values as the loop has
// iterations, though its steps are longer than one. Then the loop reads or writes what lies behind
// the array. Such loops pay for few CPUs without AVX-512, and for most that have it.
class MaskedStridesPass : public llvm::PassInfoMixin<MaskedStridesPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_MASKED_STRIDES_H_
