// Writes into a module what the object that is made from it says about itself.
//
// Thread-compatible: hold the mutex of the view that the module's context belongs to. Tested in
// tests/api/cache_test.cc.

#ifndef FIRSTCALL_BACKEND_OBJECT_IDENTIFICATION_H_
#define FIRSTCALL_BACKEND_OBJECT_IDENTIFICATION_H_

#include <string>

#include "seam/identification.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

// The text by which `identification` is stored in an object: without a part the signature alone,
// else "firstcall PART signature DIGEST".
std::string IdentificationText(const Identification& identification);

// Adds `identification` to the .comment section of the object that is made from `module`.
void AddIdentification(llvm::Module& module, const Identification& identification);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_OBJECT_IDENTIFICATION_H_
