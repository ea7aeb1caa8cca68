// Replaces the ifuncs of modules that are compiled whole by functions, because no linker of objects
// supports ifuncs in all containers and on all processors.
//
// Thread-compatible: hold the mutex of the module's view.

#ifndef FIRSTCALL_SPLITTER_IFUNC_THUNK_H_
#define FIRSTCALL_SPLITTER_IFUNC_THUNK_H_

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

// Replaces each ifunc of `module`, which has a triple, by a function of the same name that jumps to
// the address that the resolver returned. The module's kInitializer calls the resolvers, and passes
// its own two arguments on. Changes nothing for targets for which no jump is known.
void ReplaceIFuncs(llvm::Module& module);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_IFUNC_THUNK_H_
