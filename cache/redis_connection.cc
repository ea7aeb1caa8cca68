#include "cache/redis_connection.h"

#include <hiredis/hiredis.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/keep_for_ever.h"
#include "base/kept_file.h"
#include "base/status.h"
#include "cache/tls_stream.h"

namespace firstcall {
namespace {

constexpr size_t kStackBytes = 512 << 10;  // For TLS, and the look-up of names.

// Only makes the thread end at some time; the callers of Run have timeouts of their own.
constexpr struct timeval kSocketTimeout = {30, 0};

// A key that moves while it is asked for takes one or two redirections.
constexpr int kMostRedirections = 5;

absl::Status SystemError(absl::string_view operation) {
  const int error = errno;
  if (error == EAGAIN) return absl::UnavailableError("no answer in time");
  return absl::UnavailableError(absl::StrCat(operation, ": ", std::strerror(error)));
}

// A connection to one server. Belongs to the job thread.
class Link {
 public:
  static absl::StatusOr<std::unique_ptr<Link>> Connect(const RedisAddress& address,
                                                       const TlsIdentity& identity,
                                                       size_t most_reply_bytes) {
    redisContext* const context =
        redisConnectWithTimeout(address.host.c_str(), address.port, kSocketTimeout);
    if (context == nullptr) return absl::UnavailableError("out of memory");
    File socket(context->fd);
    const absl::Status status =
        context->err == 0 ? absl::OkStatus() : absl::UnavailableError(context->errstr);
    redisSetTimeout(context, kSocketTimeout);
    context->fd = -1;  // Which is the Link's.
    redisFree(context);
    FIRSTCALL_RETURN_IF_ERROR(status);
    std::unique_ptr<Link> link(new Link(std::move(socket), most_reply_bytes));
    if (address.is_secure) {
      FIRSTCALL_ASSIGN_OR_RETURN(
          link->tls_, TlsStream::Connect(link->socket_.number(), address.host, identity));
    }
    FIRSTCALL_RETURN_IF_ERROR(link->LogIn(address));
    return link;
  }

  // Whether the program has closed the socket.
  bool IsGone() const { return socket_.number() < 0; }

  // Sends a command and returns the answer, which may be an error.
  absl::StatusOr<RedisReply> Exchange(const RedisCommand& command) {
    FIRSTCALL_ASSIGN_OR_RETURN(const std::string bytes, EncodeRedisCommand(command));
    FIRSTCALL_RETURN_IF_ERROR(Write(bytes));
    while (true) {
      FIRSTCALL_ASSIGN_OR_RETURN(std::optional<RedisReply> reply, reader_.Next());
      if (reply) return *std::move(reply);
      FIRSTCALL_ASSIGN_OR_RETURN(const size_t size, Read());
      FIRSTCALL_RETURN_IF_ERROR(reader_.Feed(absl::string_view(buffer_.data(), size)));
    }
  }

 private:
  Link(File socket, size_t most_reply_bytes)
      : socket_(std::move(socket)), reader_(most_reply_bytes), buffer_(64 << 10, '\0') {}

  absl::Status LogIn(const RedisAddress& address) {
    if (!address.password.empty()) {
      RedisCommand login = {"AUTH"};
      if (!address.user.empty()) login.push_back(address.user);
      login.push_back(address.password);
      FIRSTCALL_RETURN_IF_ERROR(Greet(login));
    }
    if (address.database == 0) return absl::OkStatus();
    return Greet({"SELECT", absl::StrCat(address.database)});
  }

  absl::Status Greet(const RedisCommand& command) {
    FIRSTCALL_ASSIGN_OR_RETURN(const RedisReply reply, Exchange(command));
    return reply.is_error ? absl::UnavailableError(*reply.text) : absl::OkStatus();
  }

  absl::Status Write(absl::string_view bytes) {
    if (tls_ != nullptr) return tls_->Write(bytes);
    while (!bytes.empty()) {
      const ssize_t size = send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (size < 0) return SystemError("writing");
      bytes.remove_prefix(size);
    }
    return absl::OkStatus();
  }

  // Into buffer_.
  absl::StatusOr<size_t> Read() {
    if (tls_ != nullptr) return tls_->Read(buffer_.data(), buffer_.size());
    const ssize_t size = recv(socket_.number(), buffer_.data(), buffer_.size(), 0);
    if (size < 0) return SystemError("reading");
    if (size == 0) return absl::UnavailableError("Server closed the connection");
    return static_cast<size_t>(size);
  }

  KeptFile socket_;
  std::unique_ptr<TlsStream> tls_;  // Null without TLS.
  RedisReplyReader reader_;
  std::string buffer_;
};

}  // namespace

struct RedisConnection::State {
  // A server: a host and a port.
  using Place = std::pair<std::string, int>;

  State(RedisAddress redis, TlsIdentity who, size_t most_bytes)
      : address(std::move(redis)), identity(std::move(who)), most_reply_bytes(most_bytes) {}

  // Makes a connection, unless there is one.
  absl::StatusOr<Link*> LinkTo(const Place& place, bool& is_new) {
    std::unique_ptr<Link>& link = links[place];
    if (link != nullptr && link->IsGone()) link = nullptr;
    is_new = link == nullptr;
    if (is_new) {
      RedisAddress at = address;
      std::tie(at.host, at.port) = place;
      FIRSTCALL_ASSIGN_OR_RETURN(link, Link::Connect(at, identity, most_reply_bytes));
    }
    return link.get();
  }

  // Sends a command to one server.
  absl::StatusOr<RedisReply> AskOne(const Place& place, const RedisCommand& command,
                                    bool is_redirected_once) {
    while (true) {
      bool is_new = false;
      FIRSTCALL_ASSIGN_OR_RETURN(Link* const link, LinkTo(place, is_new));
      absl::StatusOr<RedisReply> reply = RedisReply();
      if (is_redirected_once) reply = link->Exchange({"ASKING"});
      if (reply.ok()) reply = link->Exchange(command);
      if (reply.ok()) return reply;
      links.erase(place);  // The rest of an answer may still come.
      // The server may have closed a connection that was not used for some time.
      if (is_new || !absl::IsUnavailable(reply.status())) return reply;
    }
  }

  absl::StatusOr<RedisReply> Ask(const RedisCommand& command, const std::string& tag) {
    const auto known = moved.find(tag);
    Place place = known != moved.end() ? known->second : Place(address.host, address.port);
    bool is_redirected_once = false;
    for (int i = 0; i <= kMostRedirections; ++i) {
      FIRSTCALL_ASSIGN_OR_RETURN(RedisReply reply, AskOne(place, command, is_redirected_once));
      if (!reply.is_error) return reply;
      std::optional<RedisRedirection> other = RedisRedirection::Parse(*reply.text);
      if (!other) return absl::FailedPreconditionError(*reply.text);
      place = {other->host.empty() ? place.first : std::move(other->host), other->port};
      is_redirected_once = other->is_for_once;
      if (!is_redirected_once) moved[tag] = place;
    }
    return absl::UnavailableError("the servers of the cluster redirect too often");
  }

  const RedisAddress address;
  const TlsIdentity identity;
  const size_t most_reply_bytes;
  // For jobs only.
  std::map<Place, std::unique_ptr<Link>> links;
  std::map<std::string, Place> moved;  // The servers that have said that they have a tag's keys.
};

RedisConnection::RedisConnection(RedisAddress address, TlsIdentity identity,
                                 size_t most_reply_bytes)
    : state_(std::make_shared<State>(std::move(address), std::move(identity), most_reply_bytes)),
      thread_(kStackBytes) {}

RedisConnection::~RedisConnection() {
  // The parent may use the connections at this moment.
  if (thread_.is_forked()) KeepForEver(state_);
}

absl::StatusOr<RedisReply> RedisConnection::Run(RedisCommand command, std::string tag,
                                                absl::Duration timeout) {
  if (timeout <= absl::ZeroDuration()) return absl::DeadlineExceededError("no answer in time");
  auto reply = std::make_shared<RedisReply>();
  FIRSTCALL_RETURN_IF_ERROR(thread_.Run(
      [state = state_, reply, command = std::move(command),
       tag = std::move(tag)]() -> absl::Status {
        FIRSTCALL_ASSIGN_OR_RETURN(*reply, state->Ask(command, tag));
        return absl::OkStatus();
      },
      timeout));
  return std::move(*reply);
}

}  // namespace firstcall
