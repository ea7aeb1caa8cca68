// The addresses of symbols, by their names in objects. Plain values. Tested in
// tests/object/elf_linker_test.cc.
//
// These maps pass between the runtime half and the compiler half, which may have a copy of Abseil
// each (seam/compiler_library.h). The hash functions of two copies differ, because Abseil takes
// the address of a variable as their seed. The maps have the C++ library's, which has none.

#ifndef FIRSTCALL_OBJECT_SYMBOL_ADDRESSES_H_
#define FIRSTCALL_OBJECT_SYMBOL_ADDRESSES_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "memory/executor_address.h"

namespace firstcall {

struct NameHash {
  using is_transparent = void;
  size_t operator()(absl::string_view name) const {
    return std::hash<std::string_view>()(std::string_view(name.data(), name.size()));
  }
};

template <typename Name>
using AddressesByName = absl::flat_hash_map<Name, ExecutorAddress, NameHash, std::equal_to<>>;

// Of symbols that an object defines.
using SymbolAddresses = AddressesByName<std::string>;

// Of symbols that an object refers to. The names are the object's, and live as long as it.
using SymbolResolution = AddressesByName<absl::string_view>;

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_SYMBOL_ADDRESSES_H_
