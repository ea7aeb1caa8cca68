// How the libraries that are preloaded, for MCJIT and for ORC, read FIRSTCALL_OPTIONS and
// FIRSTCALL_STATS.
//
// Thread-safe, unless the environment is changed meanwhile.

#ifndef FIRSTCALL_CLIENTS_ORC_PROCESS_OPTIONS_H_
#define FIRSTCALL_CLIENTS_ORC_PROCESS_OPTIONS_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/string_view.h"

namespace firstcall {

// Calls `read` with each of the options, which spaces separate. `read` returns whether the option
// was understood; for each one that was not, an error is added.
void ReadOptions(absl::string_view options, std::vector<std::string>& errors,
                 absl::FunctionRef<bool(absl::string_view option)> read);

// What FIRSTCALL_OPTIONS has; empty if it is not set.
absl::string_view OptionsOfProcess();

// Prints the errors of ReadOptions on standard error.
void PrintOptionErrors(const std::vector<std::string>& errors);

// Whether FIRSTCALL_STATS asks for statistics.
bool PrintsStats();

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_ORC_PROCESS_OPTIONS_H_
