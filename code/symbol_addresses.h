// The addresses of symbols, by their names in objects. Plain values. Tested in
// tests/code/elf_linker_test.cc.

#ifndef FIRSTCALL_CODE_SYMBOL_ADDRESSES_H_
#define FIRSTCALL_CODE_SYMBOL_ADDRESSES_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "memory/executor_address.h"

namespace firstcall {

// Of symbols that an object defines.
using SymbolAddresses = absl::flat_hash_map<std::string, ExecutorAddress>;

// Of symbols that an object refers to. The names are the object's, and live as long as it.
using SymbolResolution = absl::flat_hash_map<absl::string_view, ExecutorAddress>;

}  // namespace firstcall

#endif  // FIRSTCALL_CODE_SYMBOL_ADDRESSES_H_
