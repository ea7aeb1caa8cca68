// The two ways in which code reaches thread-local variables, and what passes between them: by the
// descriptors of compiled code (memory/thread_local_blocks.h), and by the control records of code
// that emulates thread-local variables, such as MCJIT's, which calls __emutls_get_address. Each
// variable has one of the two; this class makes the other one. It also makes the descriptors of the
// variables of the process.
//
// Thread-safe. Tested in tests/programs/pair/thread_locals_a.cc and
// tests/api/thread_locals_test.cc.

#ifndef FIRSTCALL_RUNTIME_PROCESS_HOST_THREAD_LOCALS_H_
#define FIRSTCALL_RUNTIME_PROCESS_HOST_THREAD_LOCALS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <tuple>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "memory/executor_address.h"
#include "memory/thread_local_blocks.h"

namespace firstcall {

inline constexpr absl::string_view kEmulatedTlsAccessor = "__emutls_get_address";
inline constexpr absl::string_view kTlsAccessor = "__tls_get_addr";

class HostThreadLocals {
 public:
  HostThreadLocals();
  ~HostThreadLocals();

  // The function that compiled code calls as kEmulatedTlsAccessor.
  static ExecutorAddress Accessor();

  // The function that given objects call as kTlsAccessor: its argument is a descriptor.
  static ExecutorAddress AccessorOfDescriptors();

  // The descriptor of the process's variable `name`, which lies at `address` for this thread.
  // NotFound if `address` is in no module's TLS block.
  absl::StatusOr<ExecutorAddress> DescriptorOf(absl::string_view name, ExecutorAddress address)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // The descriptor of the variable with the control record `control`, and the other way round.
  ExecutorAddress DescriptorOfControl(ExecutorAddress control) ABSL_LOCKS_EXCLUDED(mutex_);
  ExecutorAddress ControlOfDescriptor(ExecutorAddress descriptor) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Control;
  // The dynamic linker's number of a library, how many libraries it has unloaded, and the offset.
  using ProcessVariable = std::tuple<size_t, uint64_t, size_t>;

  absl::Mutex mutex_;
  absl::flat_hash_map<ProcessVariable, std::unique_ptr<ThreadLocalDescriptor>> of_process_
      ABSL_GUARDED_BY(mutex_);
  // By the address of what they are made of.
  absl::flat_hash_map<uint64_t, std::unique_ptr<ThreadLocalDescriptor>> of_controls_
      ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<uint64_t, std::unique_ptr<Control>> controls_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROCESS_HOST_THREAD_LOCALS_H_
