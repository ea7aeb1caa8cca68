// The worker is shared by its thread and the connection, so either may end first. The thread holds
// the mutex only to take a job and to store its result.

#include "cache/redis_connection.h"

#include <hiredis/hiredis.h>
#include <unistd.h>

#include <deque>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "base/file.h"
#include "base/kept_file.h"
#include "base/own_thread.h"
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

struct RedisConnection::Worker {
  struct Job {
    std::vector<Command> commands;
    absl::StatusOr<std::vector<Reply>> replies;
    bool is_done = false;
  };

  explicit Worker(RedisAddress redis) : address(std::move(redis)) {}

  // Runs until the connection is stopped.
  void Work() {
    const absl::StatusOr<std::unique_ptr<Connection>> connection = Connect(address);
    while (true) {
      std::shared_ptr<Job> job;
      {
        absl::MutexLock lock(&mutex);
        mutex.Await(absl::Condition(
            +[](Worker* self) ABSL_EXCLUSIVE_LOCKS_REQUIRED(self->mutex) {
              return self->is_stopped || !self->jobs.empty();
            },
            this));
        if (is_stopped) return;
        job = jobs.front();
        jobs.pop_front();
      }
      absl::StatusOr<std::vector<Reply>> replies = std::vector<Reply>();
      replies = connection.ok() ? Exchange(**connection, job->commands) : connection.status();
      absl::MutexLock lock(&mutex);
      job->replies = std::move(replies);
      job->is_done = true;
    }
  }

  const RedisAddress address;
  const pid_t process = getpid();
  absl::Mutex mutex;
  bool is_started ABSL_GUARDED_BY(mutex) = false;
  bool is_stopped ABSL_GUARDED_BY(mutex) = false;
  std::deque<std::shared_ptr<Job>> jobs ABSL_GUARDED_BY(mutex);
};

RedisConnection::RedisConnection(RedisAddress address)
    : worker_(std::make_shared<Worker>(std::move(address))) {}

RedisConnection::~RedisConnection() {
  if (getpid() != worker_->process) return;
  absl::MutexLock lock(&worker_->mutex);
  worker_->is_stopped = true;
}

absl::StatusOr<std::vector<Reply>> RedisConnection::Run(std::vector<Command> commands,
                                                        absl::Duration timeout) {
  if (getpid() != worker_->process) return absl::UnavailableError("the process was forked");
  auto job = std::make_shared<Worker::Job>();
  job->commands = std::move(commands);
  absl::MutexLock lock(&worker_->mutex);
  if (worker_->is_stopped) return absl::UnavailableError("the connection was given up");
  if (!worker_->is_started) {
    absl::StatusOr<std::unique_ptr<OwnThread>> thread =
        OwnThread::Start(kStackBytes, [worker = worker_] { worker->Work(); });
    if (!thread.ok()) return absl::UnavailableError(thread.status().message());
    (*thread)->Detach();
    worker_->is_started = true;
  }
  worker_->jobs.push_back(job);
  if (!worker_->mutex.AwaitWithTimeout(absl::Condition(&job->is_done), timeout)) {
    worker_->is_stopped = true;
    return absl::DeadlineExceededError("no answer in time");
  }
  if (!job->replies.ok()) worker_->is_stopped = true;
  return std::move(job->replies);
}

}  // namespace firstcall
