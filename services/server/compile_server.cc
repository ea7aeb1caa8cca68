#include "services/server/compile_server.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/coding.h"
#include "base/end_with_parent.h"
#include "base/file_contents.h"
#include "base/file_io.h"
#include "base/status.h"
#include "base/status_coding.h"
#include "base/steady_clock.h"
#include "base/version.h"
#include "services/server/client_modules.h"
#include "services/server/object_pack.h"
#include "services/server/protocol.h"
#include "services/server/sealed_bytes_writer.h"
#include "services/server/seam_coding.h"
#include "services/server/worker.h"
#include "services/server/worker_sandbox.h"

namespace firstcall {
namespace {

// Linux allows more, but a process that closes all files one by one would take long.
constexpr rlim_t kMostFiles = 65536;

// Clients that have connected and said nothing yet.
constexpr std::ptrdiff_t kMostSilentClients = 256;
constexpr absl::Duration kSilence = absl::Seconds(10);

constexpr size_t kKeySize = 32;
constexpr size_t kDigestSize = 32;

// The most packets of one worker that are read before the other connections are.
constexpr int kPacketsAtOnce = 8;
// The most announced modules that are read at once: more than a socket has room for.
constexpr int kModulesAtOnce = 1024;

// Beside the bytes of a pack, an answer to a worker has two numbers.
constexpr size_t kPartSize = kLargestPacket - 16;

// How long a server that was killed may keep its socket.
constexpr absl::Duration kUntilKilledServerIsGone = absl::Seconds(2);

// The pause before the next spare worker is started, after one has ended by itself or could not be
// started. Also the pause before the next client is let in, after there were too many open files.
constexpr absl::Duration kPause = absl::Seconds(1);

// The pause before the next spare worker is started, after a client has got a worker: meanwhile the
// client, which starts, and its worker can use the processors.
constexpr absl::Duration kRest = absl::Milliseconds(300);

// About the bytes of heap that reading and compiling a module of some MB writes to. The spare
// worker has this memory in place for each of two threads.
constexpr size_t kReadyHeap = size_t{8} << 20;

void GetHeapReady() {
  void* const memory = malloc(kReadyHeap);
  if (memory == nullptr) return;
  for (size_t i = 0; i < kReadyHeap; i += 4096) static_cast<volatile char*>(memory)[i] = 1;
  free(memory);
}

absl::Status SystemError(absl::string_view operation, absl::string_view path) {
  return absl::InternalError(absl::StrCat("the compile server's socket '", path, "': ", operation,
                                          ": ", std::strerror(errno)));
}

bool IsOfThisUser(int socket) {
  ucred peer = {};
  socklen_t size = sizeof(peer);
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
}

pid_t ProcessOf(int socket) {
  ucred peer = {};
  socklen_t size = sizeof(peer);
  return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? peer.pid : 0;
}

// Whether the other end of the connection has been closed.
bool IsClosed(int socket) {
  pollfd event = {socket, 0, 0};
  return poll(&event, 1, 0) > 0 && (event.revents & POLLHUP) != 0;
}

// Whether a program has the socket open, even if the program does not answer, or listens in another
// way. Waits up to kUntilKilledServerIsGone for an answer, because the socket of a killed server
// may still be open in a child that is about to end.
absl::StatusOr<bool> HasListener(const sockaddr_un& address) {
  const absl::Duration deadline = SteadyNow() + kUntilKilledServerIsGone;
  while (true) {
    const File file(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!file.is_open()) return SystemError("socket", address.sun_path);
    if (connect(file.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
      return errno != ECONNREFUSED && errno != ENOENT;
    }
    const char question = static_cast<char>(ServerMessage::kStatus);
    absl::Status answer = SendPacket(file.number(), {&question, 1});
    if (answer.ok()) answer = ReceivePacket(file.number(), deadline).status();
    if (answer.ok() || SteadyNow() >= deadline) return true;
    absl::SleepFor(absl::Milliseconds(10));
  }
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// Checks that no other user can replace the socket by another one: the directory must belong to
// this user or root, and be private or sticky.
absl::Status CheckDirectory(const std::string& path) {
  struct stat status = {};
  if (stat(DirectoryOf(path).c_str(), &status) != 0) return SystemError("its directory", path);
  const bool is_private = (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
  const bool is_sticky = (status.st_mode & S_ISVTX) != 0;
  if ((status.st_uid == geteuid() || status.st_uid == 0) && (is_private || is_sticky)) {
    return absl::OkStatus();
  }
  return absl::PermissionDeniedError(
      absl::StrCat("the compile server's socket '", path, "': others can write to its directory"));
}

}  // namespace

// A connection on which the server listens itself.
struct CompileServer::Client {
  File socket;
  absl::Duration since;  // When it has connected.
  bool has_spoken = false;
  // The key of the module that the client waits for; empty if the client does not wait.
  std::string waits_for;
  absl::Duration waits_until;
  // If nobody publishes the module's code, this client makes it. A client that cannot wait has all
  // that it needs, and goes on without the server's code.
  bool would_make_it = false;
  std::string name;     // The client's name, once it waits (services/server/protocol).
  File modules_socket;  // Set when the client gets a worker. Here, so that forked workers close it.
};

// A pack that a worker is sending, as far as it has arrived.
struct CompileServer::IncomingPack {
  std::string key;
  uint64_t size = 0;
  uint64_t received = 0;
  // Empty if there was no memory. The rest of the pack arrives all the same.
  std::optional<SealedBytesWriter> bytes;
};

struct CompileServer::Worker {
  pid_t process = 0;
  File socket;
  // The rest is unused in the spare.
  std::string client;        // Its client's name.
  pid_t client_process = 0;  // Zero if the client is in another container.
  std::string settings;
  File modules_socket;  // Over it the client announces the worker's modules.
  ClientModules modules;
  std::optional<IncomingPack> incoming;
  absl::Duration ends_by = absl::InfiniteDuration();
};

CompileServer::CompileServer(CompileServerOptions options, Compilers compilers)
    : options_(std::move(options)),
      compilers_(std::move(compilers)),
      makers_(options_.makers_of_a_module > 0
                  ? options_.makers_of_a_module
                  : std::max<size_t>(1, std::thread::hardware_concurrency())),
      served_{SteadyNow()} {}

absl::StatusOr<std::unique_ptr<CompileServer>> CompileServer::Create(CompileServerOptions options,
                                                                     Compilers compilers) {
  std::unique_ptr<CompileServer> server(
      new CompileServer(std::move(options), std::move(compilers)));
  FIRSTCALL_RETURN_IF_ERROR(server->Listen());
  FIRSTCALL_RETURN_IF_ERROR(server->MakeReady());
  return server;
}

absl::Status CompileServer::Listen() {
  // A write to a worker or client that has ended must not end the server.
  signal(SIGPIPE, SIG_IGN);
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGTERM, SIGINT, SIGCHLD}) sigaddset(&set, number);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signals_ = File(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
  const std::string& path = options_.path;
  if (!signals_.is_open()) return SystemError("signalfd", path);
  if (options_.listening.is_open()) {
    fcntl(options_.listening.number(), F_SETFL, O_NONBLOCK);
    return absl::OkStatus();
  }
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the compile server's socket '", path, "': not a path for a socket"));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  FIRSTCALL_RETURN_IF_ERROR(CheckDirectory(path));
  // Of two servers that start at the same time, one after the other looks for a listener.
  const File directory(open(DirectoryOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.is_open()) flock(directory.number(), LOCK_EX);
  File file(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!file.is_open()) return SystemError("socket", path);
  const mode_t mask = umask(0177);
  int bound = bind(file.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  if (bound != 0 && errno == EADDRINUSE) {
    struct stat status = {};
    const bool is_socket = lstat(path.c_str(), &status) == 0 && S_ISSOCK(status.st_mode);
    const absl::StatusOr<bool> has_listener = is_socket ? HasListener(address) : false;
    if (!has_listener.ok() || !is_socket || *has_listener) {
      umask(mask);
      FIRSTCALL_RETURN_IF_ERROR(has_listener.status());
      return absl::AlreadyExistsError(
          absl::StrCat("the compile server's socket '", path,
                       is_socket ? "': another server listens there" : "': there is another file"));
    }
    // The socket was left by a server that was killed.
    unlink(path.c_str());
    bound = bind(file.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  }
  umask(mask);
  if (bound != 0) return SystemError("bind", path);
  owns_path_ = true;
  if (listen(file.number(), SOMAXCONN) != 0) return SystemError("listen", path);
  options_.listening = std::move(file);
  return absl::OkStatus();
}

absl::Status CompileServer::MakeReady() {
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0) return SystemError("RLIMIT_NOFILE", options_.path);
  files.rlim_cur = std::max(files.rlim_cur, std::min<rlim_t>(files.rlim_max, kMostFiles));
  (void)setrlimit(RLIMIT_NOFILE, &files);
  if (options_.kept_modules == 0) options_.kept_modules = files.rlim_cur / 2;
  known_.emplace(options_.kept_bytes, options_.kept_modules);
  // Freed memory is not given back to the system, so the next compile can use it at once.
  mallopt(M_TRIM_THRESHOLD, 512 << 20);
  mallopt(M_TOP_PAD, 1 << 20);
  mallopt(M_MMAP_THRESHOLD, 64 << 20);
  // A thread that compiles ahead does not wait for the other one's allocations.
  mallopt(M_ARENA_MAX, 2);
  FIRSTCALL_ASSIGN_OR_RETURN(encoded_default_settings_,
                             EncodeSettings(compilers_.default_settings));
  FIRSTCALL_ASSIGN_OR_RETURN(compiler_, compilers_.make(compilers_.default_settings));
  return WarmUp();
}

// Compiles the warm-up program, so that what makes a first compile slow is done.
absl::Status CompileServer::WarmUp() {
  if (compilers_.warm_up.empty()) return absl::OkStatus();
  ModuleOrder order;
  order.id.value = UINT32_MAX;
  order.contents.name = "warm-up";
  order.contents.bytes = FileContents::Copy(compilers_.warm_up);
  const ModuleId id = order.id;
  FIRSTCALL_ASSIGN_OR_RETURN(std::shared_ptr<const SymbolIndex> index,
                             compiler_->Add(std::move(order)));
  const auto no = [](SymbolOrdinal) { return false; };
  FIRSTCALL_RETURN_IF_ERROR(compiler_->CompileData({id, no}).status());
  for (uint32_t i = 0; i < index->size(); ++i) {
    const Symbol& symbol = index->at(SymbolOrdinal{i});
    if (symbol.kind != SymbolKind::kFunction || !symbol.is_definition) continue;
    FIRSTCALL_RETURN_IF_ERROR(compiler_->CompileFunction({id, SymbolOrdinal{i}, no, no}).status());
  }
  compiler_->Remove(id);
  return absl::OkStatus();
}

absl::Status CompileServer::StartSpare(bool is_needed_now) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return SystemError("socketpair", options_.path);
  }
  File ours(ends[0]), theirs(ends[1]);
  const pid_t server = getpid();
  const pid_t process = fork();
  if (process < 0) return SystemError("fork", options_.path);
  if (process == 0) {
    EndWithParent(server);
    ours.Close();
    // Close what only the server uses.
    options_.listening.Close();
    clients_.clear();
    workers_.clear();
    known_->Clear();
    signals_.Close();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGINT, SIG_IGN);  // Ctrl-C ends the server, and the worker ends with it.
    // The pages that the worker will write to are copied now, and not while a client waits.
    if (!is_needed_now) {
      (void)WarmUp();
      GetHeapReady();
      // The allocator keeps another thread's memory apart. The worker's next thread takes over the
      // memory of this one.
      std::thread(GetHeapReady).join();
    }
    absl::Status status = LimitWorker(options_.worker_memory);
    if (status.ok() && options_.confines) status = ConfineWorker();
    if (!status.ok() && !absl::IsUnimplemented(status)) {
      fprintf(stderr, "firstcall: a worker of the compile server: %s\n",
              std::string(status.message()).c_str());
      _exit(1);
    }
    WorkerOptions worker;
    worker.request_time = options_.request_time;
    worker.identity = compilers_.identity;
    worker.make = compilers_.make;
    worker.ready = compiler_.get();
    worker.ready_for = encoded_default_settings_;
    RunWorker(std::move(theirs), worker);
    _exit(0);
  }
  spare_ = &workers_.emplace_back();
  spare_->process = process;
  spare_->socket = std::move(ours);
  return absl::OkStatus();
}

void CompileServer::Accept() {
  while (true) {
    File socket(
        accept4(options_.listening.number(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket.is_open()) {
      // The client stays in the queue, so poll would report it again at once.
      if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
        next_accept_ = SteadyNow() + kPause;
      }
      return;
    }
    if (!IsOfThisUser(socket.number())) continue;
    DropIfTooManyAreSilent();
    Client& client = clients_.emplace_back();
    client.socket = std::move(socket);
    client.since = SteadyNow();
  }
}

// Drops a client that has sent nothing. A client whose packet was not read yet is kept.
void CompileServer::DropIfTooManyAreSilent() {
  const auto is_new = [](const Client& client) { return !client.has_spoken; };
  if (std::count_if(clients_.begin(), clients_.end(), is_new) < kMostSilentClients) return;
  const auto silent = std::find_if(clients_.begin(), clients_.end(), [&](const Client& client) {
    return is_new(client) && !WaitToRead(client.socket.number(), absl::ZeroDuration());
  });
  if (silent != clients_.end()) clients_.erase(silent);
}

std::string CompileServer::Greet(absl::string_view greeting) const {
  Decoder decoder(greeting);
  const uint32_t protocol = decoder.U32();
  const std::string version(decoder.String());
  const std::string identity(decoder.String());
  absl::Status status;
  if (!decoder.ok()) {
    status = absl::InvalidArgumentError("not a greeting");
  } else if (protocol != kRemoteProtocol || version != Version()) {
    status = absl::FailedPreconditionError(
        absl::StrCat("it is of version ", Version(), ", and this program of ", version));
  } else if (!identity.empty() && identity != compilers_.identity) {
    status = absl::FailedPreconditionError("it is of another build than this program");
  }
  Encoder answer;
  EncodeStatus(status, answer);
  if (status.ok()) answer.String(compilers_.identity);
  return std::move(answer).Take();
}

// A worker that has ended, but is not reaped yet, is not busy: its client may be requesting another
// one.
size_t CompileServer::CountBusy() const {
  return static_cast<size_t>(
      std::count_if(workers_.begin(), workers_.end(), [&](const Worker& worker) {
        return &worker != spare_ && worker.socket.is_open() && !IsClosed(worker.socket.number());
      }));
}

bool CompileServer::HandOver(Client& client, Packet packet) {
  const absl::string_view greeting = absl::string_view(packet.bytes).substr(1);
  const std::string answer = Greet(greeting);
  if (answer[0] != 0) {
    (void)SendPacket(client.socket.number(), answer);
    return false;
  }
  Decoder decoder(greeting);
  decoder.U32();
  decoder.String();
  decoder.String();
  const absl::string_view name = decoder.String();
  if (!decoder.ok()) return false;
  if (!packet.files.empty()) client.modules_socket = std::move(packet.files[0]);
  packet.files.clear();
  absl::Status status;
  if (CountBusy() >= options_.most_workers || workers_.size() >= 2 * options_.most_workers + 1) {
    status = absl::ResourceExhaustedError(
        absl::StrCat("all its ", options_.most_workers, " workers are busy"));
  } else if (spare_ == nullptr) {
    status = StartSpare(/*is_needed_now=*/true);
  }
  const auto hand_to_spare = [&] {
    return SendPacket(spare_->socket.number(), decoder.rest(), {client.socket.number()});
  };
  if (status.ok() && !hand_to_spare().ok()) {
    // The spare worker has ended, and is not reaped yet; or it is ending.
    spare_->socket.Close();
    status = StartSpare(/*is_needed_now=*/true);
    if (status.ok()) status = hand_to_spare();
  }
  if (status.ok()) {
    spare_->settings = std::string(decoder.rest());
    spare_->client = std::string(name.substr(0, kClientNameSize));
    spare_->client_process = ProcessOf(client.socket.number());
    spare_->modules_socket = std::move(client.modules_socket);
    makers_.NoteWorker(spare_->client);
    spare_ = nullptr;
    next_spare_ = SteadyNow() + kRest;
    ++served_.clients;
  }
  if (!status.ok()) {
    Encoder refusal;
    EncodeStatus(status, refusal);
    (void)SendPacket(client.socket.number(), refusal.bytes());
  }
  return false;
}

bool CompileServer::Find(int socket, absl::string_view key) {
  const KnownModules::Pack* const pack = known_->Find(key);
  if (pack == nullptr) return SendPacket(socket, absl::string_view("\0", 1)).ok();
  ++served_.packs;
  return SendPacket(socket, "\1", {pack->file.number()}).ok();
}

bool CompileServer::BeginToWait(Client& client, absl::string_view question) {
  Decoder decoder(question);
  const absl::Duration patience = absl::Milliseconds(decoder.U32());
  const absl::string_view name = decoder.String();
  const absl::string_view key = decoder.rest();
  if (!decoder.ok() || key.size() != kKeySize) return false;
  client.name = std::string(name.substr(0, kClientNameSize));
  client.waits_for = std::string(key);
  client.waits_until = SteadyNow() + patience;
  client.would_make_it = patience > absl::ZeroDuration();
  return true;
}

bool CompileServer::AnswerIfItNeedNotWait(Client& client) {
  const absl::Duration now = SteadyNow();
  const bool is_known = known_->Has(client.waits_for);
  if (!is_known) {
    if (now < client.waits_until && !makers_.HasRoom(client.waits_for, now)) return true;
    if (client.would_make_it) makers_.Add(client.waits_for, client.name, now);
  }
  const std::string key = std::exchange(client.waits_for, "");
  return Find(client.socket.number(), key);
}

bool CompileServer::Hear(Client& client) {
  absl::StatusOr<Packet> packet = ReceivePacket(client.socket.number(), absl::ZeroDuration());
  if (absl::IsDeadlineExceeded(packet.status())) return true;
  if (!packet.ok()) return false;
  client.has_spoken = true;
  const absl::string_view body = absl::string_view(packet->bytes).substr(1);
  switch (static_cast<ServerMessage>(packet->bytes[0])) {
    case ServerMessage::kCompile:
      return HandOver(client, *std::move(packet));
    case ServerMessage::kIdentify:
      return SendPacket(client.socket.number(), Greet(body)).ok();
    case ServerMessage::kFind:
      return BeginToWait(client, body);
    case ServerMessage::kStatus:
      return SendPacket(client.socket.number(), StatusText()).ok();
    default:
      return false;
  }
}

bool CompileServer::HearWorker(Worker& worker) {
  for (int i = 0; i < kPacketsAtOnce; ++i) {
    const absl::StatusOr<Packet> packet =
        ReceivePacket(worker.socket.number(), absl::ZeroDuration());
    if (absl::IsDeadlineExceeded(packet.status())) return true;
    if (absl::IsOutOfRange(packet.status())) {
      // The worker is about to end; Reap does the rest.
      worker.socket.Close();
      worker.ends_by = std::min(worker.ends_by, SteadyNow() + options_.time_to_end);
      return true;
    }
    if (!packet.ok() || !AnswerWorker(worker, *packet)) return false;
  }
  return true;
}

bool CompileServer::AnswerWorker(Worker& worker, const Packet& packet) {
  HearOfModules(worker);
  const absl::string_view body = absl::string_view(packet.bytes).substr(1);
  switch (static_cast<ServerMessage>(packet.bytes[0])) {
    case ServerMessage::kRead:
      return SendPart(worker, body);
    case ServerMessage::kPublish:
      return BeginPack(worker, body);
    case ServerMessage::kPart:
      return AddPart(worker, body);
    default:
      return false;
  }
}

// A client announces a module before its worker gets the module. So if the announcements are read
// first, all modules that the worker's packets name are known.
void CompileServer::HearOfModules(Worker& worker) const {
  for (int i = 0; i < kModulesAtOnce && worker.modules_socket.is_open(); ++i) {
    const absl::StatusOr<Packet> packet =
        ReceivePacket(worker.modules_socket.number(), absl::ZeroDuration());
    if (absl::IsDeadlineExceeded(packet.status())) return;
    if (!packet.ok() || packet->bytes.size() != 1 + kDigestSize ||
        packet->bytes[0] != static_cast<char>(ServerMessage::kHasModule)) {
      // The client has ended, or has given up this worker.
      worker.modules_socket.Close();
      worker.ends_by = std::min(worker.ends_by, SteadyNow() + options_.time_to_end);
      return;
    }
    worker.modules.Add(absl::string_view(packet->bytes).substr(1));
  }
}

bool CompileServer::SendPart(Worker& worker, absl::string_view question) {
  Decoder decoder(question);
  const uint64_t number = decoder.U64();
  const uint64_t offset = decoder.U64();
  const absl::string_view signature = decoder.rest();
  if (!decoder.ok()) return false;
  const KnownModules::Pack* const pack =
      worker.modules.Has(signature) ? known_->Find(PackKey(worker.settings, signature)) : nullptr;
  Encoder answer;
  // The first question names the pack that the worker does not need; later questions name the pack
  // of which it has got a part.
  const bool is_named = pack != nullptr && pack->number == number;
  if (pack == nullptr || is_named == (offset == 0) || offset >= pack->size) {
    answer.U64(0);
  } else {
    std::string bytes(std::min<uint64_t>(kPartSize, pack->size - offset), '\0');
    if (!ReadAt(pack->file.number(), offset, bytes.data(), bytes.size()).ok()) return false;
    answer.U64(pack->number);
    answer.U64(pack->size);
    answer.Raw(bytes);
  }
  return SendPacket(worker.socket.number(), answer.bytes()).ok();
}

bool CompileServer::BeginPack(Worker& worker, absl::string_view offer) {
  Decoder decoder(offer);
  const uint64_t size = decoder.U64();
  const absl::string_view signature = decoder.rest();
  if (!decoder.ok() || worker.incoming) return false;
  const bool may_publish = worker.modules.Publish(signature);
  const bool is_wanted = may_publish && size > 0 && known_->HasRoomFor(size);
  const std::string key = PackKey(worker.settings, signature);
  if (is_wanted) {
    IncomingPack& pack = worker.incoming.emplace();
    pack.key = key;
    pack.size = size;
    absl::StatusOr<SealedBytesWriter> bytes = SealedBytesWriter::Create();
    if (bytes.ok()) pack.bytes = *std::move(bytes);
  } else if (may_publish) {
    makers_.RemoveModule(key);  // There is nothing to wait for.
  }
  return SendPacket(worker.socket.number(), is_wanted ? "\1" : absl::string_view("\0", 1)).ok();
}

bool CompileServer::AddPart(Worker& worker, absl::string_view bytes) {
  if (!worker.incoming || bytes.size() > worker.incoming->size - worker.incoming->received) {
    return false;
  }
  IncomingPack& pack = *worker.incoming;
  pack.received += bytes.size();
  if (pack.bytes && !pack.bytes->Append(bytes).ok()) pack.bytes.reset();
  if (pack.received < pack.size) return true;
  Encoder answer;
  answer.U64(KeepPack(*std::exchange(worker.incoming, std::nullopt)));
  return SendPacket(worker.socket.number(), answer.bytes()).ok();
}

uint64_t CompileServer::KeepPack(IncomingPack pack) {
  makers_.RemoveModule(pack.key);
  if (!pack.bytes) return 0;
  absl::StatusOr<File> file = std::move(*pack.bytes).Seal();
  return file.ok() ? known_->Keep(pack.key, *std::move(file), pack.size) : 0;
}

void CompileServer::Reap() {
  int status = 0;
  for (pid_t ended; (ended = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) ++served_.failed_workers;
    for (auto worker = workers_.begin(); worker != workers_.end(); ++worker) {
      if (worker->process != ended) continue;
      // Read what the worker has sent before its end.
      while (HearWorker(*worker)) {
        if (!WaitToRead(worker->socket.number(), absl::ZeroDuration())) break;
      }
      if (spare_ == &*worker) {
        spare_ = nullptr;
        next_spare_ = SteadyNow() + kPause;
      }
      makers_.RemoveWorker(worker->client);
      workers_.erase(worker);
      break;
    }
  }
}

// A worker ends by itself when its client has ended, unless the worker was taken over or stopped.
bool CompileServer::EndLateWorkers() {
  const absl::Duration now = SteadyNow();
  bool will_end = false;
  for (Worker& worker : workers_) {
    if (worker.ends_by == absl::InfiniteDuration()) continue;
    if (now >= worker.ends_by) {
      kill(worker.process, SIGKILL);
      worker.ends_by = absl::InfiniteDuration();
    } else {
      will_end = true;
    }
  }
  return will_end;
}

size_t CompileServer::CountWaiting() const {
  return static_cast<size_t>(
      std::count_if(clients_.begin(), clients_.end(),
                    [](const Client& client) { return !client.waits_for.empty(); }));
}

std::string CompileServer::StatusText() const {
  std::string text = absl::StrCat(
      "pid ", getpid(), "\nversion ", Version(), "\nup for ",
      absl::ToInt64Seconds(SteadyNow() - served_.started), " s\nclients ",
      workers_.size() - (spare_ != nullptr ? 1 : 0), "\nclients so far ", served_.clients,
      "\nclients that wait ", CountWaiting(), "\nworkers ", workers_.size(),
      "\nworkers that failed ", served_.failed_workers, "\nmodules known ", known_->count(),
      "\nbytes known ", known_->bytes(), "\nmodules given ", served_.packs, "\n");
  for (const Worker& worker : workers_) {
    absl::StrAppend(&text, "worker ", worker.process,
                    &worker == spare_ ? std::string(" waits")
                    : worker.client_process == 0
                        ? std::string(" of a client in another container")
                        : absl::StrCat(" of client ", worker.client_process),
                    "\n");
  }
  return text.substr(0, kLargestPacket);
}

absl::Status CompileServer::Run() {
  while (true) {
    const bool may_start = SteadyNow() >= next_spare_;
    if (spare_ == nullptr && workers_.size() < options_.most_workers && may_start &&
        !StartSpare(/*is_needed_now=*/false).ok()) {
      next_spare_ = SteadyNow() + kPause;
    }
    const bool may_accept = SteadyNow() >= next_accept_;
    std::vector<pollfd> events = {{may_accept ? options_.listening.number() : -1, POLLIN, 0},
                                  {signals_.number(), POLLIN, 0}};
    for (const Client& client : clients_) events.push_back({client.socket.number(), POLLIN, 0});
    const size_t first_worker = events.size();
    for (const Worker& worker : workers_) {
      events.push_back({worker.socket.number(), POLLIN, 0});
      events.push_back({worker.modules_socket.number(), POLLIN, 0});
    }
    const bool has_late_workers = EndLateWorkers();
    const int timeout = spare_ == nullptr || CountWaiting() > 0 || !may_accept ? 100
                        : clients_.empty() && !has_late_workers                ? -1
                                                                               : 1000;
    if (poll(events.data(), events.size(), timeout) < 0 && errno != EINTR) {
      return SystemError("poll", options_.path);
    }
    size_t i = 2;
    for (auto client = clients_.begin(); client != clients_.end() && i < first_worker; ++i) {
      const bool is_silent = !client->has_spoken && SteadyNow() - client->since > kSilence;
      bool stays = events[i].revents == 0 ? !is_silent : Hear(*client);
      if (stays && !client->waits_for.empty()) stays = AnswerIfItNeedNotWait(*client);
      client = stays ? std::next(client) : clients_.erase(client);
    }
    // A worker's last packets are read when the worker is reaped.
    i = first_worker;
    for (auto worker = workers_.begin(); worker != workers_.end() && i < events.size();
         ++worker, i += 2) {
      if (events[i + 1].revents != 0) HearOfModules(*worker);
      if ((events[i].revents & POLLIN) != 0 && !HearWorker(*worker)) {
        kill(worker->process, SIGKILL);
      }
    }
    if (events[1].revents != 0) {
      signalfd_siginfo info = {};
      while (read(signals_.number(), &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo != SIGCHLD) return absl::OkStatus();
      }
      Reap();
    }
    if (events[0].revents != 0) Accept();
  }
}

CompileServer::~CompileServer() {
  if (owns_path_) unlink(options_.path.c_str());
  for (const Worker& worker : workers_) kill(worker.process, SIGKILL);
  for (const Worker& worker : workers_) {
    while (waitpid(worker.process, nullptr, 0) < 0 && errno == EINTR) continue;
  }
}

}  // namespace firstcall
