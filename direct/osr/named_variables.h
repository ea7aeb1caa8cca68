// Which variables of a frame the values at a loop can point to: those whose addresses the values
// were computed from, other than by loads and comparisons. Such a variable must stay where it is
// when a call leaves the frame's code, even if what the variable holds is not needed any more.
//
// Thread-compatible. Reuse the object, because it keeps its memory from function to function.
// Tested in tests/direct/osr/loop_entries_test.cc.

#ifndef FIRSTCALL_DIRECT_OSR_NAMED_VARIABLES_H_
#define FIRSTCALL_DIRECT_OSR_NAMED_VARIABLES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "direct/osr/variable_liveness.h"
#include "ir/function.h"

namespace firstcall::direct {

class NamedVariables {
 public:
  // Finds the variables among `variables`, those of `function`, that the live `values` can point
  // to. Takes time proportional to what the values were computed from.
  void Find(const ir::Function& function, const VariableLiveness& variables,
            absl::Span<const uint32_t> values);

  // Whether the last search has found the variable number `variable`.
  bool Has(uint32_t variable) const { return named_at_[variable] == search_number_; }

 private:
  void BeginSearch(size_t value_count, size_t variable_count);
  // Visits `value`, and keeps it as pending if what it was computed from is to be visited, too.
  void Visit(const ir::Function& function, const VariableLiveness& variables, uint32_t value);

  std::vector<uint32_t> seen_at_;   // By value: the last search that has seen the value.
  std::vector<uint32_t> named_at_;  // By variable: the last search that has found the variable.
  uint32_t search_number_ = 0;      // Numbers of former searches are lower.
  std::vector<uint32_t> pending_;
};

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_OSR_NAMED_VARIABLES_H_
