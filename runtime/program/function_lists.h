// Which functions a client means that prepares some of a program's functions or all of them.
//
// Pure functions. The caller is in a WorkScope, which keeps the modules of the returned functions
// from being removed. Tested in tests/api/engine_test.cc and tests/api/threads_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROGRAM_FUNCTION_LISTS_H_
#define FIRSTCALL_RUNTIME_PROGRAM_FUNCTION_LISTS_H_

#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "runtime/link/definitions.h"
#include "runtime/link/function_key.h"
#include "runtime/link/source_module.h"
#include "runtime/link/symbol_resolver.h"
#include "runtime/program/source_modules.h"

namespace firstcall {

// The functions that `module` defines and that no other definition replaces.
std::vector<FunctionKey> FunctionsOf(SourceModule& module, const SymbolResolver& resolver);

// The same for all modules, in their order.
std::vector<FunctionKey> AllFunctions(const SourceModules& modules, const SymbolResolver& resolver);

// The functions and ifuncs that `names` stand for, in their order. A name that only one or several
// modules know for themselves stands for all of these functions. A name that stands for something
// else, such as a variable, is looked up, which may link data, and adds nothing. NotFound if no
// module defines a name; otherwise errors as SymbolResolver::Lookup.
absl::StatusOr<std::vector<FunctionKey>> FunctionsNamed(absl::Span<const absl::string_view> names,
                                                        const Definitions& definitions,
                                                        const SourceModules& modules,
                                                        SymbolResolver& resolver);

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROGRAM_FUNCTION_LISTS_H_
