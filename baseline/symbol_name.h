// The names of IR globals in objects.
//
// Thread-safe: a pure function.

#ifndef FIRSTCALL_BASELINE_SYMBOL_NAME_H_
#define FIRSTCALL_BASELINE_SYMBOL_NAME_H_

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/GlobalValue.h"

namespace firstcall::baseline {

// The name of `global`, whose module has a data layout, without IR's mark for names that the
// target's mangling must not change (\1). Where objects are Mach-O, a marked name loses the
// underscore that other names do not have yet.
llvm::StringRef SymbolNameOf(const llvm::GlobalValue& global);

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_SYMBOL_NAME_H_
