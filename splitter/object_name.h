// The names of IR globals in objects, and of functions that are made for a name in objects.
//
// Thread-safe: pure functions.

#ifndef FIRSTCALL_SPLITTER_OBJECT_NAME_H_
#define FIRSTCALL_SPLITTER_OBJECT_NAME_H_

#include <string>

#include "absl/strings/string_view.h"

namespace llvm {
class GlobalValue;
class Module;
}  // namespace llvm

namespace firstcall {

// Whether the objects of `module` are Mach-O, where names have an underscore in front.
bool IsMacho(const llvm::Module& module);

// The name of `value` in objects and in the process: its name without the leading \1 (LLVM IR's
// mark for names that the target's mangling must not change), and with the suffix of its calling
// convention (x86_vectorcallcc: the bytes of its arguments). Where objects are Mach-O, marked names
// and those with a suffix lose the underscore that they may have, like all names in Mach-O.
std::string ObjectName(const llvm::GlobalValue& value);

// The name to give to a function like `original` so that its name in objects is `object_name`.
std::string IrName(absl::string_view object_name, const llvm::GlobalValue& original);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_OBJECT_NAME_H_
