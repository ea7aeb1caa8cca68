// The process that has LLVM loaded and warm, and forks a worker for each client.
//
// The server is single-threaded, and reads only short packets from clients and workers. It hands a
// client's connection to a worker; sends the pack of a module, or its own status; and copies what a
// worker has made, some packets at a time. So no client or worker can make the others wait, and a
// compiler can fail only in a worker. One spare worker always waits for the next client. The memory
// that a compile first writes to is already in place in the spare worker.
//
// Thread-compatible: one thread creates it and calls Run. Tested in
// tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_COMPILE_SERVER_H_
#define FIRSTCALL_SERVICES_SERVER_COMPILE_SERVER_H_

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
#include "seam/compiler.h"
#include "seam/compiler_settings.h"
#include "services/server/known_modules.h"
#include "services/server/makers.h"

namespace firstcall {

struct CompileServerOptions {
  // The path of the socket on which the server listens. The socket is made with access for this
  // user only, and removed at the end.
  std::string path;
  // A socket that listens already, such as systemd's. If it is open, `path` is not used.
  File listening;
  // The most clients that have a worker at the same time; further ones are refused.
  size_t most_workers = 256;
  // Private memory of each worker, in bytes.
  uint64_t worker_memory = uint64_t{2} << 30;
  // How long a worker may take for one request. After this time the worker ends.
  absl::Duration request_time = absl::Minutes(1);
  // How long a worker may go on after its client has ended. After this time the worker is killed.
  absl::Duration time_to_end = absl::Minutes(1);
  // The most clients that compile the same unknown module at the same time. Further ones wait a
  // little for the code of these. 0: as many as there are processors.
  size_t makers_of_a_module = 0;
  // The most bytes of objects that are kept for later clients.
  uint64_t kept_bytes = uint64_t{256} << 20;
  // The most modules whose packs are kept. Each pack takes an open file, and so does each client.
  // 0: half as many as the process may have files open.
  size_t kept_modules = 0;
  // Whether workers are confined (services/server/worker_sandbox). Off for what the filters do not
  // support.
  bool confines = true;
};

class CompileServer {
 public:
  // Makes a compiler for `settings`. Called in the server for `default_settings`, and in a worker
  // for other settings.
  using MakeCompiler =
      std::function<absl::StatusOr<std::unique_ptr<Compiler>>(const CompilerSettings& settings)>;

  struct Compilers {
    MakeCompiler make;
    CompilerSettings default_settings;
    // The identity of the build (CompilerProvider::Identity). A client that names another one is
    // refused.
    std::string identity;
    // Bitcode of a program that is compiled once, so that everything a compiler needs is in memory.
    std::string warm_up;
  };

  // Starts to listen, and compiles the warm-up program. Errors: AlreadyExists if another server
  // listens at this path, or a file is there that is no socket; PermissionDenied if other users
  // could replace the socket in its directory; InvalidArgument if the path cannot be that of a
  // socket; Internal, with the system's reason; those of the compiler.
  static absl::StatusOr<std::unique_ptr<CompileServer>> Create(CompileServerOptions options,
                                                               Compilers compilers);
  // Kills the workers, and waits for their end.
  ~CompileServer();

  // Blocks, and serves until the process gets SIGTERM or SIGINT. Internal, with the system's
  // reason, if the system refuses to wait for events.
  absl::Status Run();

 private:
  struct Client;
  struct Worker;
  struct IncomingPack;
  // What the status says of the time since the start.
  struct Served {
    const absl::Duration started;
    uint64_t clients = 0, failed_workers = 0, packs = 0;
  };

  CompileServer(CompileServerOptions options, Compilers compilers);
  absl::Status Listen();
  absl::Status MakeReady();
  absl::Status WarmUp();
  absl::Status StartSpare(bool is_needed_now);
  void Accept();
  void DropIfTooManyAreSilent();
  // Reads a packet of the client, if one has come. Returns whether the client stays.
  bool Hear(Client& client);
  std::string Greet(absl::string_view greeting) const;
  size_t CountBusy() const;
  bool HandOver(Client& client, Packet packet);
  // Reads some packets of a worker: what it has made, or asks for. Returns whether the worker
  // stays.
  bool HearWorker(Worker& worker);
  bool AnswerWorker(Worker& worker, const Packet& packet);
  // Reads from the worker's client which modules the worker gets.
  void HearOfModules(Worker& worker) const;
  // Answers kRead: sends a part of a pack to the worker. This function and the next two return
  // whether the worker stays.
  bool SendPart(Worker& worker, absl::string_view question);
  // Answers kPublish: says whether the server wants the pack.
  bool BeginPack(Worker& worker, absl::string_view offer);
  bool AddPart(Worker& worker, absl::string_view bytes);
  // Keeps a complete pack. Returns its number; zero if the pack is not kept.
  uint64_t KeepPack(IncomingPack pack);
  // Sends the pack of a module, or that there is none. Returns whether the answer could be sent.
  bool Find(int socket, absl::string_view key);
  // Reads kFind: from now on the client waits for the pack of a module. Returns whether the client
  // stays.
  static bool BeginToWait(Client& client, absl::string_view question);
  // Answers a client that waits, unless enough other clients are making the module's code. Returns
  // whether the client stays.
  bool AnswerIfItNeedNotWait(Client& client);
  size_t CountWaiting() const;
  void Reap();
  // Kills the workers whose clients ended too long ago. Returns whether there are workers that may
  // have to be killed later.
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
  absl::Duration next_spare_;          // When the next spare worker may be started.
  absl::Duration next_accept_;         // When the next client may be let in.
  std::optional<KnownModules> known_;  // Constant after Create.
  Makers makers_;
  Served served_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_COMPILE_SERVER_H_
