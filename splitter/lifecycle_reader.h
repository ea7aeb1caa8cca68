// Finds the functions of a source module that run before and after the program: entries of
// llvm.global_ctors and llvm.global_dtors, and pointers in the sections that the start-up code of
// ELF systems processes (.preinit_array, .init_array, .fini_array, and the older .ctors and
// .dtors).
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/symbol_index_builder_test.cc.

#ifndef FIRSTCALL_SPLITTER_LIFECYCLE_READER_H_
#define FIRSTCALL_SPLITTER_LIFECYCLE_READER_H_

#include <vector>

#include "absl/status/statusor.h"
#include "object/lifecycle.h"
#include "splitter/module_view.h"

namespace firstcall {

// The functions in the order in which they are to run. Functions of one priority run in the order
// of the module, destructors in the opposite order. Unimplemented, with the variable's name, if
// such a section contains anything but pointers to functions; InvalidArgument if a list is not
// valid IR.
absl::StatusOr<std::vector<LifecycleFunction>> ReadConstructors(const ModuleView& view);
absl::StatusOr<std::vector<LifecycleFunction>> ReadDestructors(const ModuleView& view);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_LIFECYCLE_READER_H_
