// Gives values of several blocks, phis, and variables a fixed register: one register for the
// value's whole life, or the variable's (register_variables.h). Values with the most uses, weighted
// by loop depth, come first. A register may belong to several values whose lives, as intervals of
// the order of blocks, have no block in common.
//
// Thread-compatible; reused from function to function to keep its memory. Tested in
// tests/backend/baseline/register_fixer_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_REGISTER_FIXER_H_
#define FIRSTCALL_BACKEND_BASELINE_REGISTER_FIXER_H_

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "backend/baseline/architecture.h"
#include "backend/baseline/registers.h"
#include "backend/baseline/value_facts.h"

namespace firstcall::baseline {

class RegisterFixer {
 public:
  explicit RegisterFixer(const Architecture& architecture) : architecture_(architecture) {}

  // Sets `reg` and `is_fixed` of the values that get a register, and returns these registers. The
  // other facts of `values` and of their blocks, `facts`, must be complete. `weights`: a number for
  // each part, of which a value's first one counts. Registers in `reserved` are not used.
  RegisterSet Fix(std::vector<ValuePart>& values, const std::vector<uint32_t>& weights,
                  const std::vector<BlockFacts>& facts, RegisterSet reserved);

 private:
  struct Candidate {
    uint32_t value;
    uint32_t weight;
  };
  struct Interval {
    uint32_t first, last;
  };

  // Puts the values that are worth a register into `candidates_`, the best ones first.
  void CollectCandidates(const std::vector<ValuePart>& values,
                         const std::vector<uint32_t>& weights);
  // Gives the value the first of `registers` that is not reserved and not taken during the value's
  // life. False if there is none.
  bool TryFix(ValuePart& value, absl::Span<const Register> registers, RegisterSet reserved);

  const Architecture& architecture_;
  std::vector<Candidate> candidates_;
  std::vector<uint32_t> calls_before_;  // The number of blocks before a block that have calls.
  std::vector<Interval> taken_[kRegisterCount];
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_REGISTER_FIXER_H_
