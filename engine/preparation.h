// Compiles a list of functions ahead of need, on all compile threads.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_PREPARATION_H_
#define FIRSTCALL_ENGINE_PREPARATION_H_

#include <vector>

#include "absl/status/status.h"
#include "engine/compile_threads.h"
#include "engine/function_table.h"
#include "engine/options.h"
#include "engine/program.h"

namespace firstcall {

// Compiles `functions`, in their order as far as threads are free, and goes on after a failure.
// Blocks until that is done or given up. Returns the failure of the first in the list that failed;
// Cancelled or DeadlineExceeded, with how many were left, if `options` ended it before.
absl::Status PrepareFunctions(std::vector<FunctionKey> functions, const PrepareOptions& options,
                              Program& program, CompileThreads& threads);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_PREPARATION_H_
