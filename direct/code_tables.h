// Checks that no function of a module has entries in a table that the module finds by name: the
// tables of LLVM's code generator, and sections whose bounds (`__start_SECTION`, `__stop_SECTION`)
// the module names. Functions with entries, and what names the table, would have to be in one
// object (splitter/object_ties.h), which is LLVM's to find out. AddressSanitizer names the bounds
// of its section also in modules that have nothing there.
//
// Thread-safe: a pure function. Tested in tests/direct/code_tables_test.cc.

#ifndef FIRSTCALL_DIRECT_CODE_TABLES_H_
#define FIRSTCALL_DIRECT_CODE_TABLES_H_

#include "absl/status/status.h"
#include "bitcode/module.h"

namespace firstcall::direct {

// Reads all bodies if the module names the bounds of a section in which it has no variables.
// Unimplemented if a function has entries in a table, or may have; errors of FunctionReader::Read.
absl::Status CheckCodeTables(const bitcode::BitcodeModule& source);

}  // namespace firstcall::direct

#endif  // FIRSTCALL_DIRECT_CODE_TABLES_H_
