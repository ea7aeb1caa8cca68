// A client's connection to one worker of a compile server: the control connection, and the lanes.
//
// Thread-safe. A request is made by one thread, over a lane that the thread has to itself until the
// answer has come. Tested in tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_WORKER_SESSION_H_
#define FIRSTCALL_SERVICES_SERVER_WORKER_SESSION_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/ids.h"
#include "services/server/client_socket.h"
#include "services/server/lane.h"

namespace firstcall {

// Returns random bytes.
std::string NewClientName();

// A server, as a client knows it.
struct ServerAddress {
  std::string path;
  // How long any one answer may take.
  absl::Duration budget = absl::Seconds(30);
  // The identity that the server must have; empty: any.
  std::string identity;
  // The name of this client (services/server/protocol.h). A forked child has the same name, because
  // it goes on with the modules that its parent has asked for.
  std::string client = NewClientName();
};

// Asks the server for its identity (CompilerProvider::Identity). Blocks until it has answered.
// Errors as WorkerSession::Begin.
absl::StatusOr<std::string> AskIdentity(const ServerAddress& server);

class WorkerSession {
 public:
  // A lane that a thread has to itself. If the lane is given back, it is closed with the session;
  // otherwise, when this object is destroyed.
  struct ClientLane {
    std::unique_ptr<ClientSocket> socket;
    std::unique_ptr<Lane> lane;  // Shares the socket's file.
  };

  // Gets a worker for `settings` (EncodeSettings) from the server. Blocks until the worker has
  // answered. Errors: those of ClientSocket::Connect; FailedPrecondition if the server has another
  // version or build; ResourceExhausted if all its workers are busy; those of making a compiler for
  // the settings.
  static absl::StatusOr<std::shared_ptr<WorkerSession>> Begin(const ServerAddress& server,
                                                              absl::string_view settings);

  // Tells the server that the worker is about to get a module whose contents have this digest
  // (base/content_digest). If this message cannot be sent, the server keeps no code of the module.
  void NoteModule(absl::string_view digest);

  // Returns a lane for the calling thread. Unavailable if the worker is gone, or if the process can
  // open no more files.
  absl::StatusOr<ClientLane> TakeLane() ABSL_LOCKS_EXCLUDED(mutex_);
  // Gives back a lane whose requests have all been answered.
  void ReturnLane(ClientLane lane) ABSL_LOCKS_EXCLUDED(mutex_);

  // Whether the session was lost, or belongs to the parent process that has forked this one.
  bool is_lost() const { return is_lost_ || control_->number() < 0; }
  void Lose() { is_lost_ = true; }

  // Held while a module is added, so that other threads that need the module wait.
  absl::Mutex& adding_mutex() ABSL_LOCK_RETURNED(adding_mutex_) { return adding_mutex_; }
  // The modules that the worker has.
  absl::flat_hash_set<ModuleId>& added() ABSL_EXCLUSIVE_LOCKS_REQUIRED(adding_mutex_) {
    return added_;
  }

 private:
  WorkerSession(std::unique_ptr<ClientSocket> control, std::unique_ptr<ClientSocket> modules,
                absl::Duration budget)
      : control_(std::move(control)), modules_(std::move(modules)), budget_(budget) {}

  const std::unique_ptr<ClientSocket> control_;
  const std::unique_ptr<ClientSocket> modules_;  // Leads to the server.
  const absl::Duration budget_;
  std::atomic<bool> is_lost_{false};
  absl::Mutex adding_mutex_;
  absl::flat_hash_set<ModuleId> added_ ABSL_GUARDED_BY(adding_mutex_);
  absl::Mutex mutex_;
  std::vector<ClientLane> idle_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_WORKER_SESSION_H_
