// Finds the labels that the inline assembly of a module's functions defines.
//
// Thread-compatible: hold the view's mutex. Tested in tests/programs/single/labels_in_data.c.

#ifndef FIRSTCALL_COMPILER_LABEL_READER_H_
#define FIRSTCALL_COMPILER_LABEL_READER_H_

#include "seam/assembly_labels.h"
#include "splitter/module_view.h"

namespace firstcall {

// Reads the bodies of all functions that are in the view. A body that cannot be read has no labels:
// its function's first call reports the error.
AssemblyLabels ReadAssemblyLabels(ModuleView& view);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_LABEL_READER_H_
