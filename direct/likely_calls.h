// Finds the functions that a function calls, the likeliest first.
//
// Thread-safe: a pure function. Tested in tests/direct/likely_calls_test.cc.

#ifndef FIRSTCALL_DIRECT_LIKELY_CALLS_H_
#define FIRSTCALL_DIRECT_LIKELY_CALLS_H_

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace firstcall::direct {

// Returns the numbers of the functions that `function` calls directly, each once, ordered by how
// often the blocks with the calls are expected to run. The functions are those of
// splitter/likely_calls.h, but the order may differ, because BlockFrequencies is an estimate of its
// own.
std::vector<uint32_t> LikelyCallees(const ir::Function& function);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_LIKELY_CALLS_H_
