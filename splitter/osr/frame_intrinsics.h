// The intrinsics whose results depend on the frame of the function that calls them: the results
// would be different in an OSR continuation, or where the function is inlined.
//
// Thread-safe: a pure function. Tested in tests/splitter/osr/loop_entries_test.cc and
// tests/splitter/callee_importer_test.cc.

#ifndef FIRSTCALL_SPLITTER_OSR_FRAME_INTRINSICS_H_
#define FIRSTCALL_SPLITTER_OSR_FRAME_INTRINSICS_H_

#include "llvm/IR/Intrinsics.h"

namespace firstcall {

inline bool DependsOnFrame(llvm::Intrinsic::ID intrinsic) {
  switch (intrinsic) {
    case llvm::Intrinsic::frameaddress:
    case llvm::Intrinsic::returnaddress:
    case llvm::Intrinsic::addressofreturnaddress:
    case llvm::Intrinsic::sponentry:
    case llvm::Intrinsic::eh_dwarf_cfa:
    case llvm::Intrinsic::eh_return_i32:
    case llvm::Intrinsic::eh_return_i64:
    case llvm::Intrinsic::eh_unwind_init:
    case llvm::Intrinsic::read_register:
    case llvm::Intrinsic::read_volatile_register:
    case llvm::Intrinsic::write_register:
      return true;
    default:
      return false;
  }
}

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_OSR_FRAME_INTRINSICS_H_
