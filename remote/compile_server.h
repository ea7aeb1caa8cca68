// The process that has LLVM loaded and warm, and forks a worker for each client.
//
// It is single-threaded, and reads nothing of clients and workers but short packets: it hands a
// client's connection to a worker, tells what it knows of a module, or its own status, and copies
// what a worker has made, some packets at a time. So nobody waits for what one client or worker
// does, and what can go wrong in a compiler goes wrong in a worker. One worker always waits for the
// next client, with the memory in place that a compile first writes to.
//
// Thread-compatible: one thread creates it and calls Run. Tested in
// tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_REMOTE_COMPILE_SERVER_H_
#define FIRSTCALL_REMOTE_COMPILE_SERVER_H_

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/file.h"
#include "base/packets.h"
#include "compiler/compiler_settings.h"
#include "remote/known_modules.h"
#include "remote/makers.h"
#include "runtime/compiler.h"

namespace firstcall {

struct CompileServerOptions {
  // Where it listens; made with access for this user only, and removed at the end.
  std::string path;
  // A socket that listens already (systemd's); then `path` is not used.
  File listening;
  // Clients that have a worker at the same time; others are refused.
  size_t most_workers = 256;
  // Private memory of each worker, in bytes.
  uint64_t worker_memory = uint64_t{2} << 30;
  // How long a worker may take for one request. Then it is ended.
  absl::Duration request_time = absl::Minutes(1);
  // How long a worker may go on when its client has ended. Then it is killed.
  absl::Duration time_to_end = absl::Minutes(1);
  // Clients that compile the same unknown module at the same time; others wait a little for what
  // these have made. 0: as many as there are processors.
  size_t makers_of_a_module = 0;
  // Bytes of objects that are kept for later clients.
  uint64_t kept_bytes = uint64_t{256} << 20;
  // The most modules of which something is kept, each with an open file: a file is needed for each
  // client, too. Zero: half as many as the process may have open.
  size_t kept_modules = 0;
  // Whether workers are confined. Off for what filters do not support.
  bool confines = true;
};

class CompileServer {
 public:
  // Makes a compiler for settings; in a worker, or, for `default_settings`, in the server.
  using MakeCompiler =
      std::function<absl::StatusOr<std::unique_ptr<Compiler>>(const CompilerSettings& settings)>;

  struct Compilers {
    MakeCompiler make;
    CompilerSettings default_settings;
    // What each client's build must be equal to (CompilerProvider::Identity).
    std::string identity;
    // Bitcode of a program that is compiled once, so that everything a compiler needs is there.
    std::string warm_up;
  };

  // Starts to listen. AlreadyExists if another server does at this path; PermissionDenied if others
  // could get at the socket; InvalidArgument or Internal, with the system's reason.
  static absl::StatusOr<std::unique_ptr<CompileServer>> Create(CompileServerOptions options,
                                                               Compilers compilers);
  // Ends the workers.
  ~CompileServer();

  // Serves until the process gets SIGTERM or SIGINT. Internal if the system does not let it.
  absl::Status Run();

 private:
  struct Client;
  struct Worker;
  struct IncomingPack;

  CompileServer(CompileServerOptions options, Compilers compilers);
  absl::Status Listen();
  absl::Status MakeReady();
  absl::Status WarmUp();
  absl::Status StartSpare(bool is_needed_now);
  void Accept();
  void DropIfTooManyAreSilent();
  // Whether the client stays.
  bool Hear(Client& client);
  std::string Greet(absl::string_view greeting) const;
  size_t CountBusy() const;
  bool HandOver(Client& client, Packet packet);
  // What a worker has made, or asks for, in some packets. Whether it stays.
  bool HearWorker(Worker& worker);
  bool AnswerWorker(Worker& worker, const Packet& packet);
  // Which modules the worker gets: its client says so.
  void HearOfModules(Worker& worker) const;
  // The worker wants to know what the server has.
  bool SendPart(Worker& worker, absl::string_view question);
  // The worker has made something.
  bool BeginPack(Worker& worker, absl::string_view offer);
  bool AddPart(Worker& worker, absl::string_view bytes);
  // The number of a pack that is complete; zero if it is not kept.
  uint64_t KeepPack(IncomingPack pack);
  // What the server knows of a module. Whether that could be sent.
  bool Find(int socket, absl::string_view key);
  // A client asks what is known of a module, and waits for the answer. Whether it stays.
  static bool BeginToWait(Client& client, absl::string_view question);
  // Answers a client that waits, unless enough others are making the module's code. Whether it
  // stays.
  bool AnswerIfItNeedNotWait(Client& client);
  size_t CountWaiting() const;
  void Reap();
  // Kills workers that go on without a client. Whether there are others that will be.
  bool EndLateWorkers();
  std::string StatusText() const;

  CompileServerOptions options_;
  const Compilers compilers_;
  std::string encoded_default_settings_;
  std::unique_ptr<Compiler> compiler_;  // For the default settings.
  bool owns_path_ = false;
  File signals_;
  std::list<Client> clients_;
  std::list<Worker> workers_;
  Worker* spare_ = nullptr;
  absl::Duration next_spare_;          // No other is started before.
  absl::Duration next_accept_;         // No client is let in before.
  std::optional<KnownModules> known_;  // Constant after Create.
  Makers makers_;
  const absl::Duration started_;
  uint64_t clients_served_ = 0, workers_failed_ = 0, packs_given_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_COMPILE_SERVER_H_
