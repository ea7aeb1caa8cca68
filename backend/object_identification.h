// Writes into a module what the object that is made from it says about itself.
//
// Thread-compatible: hold the mutex of the view that the module's context belongs to. Tested in
// tests/api/cache_test.cc.

#ifndef FIRSTCALL_BACKEND_OBJECT_IDENTIFICATION_H_
#define FIRSTCALL_BACKEND_OBJECT_IDENTIFICATION_H_

#include "seam/identification.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

// Adds the IdentificationText of `identification` to the .comment section of the object that is
// made from `module`.
void AddIdentification(llvm::Module& module, const Identification& identification);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_OBJECT_IDENTIFICATION_H_
