// Reads how to call a function as main, without LLVM.
//
// Thread-safe: a pure function. Tested in tests/direct/entry_point_reader_test.cc.

#ifndef FIRSTCALL_DIRECT_ENTRY_POINT_READER_H_
#define FIRSTCALL_DIRECT_ENTRY_POINT_READER_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "seam/entry_point.h"

namespace firstcall::direct {

// InvalidArgument, with the reason, unless the global number `global` is a function that takes up
// to three arguments, as main does (int, char**, char**), and returns nothing or an integer of at
// most 32 bits. The same answer as that of compiler/entry_point_reader.h.
absl::StatusOr<EntryPoint> ReadEntryPoint(const ir::Module& module, uint32_t global);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_ENTRY_POINT_READER_H_
