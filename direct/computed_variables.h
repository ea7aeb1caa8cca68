// Finds the variables whose initializers no object can express, because they hold the distance from
// a function, whose address is that of a stub elsewhere. In Mach-O, also the distance to what the
// object does not define.
//
// Thread-safe: pure functions. Tested in tests/direct/symbol_index_reader_test.cc.

#ifndef FIRSTCALL_DIRECT_COMPUTED_VARIABLES_H_
#define FIRSTCALL_DIRECT_COMPUTED_VARIABLES_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "ir/module.h"

namespace firstcall::direct {

// Whether constants of the module subtract anything. If not, no variable is computed. Takes time
// proportional to the number of constants that are no addresses of globals.
bool HasDifferences(const ir::Module& module);

// The numbers of the variables that are computed. `is_elsewhere`: whether distances from the global
// of this number are such distances, and, if `both_ways`, distances to the global, too.
std::vector<uint32_t> ComputedVariables(const ir::Module& module,
                                        absl::FunctionRef<bool(uint32_t)> is_elsewhere,
                                        bool both_ways);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_COMPUTED_VARIABLES_H_
