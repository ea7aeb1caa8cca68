// LLVM's reader of unwind tables.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_UNWIND_TABLE_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_UNWIND_TABLE_H_

#include "llvm/Config/llvm-config.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugFrame.h"
#include "llvm/Support/Error.h"
#if LLVM_VERSION_MAJOR >= 21
// Prints locations by operator <<.
#include "llvm/DebugInfo/DWARF/DWARFUnwindTablePrinter.h"
#endif

namespace firstcall::llvm_version {

// The rows that the instructions of `entry` make. Thread-safe.
inline llvm::Expected<llvm::dwarf::UnwindTable> UnwindTableOf(const llvm::dwarf::FDE& entry) {
#if LLVM_VERSION_MAJOR >= 21
  return llvm::dwarf::createUnwindTable(&entry);
#else
  return llvm::dwarf::UnwindTable::create(&entry);
#endif
}

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_UNWIND_TABLE_H_
