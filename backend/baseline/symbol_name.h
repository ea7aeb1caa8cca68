// The symbol names of IR globals in objects.
//
// Thread-safe: a pure function.

#ifndef FIRSTCALL_BACKEND_BASELINE_SYMBOL_NAME_H_
#define FIRSTCALL_BACKEND_BASELINE_SYMBOL_NAME_H_

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/GlobalValue.h"

namespace firstcall::baseline {

// The name of `global` without IR's mark (\1) for names that the target's mangling must not change.
// The module must have a data layout. If objects are Mach-O, a marked name also loses its leading
// underscore, because unmarked names do not have the underscore yet.
llvm::StringRef SymbolNameOf(const llvm::GlobalValue& global);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_SYMBOL_NAME_H_
