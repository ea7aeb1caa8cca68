// The addresses of symbols, by their names in objects. Tested in tests/code/elf_linker_test.cc.

#ifndef FIRSTCALL_CODE_SYMBOL_ADDRESSES_H_
#define FIRSTCALL_CODE_SYMBOL_ADDRESSES_H_

#include <string>

#include "absl/container/flat_hash_map.h"
#include "memory/executor_address.h"

namespace firstcall {

using SymbolAddresses = absl::flat_hash_map<std::string, ExecutorAddress>;

}  // namespace firstcall

#endif  // FIRSTCALL_CODE_SYMBOL_ADDRESSES_H_
