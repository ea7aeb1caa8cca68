// Computes what the lowering has to know of a function before it emits the first byte: whether the
// function is covered, a number for each value, each value's last use, which instructions are
// deferred (computed where they are used), and which values get a fixed register (one register for
// the value's whole life; register_fixer.h).
//
// Analysis walks over the function three times: to order the blocks (block_order.h); forward, to
// number values and to decide on coverage (numbering.h); backward within each block, to count uses
// and to find deferred instructions (uses.h).
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/baseline_compiler_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_ANALYSIS_H_
#define FIRSTCALL_BACKEND_BASELINE_ANALYSIS_H_

#include "backend/baseline/architecture.h"
#include "backend/baseline/coverage_options.h"
#include "backend/baseline/function_facts.h"
#include "backend/baseline/refusal.h"
#include "backend/baseline/register_fixer.h"
#include "ir/function.h"
#include "ir/loop_headers.h"

namespace firstcall::baseline {

class Analysis {
 public:
  explicit Analysis(const Architecture& architecture)
      : architecture_(architecture), fixer_(architecture) {}

  // Returns kNone if the function is covered. Then facts() are its facts until the next Run.
  Refusal Run(const ir::Function& function, const CoverageOptions& options);

  FunctionFacts& facts() { return facts_; }

 private:
  void FindPolls(const ir::Function& function);

  const Architecture& architecture_;
  FunctionFacts facts_;
  RegisterFixer fixer_;
  ir::LoopHeaders headers_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_ANALYSIS_H_
