// Functions in the place of ifuncs, for whole modules on architectures whose linker has no ifuncs
// (LLVM's has them on x86-64 only).
//
// Thread-compatible: hold the mutex of the module's view.

#ifndef FIRSTCALL_SPLITTER_IFUNC_THUNK_H_
#define FIRSTCALL_SPLITTER_IFUNC_THUNK_H_

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

// Replaces each ifunc of `module`, which has a triple, by a function of its name that jumps to what
// the resolver said. The resolvers are called by the module's kInitializer, which passes its own
// two arguments on. Leaves architectures alone for which it knows no jump.
void ReplaceIFuncs(llvm::Module& module);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_IFUNC_THUNK_H_
