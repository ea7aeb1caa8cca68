// What a worker of a compile server may use of the system.
//
// Thread-compatible: call the functions in this order, before the process has a second thread.
// Tested in tests/services/server/worker_sandbox_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_WORKER_SANDBOX_H_
#define FIRSTCALL_SERVICES_SERVER_WORKER_SANDBOX_H_

#include <cstdint>

#include "absl/status/status.h"

namespace firstcall {

// Limits this process's private writable memory to `memory` bytes more than it has now, and its
// address space to a gibibyte more than that limit. Forbids core files. Internal, with the system's
// reason, if that fails.
absl::Status LimitWorker(uint64_t memory);

// From now on this process, and each thread that it starts, can open no file or socket, start no
// process, make no memory executable, and signal no process but itself. It cannot make memory that
// the limits do not count, either: memory files and shared memory. Such calls fail with EPERM. The
// process can use the files that it has open, and receive files through its sockets, map them and
// read them. Unimplemented if the system or the architecture has no such filters, for example in an
// emulator.
absl::Status ConfineWorker();

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_WORKER_SANDBOX_H_
