// A module's own `atexit`.
//
// The C library has no shared atexit: every program and shared library is linked with its own copy.
// The copy passes its own __dso_handle to __cxa_atexit, to tell whose handler it is. A source
// module is given such a copy, so that its handlers can run, and be removed, with the module.
// Tested in tests/programs/single/life_cycle.c.

#ifndef FIRSTCALL_SPLITTER_MODULE_ATEXIT_H_
#define FIRSTCALL_SPLITTER_MODULE_ATEXIT_H_

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

// Defines atexit in `module`, which declares it or does not mention it. Thread-compatible.
void DefineAtexit(llvm::Module& module);

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_MODULE_ATEXIT_H_
