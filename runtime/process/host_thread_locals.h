// Lets compiled code, whose own thread-local variables are emulated, also use those of the process.
//
// An emulated access passes the address of a control record to __emutls_get_address. A variable of
// the process has no such record. This class makes one that refers to the process's TLS block, and
// compiled code calls an accessor that tells the two kinds of records apart.
//
// Thread-safe. Tested in tests/programs/pair/thread_locals_a.cc.

#ifndef FIRSTCALL_RUNTIME_PROCESS_HOST_THREAD_LOCALS_H_
#define FIRSTCALL_RUNTIME_PROCESS_HOST_THREAD_LOCALS_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "memory/executor_address.h"

namespace firstcall {

inline constexpr absl::string_view kEmulatedTlsAccessor = "__emutls_get_address";

class HostThreadLocals {
 public:
  HostThreadLocals();
  ~HostThreadLocals();

  // The function that compiled code calls as kEmulatedTlsAccessor.
  static ExecutorAddress Accessor();

  // The control record of the process's variable `name`, which lies at `address` for this thread.
  // NotFound if `address` is in no module's TLS block.
  absl::StatusOr<ExecutorAddress> ControlOf(absl::string_view name, ExecutorAddress address)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Control;

  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, std::unique_ptr<Control>> controls_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_HOST_THREAD_LOCALS_H_
