// Finds the functions that a function always calls, as splitter/inevitable_calls.h does.
//
// Thread-safe: a pure function. Tested in tests/direct/inevitable_calls_test.cc.

#ifndef FIRSTCALL_DIRECT_INEVITABLE_CALLS_H_
#define FIRSTCALL_DIRECT_INEVITABLE_CALLS_H_

#include <cstdint>
#include <vector>

#include "ir/function.h"

namespace firstcall::direct {

// Returns the numbers of the functions that `function` calls directly on every path from its entry
// to a return, in the order of the calls; a function may be named several times. A call of
// `function` calls all of them, unless it never ends, or ends in another way (by an exception, exit
// or longjmp). In a function with many blocks, only the calls before the first branch are
// considered.
std::vector<uint32_t> InevitableCallees(const ir::Function& function);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_INEVITABLE_CALLS_H_
