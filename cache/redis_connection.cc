#include "cache/redis_connection.h"

#include <hiredis/hiredis.h>

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/keep_for_ever.h"
#include "base/kept_file.h"
#include "base/status.h"

namespace firstcall {
namespace {

constexpr size_t kStackBytes = 256 << 10;  // For TLS.

using Command = RedisConnection::Command;
using Reply = RedisConnection::Reply;

struct FreeContext {
  // The socket is the Connection's.
  void operator()(redisContext* context) const {
    context->fd = -1;
    redisFree(context);
  }
};

struct Connection {
  explicit Connection(redisContext* connected) : context(connected), socket(File(connected->fd)) {}

  std::unique_ptr<redisContext, FreeContext> context;
  KeptFile socket;
};

Reply Convert(const redisReply& reply) {
  Reply converted;
  switch (reply.type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      converted.text.emplace(reply.str, reply.len);
      break;
    case REDIS_REPLY_INTEGER:
      converted.text = absl::StrCat(reply.integer);
      break;
    case REDIS_REPLY_ARRAY:
      for (size_t i = 0; i < reply.elements; ++i) {
        converted.elements.push_back(Convert(*reply.element[i]));
      }
      break;
    default:
      break;
  }
  return converted;
}

absl::StatusOr<std::vector<Reply>> Exchange(Connection& connection,
                                            const std::vector<Command>& commands) {
  redisContext& context = *connection.context;
  context.fd = connection.socket.number();
  for (const Command& command : commands) {
    std::vector<const char*> arguments;
    std::vector<size_t> sizes;
    for (const std::string& argument : command) {
      arguments.push_back(argument.data());
      sizes.push_back(argument.size());
    }
    redisAppendCommandArgv(&context, static_cast<int>(arguments.size()), arguments.data(),
                           sizes.data());
  }
  std::vector<Reply> replies;
  absl::Status refused;
  for (size_t i = 0; i < commands.size(); ++i) {
    void* received = nullptr;
    if (redisGetReply(&context, &received) != REDIS_OK) {
      return absl::UnavailableError(context.errstr);
    }
    auto* reply = static_cast<redisReply*>(received);
    if (reply->type == REDIS_REPLY_ERROR) {
      // Errors of later commands may only be consequences of this one.
      if (refused.ok()) {
        refused = absl::UnavailableError(absl::string_view(reply->str, reply->len));
      }
    } else {
      replies.push_back(Convert(*reply));
    }
    freeReplyObject(reply);
  }
  if (!refused.ok()) return refused;
  return replies;
}

absl::StatusOr<std::unique_ptr<Connection>> Connect(const RedisAddress& address) {
  // Only makes the thread end at some time; the callers of Run have timeouts of their own.
  const struct timeval timeout = {30, 0};
  redisContext* const connected =
      redisConnectWithTimeout(address.host.c_str(), address.port, timeout);
  if (connected == nullptr) return absl::UnavailableError("out of memory");
  auto connection = std::make_unique<Connection>(connected);
  if (connected->err != 0) return absl::UnavailableError(connected->errstr);
  connected->fd = connection->socket.number();  // Which the next line uses.
  redisSetTimeout(connected, timeout);
  std::vector<Command> greeting;
  if (!address.password.empty()) {
    Command login = {"AUTH"};
    if (!address.user.empty()) login.push_back(address.user);
    login.push_back(address.password);
    greeting.push_back(std::move(login));
  }
  greeting.push_back({"SELECT", absl::StrCat(address.database)});
  FIRSTCALL_RETURN_IF_ERROR(Exchange(*connection, greeting).status());
  return connection;
}

}  // namespace

struct RedisConnection::State {
  explicit State(RedisAddress redis) : address(std::move(redis)) {}

  const RedisAddress address;
  std::unique_ptr<Connection> connection;  // For jobs only. Null until the first one.
};

RedisConnection::RedisConnection(RedisAddress address)
    : state_(std::make_shared<State>(std::move(address))), thread_(kStackBytes) {}

RedisConnection::~RedisConnection() {
  // The parent may use the connection at this moment.
  if (thread_.is_forked()) KeepForEver(state_);
}

absl::StatusOr<std::vector<Reply>> RedisConnection::Run(std::vector<Command> commands,
                                                        absl::Duration timeout) {
  if (is_lost_) return absl::UnavailableError("the connection was given up");
  auto replies = std::make_shared<std::vector<Reply>>();
  const absl::Status status = thread_.Run(
      [state = state_, replies, commands = std::move(commands)]() -> absl::Status {
        if (state->connection == nullptr) {
          FIRSTCALL_ASSIGN_OR_RETURN(state->connection, Connect(state->address));
        }
        FIRSTCALL_ASSIGN_OR_RETURN(*replies, Exchange(*state->connection, commands));
        return absl::OkStatus();
      },
      timeout);
  if (status.ok()) return std::move(*replies);
  is_lost_ = true;
  return status;
}

}  // namespace firstcall
