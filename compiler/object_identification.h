// Writes into a module what the object that is made from it says about itself. Tested in
// tests/api/cache_test.cc.

#ifndef FIRSTCALL_COMPILER_OBJECT_IDENTIFICATION_H_
#define FIRSTCALL_COMPILER_OBJECT_IDENTIFICATION_H_

#include "code/identification.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

// Adds `identification` to the .comment section of the object that is made from `module`: without a
// part the signature alone, else "firstcall PART signature DIGEST".
void AddIdentification(llvm::Module& module, const Identification& identification);

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_OBJECT_IDENTIFICATION_H_
