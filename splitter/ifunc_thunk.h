// Replaces ifuncs by functions, in whole modules for targets whose objects or linker do not support
// ifuncs (LLVM's supports them in ELF for x86-64 only).
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
// its own two arguments on. Changes nothing for targets for which no jump is known, or that support
// ifuncs, unless `even_if_supported`: for a linker other than LLVM's.
void ReplaceIFuncs(llvm::Module& module, bool even_if_supported = false);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_IFUNC_THUNK_H_
