// What the weak definitions of one source module mean in it: themselves, or the definition that
// replaces them, of another module, an object or the process. Each choice is made when something
// first asks for it, and kept, so that all code of the module agrees, whenever it is compiled, and
// whatever is added later.
//
// Thread-safe. Tested in tests/runtime/weak_choices_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_WEAK_CHOICES_H_
#define FIRSTCALL_RUNTIME_LINK_WEAK_CHOICES_H_

#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"
#include "memory/executor_address.h"

namespace firstcall {

class SourceModule;
struct LazyObject;

class WeakChoices {
 public:
  struct Choice {
    bool is_replaced = false;
    const SourceModule* by = nullptr;  // The module that replaces it; null if no module does.
    // The object that has the replacement; null if the replacement is a function compiled on its
    // own, or belongs to the process.
    LazyObject* object = nullptr;
  };

  // Whether the definition is replaced. The first call for a definition calls `decide`, and keeps
  // the result. If two threads both call `decide`, the first result holds for both.
  bool IsReplaced(SymbolOrdinal definition, absl::FunctionRef<Choice()> decide)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // What replaces a definition: its address, which code of the module has, and the object that has
  // to be linked before that code runs; null if there is none, or not any more.
  struct Binding {
    ExecutorAddress address;
    LazyObject* object = nullptr;
  };
  std::optional<Binding> BindingOf(SymbolOrdinal definition) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Notes that code of the module gets `address` for the definition, which is replaced.
  void Bind(SymbolOrdinal definition, ExecutorAddress address) ABSL_LOCKS_EXCLUDED(mutex_);

  // The definitions that `other` replaces, and for which no code has an address.
  std::vector<SymbolOrdinal> UnboundOf(const SourceModule& other) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Forgets the choices of `other`, which is being removed, so that they are made anew. Keeps a
  // choice if the definition must stay replaced and code has the address of the replacement.
  // Returns whether there is such a definition.
  bool Forget(const SourceModule& other, absl::FunctionRef<bool(SymbolOrdinal)> must_stay)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The modules in which a definition of this one replaces theirs. Some may not exist any more.
  void AddUser(ModuleId module) ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<ModuleId> users() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Decided {
    Choice choice;
    std::optional<ExecutorAddress> address;
  };

  mutable absl::Mutex mutex_;
  absl::flat_hash_map<SymbolOrdinal, Decided> decided_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_set<ModuleId> users_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_WEAK_CHOICES_H_
