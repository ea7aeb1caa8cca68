// Makes linked code known to a debugger, by the interface that GDB and LLDB share
// (__jit_debug_descriptor), for as long as the registration lives. Only objects with debug
// information are made known: the debugger reads each one, and stops the process for that.
//
// Thread-safe: linkers of many threads report to it.

#ifndef FIRSTCALL_ENGINE_DEBUGGER_REGISTRATION_H_
#define FIRSTCALL_ENGINE_DEBUGGER_REGISTRATION_H_

#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "llvm/ExecutionEngine/JITEventListener.h"

namespace firstcall {

class DebuggerRegistration final : public llvm::JITEventListener {
 public:
  DebuggerRegistration() = default;
  ~DebuggerRegistration() override;
  DebuggerRegistration(const DebuggerRegistration&) = delete;
  DebuggerRegistration& operator=(const DebuggerRegistration&) = delete;

  // The key is MCJIT's, which may give it to another object when it has freed this one; the code
  // outlives both, so it is not used.
  void notifyObjectLoaded(ObjectKey key, const llvm::object::ObjectFile& object,
                          const llvm::RuntimeDyld::LoadedObjectInfo& info) override
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  absl::Mutex mutex_;
  std::vector<ObjectKey> keys_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_DEBUGGER_REGISTRATION_H_
