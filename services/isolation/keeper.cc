// The control socket keeps the bounds of messages (SOCK_SEQPACKET), and each is sent by one call,
// so that threads need no lock to send one. The keeper is the only process that waits for the
// child: until it does, the child's number is not used again, and so only the keeper kills it.

#include "services/isolation/keeper.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/file.h"
#include "base/packets.h"
#include "base/status.h"
#include "base/steady_clock.h"

namespace firstcall {
namespace {

struct Command {
  enum class Kind : uint32_t { kStart, kKill, kMakeSpare };
  Kind kind = Kind::kStart;
  uint64_t child = 0;
};

// kStarted comes with a file that stands for the keeper's process, if the system has such files.
struct Report {
  enum class Kind : uint32_t { kStarted, kNotStarted, kEnded };
  Kind kind = Kind::kEnded;
  int64_t process = 0;  // Of kNotStarted: the system's error.
  ChildEnd end;
};

// A keeper that runs answers as soon as the system gets to it.
constexpr absl::Duration kTimeToAnswer = absl::Seconds(30);

absl::Status SystemError(absl::string_view operation) {
  return absl::InternalError(
      absl::StrCat("starting an isolated process: ", operation, ": ", std::strerror(errno)));
}

template <typename T>
absl::string_view BytesOf(const T& message) {
  return {reinterpret_cast<const char*>(&message), sizeof(message)};
}

// No value if none has come: the other side has ended, or the time is over.
template <typename T>
std::optional<T> MessageIn(const absl::StatusOr<Packet>& packet) {
  T message;
  if (!packet.ok() || packet->bytes.size() != sizeof(message)) return std::nullopt;
  std::memcpy(&message, packet->bytes.data(), sizeof(message));
  return message;
}

// A file that stands for this process, and becomes readable when it ends; -1 if the system has no
// such files. (The end of the control socket does not tell: other processes may have copies of it.)
int FileOfThisProcess() { return static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)); }

// The keeper's process.
class KeeperProcess {
 public:
  KeeperProcess(int control, int owner, uint64_t memory, const Keeper::Work& work,
                const sigset_t& mask)
      : control_(control), owner_(owner), memory_(memory), work_(work), childs_mask_(mask) {}

  [[noreturn]] void Run() {
    sigset_t child_ended;
    sigemptyset(&child_ended);
    sigaddset(&child_ended, SIGCHLD);
    child_ended_ = signalfd(-1, &child_ended, SFD_CLOEXEC | SFD_NONBLOCK);
    if (child_ended_ < 0) _exit(1);
    self_ = FileOfThisProcess();
    while (true) {
      pollfd files[] = {{control_, POLLIN, 0}, {child_ended_, POLLIN, 0}, {owner_, POLLIN, 0}};
      if (poll(files, 3, -1) < 0 && errno != EINTR) break;
      if (files[2].revents != 0) break;
      if (files[1].revents != 0) NoticeEnd();
      if (files[0].revents != 0 && !Obey()) break;
    }
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
    _exit(0);
  }

 private:
  void Tell(const Report& report) const { SendPacket(control_, BytesOf(report)).IgnoreError(); }

  // Of the child, or of a spare keeper.
  void NoticeEnd() {
    signalfd_siginfo ignored;
    while (read(child_ended_, &ignored, sizeof(ignored)) > 0) continue;
    int status = 0;
    while (const pid_t ended = waitpid(-1, &status, WNOHANG)) {
      if (ended < 0) return;
      if (ended != child_) continue;
      child_ = 0;
      Tell({Report::Kind::kEnded, 0, EndOf(status)});
    }
  }

  bool Obey() {
    absl::StatusOr<Packet> packet = ReceivePacket(control_, absl::InfiniteDuration());
    const std::optional<Command> command = MessageIn<Command>(packet);
    if (!command) return false;
    switch (command->kind) {
      case Command::Kind::kKill:
        if (child_ > 0 && command->child == number_) kill(child_, SIGKILL);
        break;
      case Command::Kind::kMakeSpare:
        if (!packet->files.empty()) MakeSpare(std::move(packet->files.front()));
        break;
      case Command::Kind::kStart:
        number_ = command->child;
        if (packet->files.empty()) {
          // The system drops a file that the keeper can have no number for.
          Tell({Report::Kind::kNotStarted, EMFILE, {}});
        } else {
          Start(packet->files.front().number());
        }
        break;
    }
    return true;
  }

  // If there can be none, the owner finds its socket closed.
  void MakeSpare(File control) {
    if (fork() != 0) return;
    close(control_);
    close(child_ended_);
    if (self_ >= 0) close(self_);
    control_ = control.Release();
    child_ = 0;
    Run();
  }

  void Start(int socket) {
    const pid_t keeper = getpid();
    child_ = fork();
    if (child_ < 0) {
      Tell({Report::Kind::kNotStarted, errno, {}});
      return;
    }
    if (child_ > 0) {
      const Report report = {Report::Kind::kStarted, child_, {}};
      SendPacket(control_, BytesOf(report), absl::MakeConstSpan(&self_, self_ >= 0 ? 1 : 0))
          .IgnoreError();
      return;
    }
    Work(socket, keeper);
  }

  // Noexcept: an exception would go on to the frames of the keeper's owner, of which this process
  // has a copy.
  [[noreturn]] void Work(int socket, pid_t keeper) const noexcept {
    close(control_);
    close(child_ended_);
    if (self_ >= 0) close(self_);
    if (owner_ >= 0) close(owner_);
    ChildLimits limits;
    limits.memory = memory_;
    SetUpChild(limits, keeper);
    pthread_sigmask(SIG_SETMASK, &childs_mask_, nullptr);
    work_(socket);
    std::fflush(nullptr);
    _exit(0);
  }

  int control_;
  const int owner_;
  const uint64_t memory_;
  const Keeper::Work& work_;
  const sigset_t childs_mask_;
  int child_ended_ = -1;
  int self_ = -1;
  pid_t child_ = 0;
  uint64_t number_ = 0;
};

// Forks twice: the keeper is not a child of this process, which may wait for any of its children.
absl::Status StartKeeper(int control, int others_control, uint64_t memory,
                         const Keeper::Work& work) {
  std::fflush(nullptr);  // Otherwise several processes would write what is in a buffer.
  const int owner = FileOfThisProcess();
  sigset_t all;
  sigset_t mask;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  const pid_t between = fork();
  if (between == 0) {
    const pid_t keeper = fork();
    if (keeper != 0) _exit(keeper < 0 ? 1 : 0);
    close(others_control);
    signal(SIGCHLD, SIG_DFL);  // If it were ignored, nobody could wait for the child.
    KeeperProcess(control, owner, memory, work, mask).Run();
  }
  const absl::Status status = between < 0 ? SystemError("fork") : absl::OkStatus();
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
  if (owner >= 0) close(owner);
  FIRSTCALL_RETURN_IF_ERROR(status);
  int ended = 0;
  pid_t waited = 0;
  do {
    waited = waitpid(between, &ended, 0);
  } while (waited < 0 && errno == EINTR);
  // Somebody else in this process may have waited for it.
  if (waited == between && ended != 0) {
    return absl::InternalError("starting an isolated process: fork fails");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Keeper>> Keeper::Create(uint64_t memory, Work work) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) {
    return SystemError("socketpair");
  }
  std::unique_ptr<Keeper> keeper(new Keeper(sockets[0]));
  const absl::Status started = StartKeeper(sockets[1], sockets[0], memory, work);
  close(sockets[1]);
  FIRSTCALL_RETURN_IF_ERROR(started);
  return keeper;
}

Keeper::Keeper(int control) : control_(control), owner_(getpid()) {}

// Keepers that were created later have copies of the sockets.
Keeper::~Keeper() {
  for (const int socket : {control_, spare_.number()}) {
    if (socket >= 0 && getpid() == owner_) shutdown(socket, SHUT_RDWR);
  }
  close(control_);
}

absl::StatusOr<Keeper::Child> Keeper::Start() {
  // The spare keeper exists before the child does.
  if (!spare_.is_open()) MakeSpare();
  absl::StatusOr<Child> child = AskForChild();
  if (!absl::IsUnavailable(child.status()) || !TakeSpare()) return child;
  MakeSpare();
  return AskForChild();
}

absl::StatusOr<Keeper::Child> Keeper::AskForChild() {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) < 0) {
    return SystemError("socketpair");
  }
  File ours(sockets[0]);
  const File childs(sockets[1]);
  const Command command = {Command::Kind::kStart, next_number_++};
  const absl::Duration deadline = SteadyNow() + kTimeToAnswer;
  const bool is_sent = SendPacket(control_, BytesOf(command), {childs.number()}).ok();
  absl::StatusOr<Packet> packet = Packet();
  std::optional<Report> report;
  do {
    if (is_sent) packet = ReceivePacket(control_, deadline);
    report = MessageIn<Report>(packet);
    // The end of an earlier child may come late.
  } while (report && report->kind == Report::Kind::kEnded);
  if (!report) {
    return absl::UnavailableError("starting an isolated process: its keeper was killed or stopped");
  }
  if (report->kind == Report::Kind::kNotStarted) {
    errno = static_cast<int>(report->process);
    return SystemError("fork");
  }
  if (!packet->files.empty()) keeper_ = std::move(packet->files.front());
  return Child{static_cast<pid_t>(report->process), ours.Release(), command.child};
}

void Keeper::MakeSpare() {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) return;
  spare_ = File(sockets[0]);
  const File spares(sockets[1]);
  SendPacket(control_, BytesOf(Command{Command::Kind::kMakeSpare}), {spares.number()})
      .IgnoreError();
}

// The number of the control socket stays: other threads use it.
bool Keeper::TakeSpare() {
  if (!spare_.is_open()) return false;
  Abandon();
  dup3(spare_.number(), control_, O_CLOEXEC);
  spare_.Close();
  return true;
}

void Keeper::Abandon() {
  if (keeper_.is_open()) {
    syscall(SYS_pidfd_send_signal, keeper_.number(), SIGKILL, nullptr, 0);
    keeper_.Close();
  }
}

// Not by SendPacket, whose status allocates memory.
void Keeper::Kill(uint64_t number) const {
  const Command command = {Command::Kind::kKill, number};
  while (send(control_, &command, sizeof(command), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
         errno == EINTR) {
  }
}

absl::StatusOr<ChildEnd> Keeper::WaitForEnd(absl::Duration deadline) {
  while (true) {
    const absl::StatusOr<Packet> packet = ReceivePacket(control_, deadline);
    if (absl::IsDeadlineExceeded(packet.status())) {
      return absl::DeadlineExceededError("the isolated process has not ended");
    }
    const std::optional<Report> report = MessageIn<Report>(packet);
    if (!report) return absl::UnavailableError("the keeper of the isolated process was killed");
    if (report->kind == Report::Kind::kEnded) return report->end;
  }
}

}  // namespace firstcall
