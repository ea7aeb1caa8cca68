// Reads from IR how to call a function as main.
//
// Thread-compatible: hold the mutex of the function's view. Tested in tests/api/arguments_test.cc.

#ifndef FIRSTCALL_COMPILER_ENTRY_POINT_READER_H_
#define FIRSTCALL_COMPILER_ENTRY_POINT_READER_H_

#include "absl/status/statusor.h"
#include "seam/entry_point.h"

namespace llvm {
class GlobalValue;
}  // namespace llvm

namespace firstcall {

// InvalidArgument, with the reason, unless `symbol` is a function that takes up to three arguments,
// as main does (int, char**, char**), and returns nothing or an integer of at most 32 bits.
absl::StatusOr<EntryPoint> ReadEntryPoint(const llvm::GlobalValue& symbol);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_ENTRY_POINT_READER_H_
