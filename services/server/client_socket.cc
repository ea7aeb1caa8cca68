// The list is locked while the process forks, so that the child finds it whole.

#include "services/server/client_socket.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/forks.h"
#include "base/steady_clock.h"

namespace firstcall {

class ClientSockets {
 public:
  static ClientSockets& All() {
    static auto* const all = new ClientSockets;
    return *all;
  }

  void Add(ClientSocket* socket) {
    pthread_mutex_lock(&mutex_);
    socket->next_ = first_;
    if (first_ != nullptr) first_->previous_ = socket;
    first_ = socket;
    pthread_mutex_unlock(&mutex_);
  }

  void Remove(ClientSocket* socket) {
    pthread_mutex_lock(&mutex_);
    (socket->previous_ == nullptr ? first_ : socket->previous_->next_) = socket->next_;
    if (socket->next_ != nullptr) socket->next_->previous_ = socket->previous_;
    pthread_mutex_unlock(&mutex_);
  }

 private:
  ClientSockets() {
    AddForkHandlers({[] { pthread_mutex_lock(&All().mutex_); },
                     [] { pthread_mutex_unlock(&All().mutex_); },
                     [] {
                       All().CloseAll();
                       pthread_mutex_unlock(&All().mutex_);
                     }});
  }

  void CloseAll() {
    for (ClientSocket* socket = first_; socket != nullptr; socket = socket->next_) {
      socket->file_.Close();
    }
  }

  // Not of Abseil: the child's only thread unlocks what another process's thread has locked.
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  ClientSocket* first_ = nullptr;
};

ClientSocket::ClientSocket(File file) : file_(std::move(file)) { ClientSockets::All().Add(this); }

ClientSocket::~ClientSocket() { ClientSockets::All().Remove(this); }

const KeptFile& ClientSocket::file() const {
  static const auto* const none = new KeptFile;
  return process_ == getpid() ? file_ : *none;
}

absl::StatusOr<std::unique_ptr<ClientSocket>> ClientSocket::Connect(const std::string& path,
                                                                    absl::Duration deadline) {
  const std::string where = absl::StrCat("connecting to the compile server '", path, "': ");
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path)) {
    return absl::UnavailableError(absl::StrCat(where, "the path is too long"));
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  File file(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!file.is_open()) return absl::UnavailableError(absl::StrCat(where, std::strerror(errno)));
  while (connect(file.number(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
         0) {
    // Its queue of connections is full.
    if (errno == EAGAIN && SteadyNow() < deadline) {
      usleep(2000);
      continue;
    }
    if (errno == EAGAIN) {
      return absl::DeadlineExceededError(absl::StrCat(where, "it takes no connections"));
    }
    return absl::UnavailableError(absl::StrCat(where, std::strerror(errno)));
  }
  ucred peer = {};
  socklen_t size = sizeof(peer);
  if (getsockopt(file.number(), SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0 ||
      peer.uid != geteuid()) {
    return absl::PermissionDeniedError(absl::StrCat(where, "it is another user's"));
  }
  return std::make_unique<ClientSocket>(std::move(file));
}

}  // namespace firstcall
