// The addresses that a client's lazy function creator has given to names. The creator is asked only
// once for a name, because it may make something new each time.
//
// Thread-safe. Tested in tests/clients/mcjit/lazy_engine_test.cc.

#ifndef FIRSTCALL_CLIENTS_MCJIT_CREATED_SYMBOLS_H_
#define FIRSTCALL_CLIENTS_MCJIT_CREATED_SYMBOLS_H_

#include <cstdint>
#include <functional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace firstcall {

class CreatedSymbols {
 public:
  // The address that `creator` has returned for the name, or returns now. 0 if that is null, or if
  // `creator` is empty. Holds no lock while the creator works; so if two threads ask for a new name
  // at the same time, the creator may be asked twice.
  uint64_t AddressOf(const std::string& object_name,
                     const std::function<void*(const std::string&)>& creator)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, uint64_t> addresses_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_CREATED_SYMBOLS_H_
