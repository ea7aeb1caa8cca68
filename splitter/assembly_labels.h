// The symbols that the inline assembly of a function defines: labels inside the function, which
// data, other functions and the assembly of the module may name, as one assembler's file has all of
// them.
//
// Such a label must be in one place. So the function has one body for good, which is not inlined.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/assembly_labels_test.cc.

#ifndef FIRSTCALL_SPLITTER_ASSEMBLY_LABELS_H_
#define FIRSTCALL_SPLITTER_ASSEMBLY_LABELS_H_

#include <string>
#include <vector>

#include "llvm/IR/Function.h"

namespace firstcall {

// The names, as in objects, in the order of the function. If a name contains an operand or a number
// that LLVM makes for each copy of the assembly, nothing else can name the label, and it is left
// out; so are temporary labels (`1:`, `.Lname`). Reads the assembly only if it may define
// something.
std::vector<std::string> LabelsDefinedIn(const llvm::Function& function);

// Forbids the optimizer to copy the inline assembly that defines labels.
void KeepLabelsUnique(llvm::Function& function);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_ASSEMBLY_LABELS_H_
