// A worker of a compile server: a forked process that serves one client.
//
// Thread-compatible. Tested in tests/services/server/worker_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_WORKER_H_
#define FIRSTCALL_SERVICES_SERVER_WORKER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/file.h"
#include "seam/compiler.h"
#include "seam/compiler_settings.h"

namespace firstcall {

struct WorkerOptions {
  absl::Duration request_time;
  // How long the server may take for an answer. After that, code that the worker makes is not kept.
  absl::Duration server_budget = absl::Seconds(5);
  std::string identity;
  // Makes the compiler for settings other than `ready_for` (encoded); for those, `ready` is used.
  std::function<absl::StatusOr<std::unique_ptr<Compiler>>(const CompilerSettings& settings)> make;
  Compiler* ready = nullptr;
  std::string ready_for;
};

// Serves one client, whose connection arrives over `server`, the worker's connection to the server.
// Publishes the code to the server. Blocks until one of the two connections is closed.
void RunWorker(File server, const WorkerOptions& options);

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_WORKER_H_
