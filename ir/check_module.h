// Checks a module that a reader has made of bytes that nobody vouches for: types, globals,
// constants, and how functions pass their parameters.
//
// Thread-safe: a pure function.

#ifndef FIRSTCALL_IR_CHECK_MODULE_H_
#define FIRSTCALL_IR_CHECK_MODULE_H_

#include "absl/status/status.h"
#include "ir/module.h"

namespace firstcall::ir {

// Checks everything in `module` that code generation, text and ir::Checker rely on. The reader sees
// to this, and the check relies on that:
//   - Every pointer to a type or to attributes is one of the module, and no pointer is null that a
//     header of ir/ does not say may be null. Enumerators are those of their enumerations.
//   - Every operand of a constant or a global that refers to something refers to a constant that
//     there is. Every operand of a constant refers to something.
//   - Module::AddType has laid out the types, AttributeList::anywhere has all attributes, and
//     FindUsesByData was called.
//
// InvalidArgument for what is no valid IR. Unimplemented for what may be valid IR, and is not known
// here or has limits here: constants that are nested deeper than ConstantChecker allows, structures
// that contain themselves, attributes that LLVM allows together with no layout.
absl::Status CheckModule(const Module& module);

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_CHECK_MODULE_H_
