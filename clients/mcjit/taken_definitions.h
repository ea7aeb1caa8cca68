// What a name means that a taken module defines (lazy_engine.h says when a module is taken).
//
// Thread-safe. Tested in tests/clients/mcjit/taken_definitions_test.cc.

#ifndef FIRSTCALL_CLIENTS_MCJIT_TAKEN_DEFINITIONS_H_
#define FIRSTCALL_CLIENTS_MCJIT_TAKEN_DEFINITIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"

namespace firstcall {

class TakenDefinitions {
 public:
  struct Definition {
    // The module of the engine that compiles lazily. Unset if the module was compiled whole.
    std::optional<ModuleId> lazy;
    uint64_t address = 0;  // If the module was compiled whole; 0 if the address is not known yet.
  };

  // Gives the names a definition in module `id`, or in a module that was compiled whole. These
  // definitions take the place of earlier ones. The names are those of objects.
  void EnterLazy(const std::vector<std::string>& names, ModuleId id) ABSL_LOCKS_EXCLUDED(mutex_);
  void EnterWhole(const std::vector<std::string>& names) ABSL_LOCKS_EXCLUDED(mutex_);

  // The last definition of a name; of a thread-local variable also if the name is that of the
  // variable's control variable (kEmulatedTlsPrefix). Empty if there is none.
  std::optional<Definition> Find(const std::string& object_name) const ABSL_LOCKS_EXCLUDED(mutex_);
  bool Has(const std::string& object_name) const { return Find(object_name).has_value(); }

  // Returns the names that EnterWhole got since the last call.
  std::vector<std::string> TakeNamesWithoutAddress() ABSL_LOCKS_EXCLUDED(mutex_);
  // The address of a name that EnterWhole got. Has no effect if the name's last definition is in a
  // module that is compiled lazily.
  void SetAddress(const std::string& name, uint64_t address) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Definition> definitions_ ABSL_GUARDED_BY(mutex_);
  std::vector<std::string> without_address_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_TAKEN_DEFINITIONS_H_
