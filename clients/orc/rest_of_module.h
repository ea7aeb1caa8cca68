// The rest of a module: the definitions that the baseline code generator does not cover, and those
// that must be in one module with them. LLVM compiles the rest.
//
// Thread-compatible: hold the lock of the module's context.

#ifndef FIRSTCALL_CLIENTS_ORC_REST_OF_MODULE_H_
#define FIRSTCALL_CLIENTS_ORC_REST_OF_MODULE_H_

#include <memory>
#include <string>
#include <vector>

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/GlobalValue.h"
#include "llvm/IR/Module.h"

namespace firstcall {

using GlobalSet = llvm::SetVector<const llvm::GlobalValue*>;

// Adds to `rest` what must be in one module with something of it: what aliases stand for, with all
// its aliases. Returns null, or why the module cannot be divided so, in a few words: an alias of
// the rest stands for no definition, or the rest has to do with addresses of blocks.
const char* CompleteRest(const llvm::Module& module, GlobalSet& rest);

struct RestOfModule {
  std::unique_ptr<llvm::Module> module;
  // The symbols that are global in the module's object, and local in the original.
  std::vector<std::string> locals;
};

// A module, in the same context, that defines what `rest` has, which is complete, without debug
// information. `module` is unchanged at the end.
RestOfModule CopyRest(llvm::Module& module, const GlobalSet& rest, bool emulates_thread_locals);

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_ORC_REST_OF_MODULE_H_
