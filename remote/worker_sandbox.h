// What a worker of a compile server may use of the system.
//
// Thread-compatible: call them in this order, before the process has a second thread. Tested in
// tests/remote/worker_sandbox_test.cc.

#ifndef FIRSTCALL_REMOTE_WORKER_SANDBOX_H_
#define FIRSTCALL_REMOTE_WORKER_SANDBOX_H_

#include <cstdint>

#include "absl/status/status.h"

namespace firstcall {

// Limits this process's private writable memory to `memory` bytes more than it has now, and its
// address space to a gibibyte more than that; leaves no core file. Internal, with the system's
// reason, if that fails.
absl::Status LimitWorker(uint64_t memory);

// From now on this process, and all that it starts, can open no file and no socket, start no
// process, make no memory executable and signal none but itself: such calls fail, with EPERM. Nor
// can it make memory that the limits do not count: memory files, and memory that is shared. It can
// use what it has open, and get files through its sockets, map them and read them. Unimplemented if
// the system or the architecture has no such filters, as an emulator.
absl::Status ConfineWorker();

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_WORKER_SANDBOX_H_
