// The modules that a client has added to an engine and not removed, and which of them were taken
// (lazy_engine.h says what that is).
//
// Does not own the modules. Thread-compatible. Tested in tests/clients/mcjit/module_list_test.cc.

#ifndef FIRSTCALL_CLIENTS_MCJIT_MODULE_LIST_H_
#define FIRSTCALL_CLIENTS_MCJIT_MODULE_LIST_H_

#include <string>
#include <vector>

#include "base/ids.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

struct ListedModule {
  enum class State { kAdded, kLazy, kWhole };

  llvm::Module* module;
  State state = State::kAdded;
  ModuleId id = {};  // If kLazy: the number of the copy in the engine that compiles lazily.
};

// The entries that functions return are valid until the next Add or Remove.
class ModuleList {
 public:
  // `global_prefix` is the character that objects put in front of the names of IR, or '\0'.
  explicit ModuleList(char global_prefix) : global_prefix_(global_prefix) {}

  // `module` must exist until it is removed.
  void Add(llvm::Module& module) { entries_.push_back({&module}); }
  // `entry` must be one of entries().
  void Remove(const ListedModule& entry);

  // All modules, in the order of their addition.
  const std::vector<ListedModule>& entries() const { return entries_; }

  // Null if `module` was not added, or was removed. Does not read the module.
  ListedModule* Find(const llvm::Module* module);

  // The following functions return null if there is no such module.
  // The entry of `module`, if the module was not taken.
  ListedModule* FindAdded(const llvm::Module& module);
  // The first module that was not taken.
  ListedModule* FirstAdded();
  // The first module that was not taken and defines the symbol that objects call `object_name`.
  // Reads the modules, so no other thread may use their contexts.
  ListedModule* FindAddedThatDefines(const std::string& object_name, bool functions_only);

 private:
  const char global_prefix_;
  std::vector<ListedModule> entries_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_MODULE_LIST_H_
