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
#include <vector>

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

constexpr size_t kBufferBytes = 64 << 10;

// Only makes the thread end at some time; the callers of Run have timeouts of their own.
constexpr struct timeval kSocketTimeout = {30, 0};

// A key that moves while it is asked for takes one or two redirections.
constexpr int kMostRedirections = 5;

// Commands are written together before their answers are read, if they have at most so many bytes.
// That is less than sockets buffer, so writing never waits for a server (or something between) that
// in turn waits until its answers are read. What is asked for has some 100 bytes each; what is
// stored is sent by itself.
constexpr size_t kMostBytesAtOnce = 8 << 10;

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

  // Sends a command.
  absl::Status Send(const RedisCommand& command) {
    FIRSTCALL_ASSIGN_OR_RETURN(const std::string bytes, EncodeRedisCommand(command));
    return Write(bytes);
  }

  // The answer to the first command that was sent and not answered yet. It may be an error.
  absl::StatusOr<RedisReply> Receive() {
    while (true) {
      FIRSTCALL_ASSIGN_OR_RETURN(std::optional<RedisReply> reply, reader_.Next());
      if (reply) return *std::move(reply);
      FIRSTCALL_ASSIGN_OR_RETURN(const size_t size, Read());
      FIRSTCALL_RETURN_IF_ERROR(reader_.Feed(absl::string_view(buffer_.data(), size)));
    }
  }

 private:
  Link(File socket, size_t most_reply_bytes)
      : socket_(std::move(socket)),
        // The beginning of the next answer may come with the end of one.
        reader_(most_reply_bytes + kBufferBytes),
        buffer_(kBufferBytes, '\0') {}

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
    FIRSTCALL_RETURN_IF_ERROR(Send(command));
    FIRSTCALL_ASSIGN_OR_RETURN(const RedisReply reply, Receive());
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

// A server: a host and a port.
using Place = std::pair<std::string, int>;

// A question on its way to an answer.
struct Pending {
  Pending(const RedisConnection::Question& asked, Place at)
      : question(&asked), place(std::move(at)) {}

  const RedisConnection::Question* question;
  Place place;
  bool is_redirected_once = false;  // See RedisRedirection::is_for_once.
  int redirections = 0;
  std::optional<absl::StatusOr<RedisReply>> answer;
};

// Questions that one server gets together.
struct Batch {
  std::vector<Pending*> questions;
  size_t bytes = 0;
  // Set when they are sent.
  Link* link = nullptr;
  bool is_new = false;  // The connection was made for them.
  absl::Status status;
};

size_t SizeOf(const RedisCommand& command) {
  size_t size = 0;
  for (const std::string& argument : command) size += argument.size();
  return size;
}

}  // namespace

struct RedisConnection::State {
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

  void Send(const Place& place, Batch& batch) {
    absl::StatusOr<Link*> link = LinkTo(place, batch.is_new);
    batch.status = link.status();
    if (!link.ok()) return;
    batch.link = *link;
    for (const Pending* pending : batch.questions) {
      if (pending->is_redirected_once) batch.status.Update(batch.link->Send({"ASKING"}));
      if (batch.status.ok()) batch.status = batch.link->Send(pending->question->command);
      if (!batch.status.ok()) return;
    }
  }

  // Takes the answers to what was sent. If the connection fails, and a new one may serve, the rest
  // of the questions remain without an answer.
  void Receive(const Place& place, Batch& batch) {
    size_t taken = 0;
    for (; batch.status.ok() && taken < batch.questions.size(); ++taken) {
      Pending& pending = *batch.questions[taken];
      absl::StatusOr<RedisReply> reply = RedisReply();
      if (pending.is_redirected_once) reply = batch.link->Receive();
      if (reply.ok()) reply = batch.link->Receive();
      if (absl::IsDataLoss(reply.status())) {
        // The others have done nothing wrong, but the rest of this answer is still to come.
        pending.answer = reply.status();
        links.erase(place);
        return;
      }
      if (!reply.ok()) {
        batch.status = reply.status();
        break;
      }
      Take(*std::move(reply), pending);
    }
    if (batch.status.ok()) return;
    links.erase(place);
    // The server may have closed a connection that was not used for some time.
    if (!batch.is_new && absl::IsUnavailable(batch.status)) return;
    for (; taken < batch.questions.size(); ++taken) batch.questions[taken]->answer = batch.status;
  }

  // Takes the answer of a server, which may be that another server is to be asked.
  void Take(RedisReply reply, Pending& pending) {
    if (!reply.is_error) {
      pending.answer = std::move(reply);
      return;
    }
    std::optional<RedisRedirection> other = RedisRedirection::Parse(*reply.text);
    if (!other) {
      pending.answer = absl::FailedPreconditionError(*reply.text);
      return;
    }
    if (++pending.redirections > kMostRedirections) {
      pending.answer = absl::UnavailableError("the servers of the cluster redirect too often");
      return;
    }
    if (!other->host.empty()) pending.place.first = std::move(other->host);
    pending.place.second = other->port;
    pending.is_redirected_once = other->is_for_once;
    if (!other->is_for_once) moved[pending.question->tag] = pending.place;
  }

  std::vector<absl::StatusOr<RedisReply>> Ask(const std::vector<Question>& questions) {
    std::vector<Pending> all;
    for (const Question& question : questions) {
      const auto known = moved.find(question.tag);
      all.emplace_back(question,
                       known != moved.end() ? known->second : Place(address.host, address.port));
    }
    while (true) {
      std::map<Place, Batch> batches;
      for (Pending& pending : all) {
        if (pending.answer) continue;
        Batch& batch = batches[pending.place];
        const size_t size = SizeOf(pending.question->command);
        if (!batch.questions.empty() && batch.bytes + size > kMostBytesAtOnce) continue;
        batch.questions.push_back(&pending);
        batch.bytes += size;
      }
      if (batches.empty()) break;
      for (auto& [place, batch] : batches) Send(place, batch);
      for (auto& [place, batch] : batches) Receive(place, batch);
    }
    std::vector<absl::StatusOr<RedisReply>> answers;
    for (Pending& pending : all) answers.push_back(*std::move(pending.answer));
    return answers;
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

std::vector<absl::StatusOr<RedisReply>> RedisConnection::Run(std::vector<Question> questions,
                                                             absl::Duration timeout) {
  const size_t count = questions.size();
  if (timeout <= absl::ZeroDuration()) {
    return {count, absl::DeadlineExceededError("no answer in time")};
  }
  auto answers = std::make_shared<std::vector<absl::StatusOr<RedisReply>>>();
  const absl::Status status = thread_.Run(
      [state = state_, answers, questions = std::move(questions)] {
        *answers = state->Ask(questions);
        return absl::OkStatus();
      },
      timeout);
  if (!status.ok()) return {count, status};
  return std::move(*answers);
}

}  // namespace firstcall
