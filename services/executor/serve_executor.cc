#include "services/executor/serve_executor.h"

#include <pthread.h>
#include <sys/socket.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/file.h"
#include "base/kept_file.h"
#include "base/message_stream.h"
#include "base/socket_stream.h"
#include "services/executor/executor_service.h"
#include "services/executor/shared_memory_executor.h"
#include "services/executor/socket_connection.h"

namespace firstcall {
namespace {

class Server {
 public:
  Server(int socket, SharedMemoryExecutor& executor) : socket_(File(socket)), executor_(executor) {}

  absl::Status Serve() {
    while (true) {
      absl::StatusOr<StreamMessage> request =
          ReceiveMessage(socket_, kLongestExecutorMessage, StreamPatience());
      if (!request.ok()) {
        // Threads that still send an answer, or wait for one, learn that the connection has ended.
        shutdown(socket_.number(), SHUT_RDWR);
        AwaitActions();
        if (absl::IsOutOfRange(request.status())) return absl::OkStatus();
        return request.status();
      }
      (void)answers_.load(std::memory_order_acquire);
      Request received = {request->tag, std::move(request->bytes)};
      if (!MayRunActions(received.bytes) || !AnswerOnThread(received)) Answer(received);
    }
  }

 private:
  struct Request {
    uint64_t number = 0;
    std::string bytes;
  };
  struct Job {
    Server* server;
    Request request;
  };

  // If an answer cannot be sent, it is dropped: receiving will fail, too.
  void Answer(const Request& request) ABSL_LOCKS_EXCLUDED(send_mutex_) {
    const std::string answer = AnswerExecutorRequest(executor_, request.bytes);
    answers_.fetch_add(1, std::memory_order_release);
    absl::MutexLock lock(&send_mutex_);
    (void)SendMessage(socket_, request.number, answer, kLongestExecutorMessage, StreamPatience());
  }

  // False if no thread can be started.
  bool AnswerOnThread(const Request& request) ABSL_LOCKS_EXCLUDED(mutex_) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    auto job = std::make_unique<Job>(Job{this, request});
    {
      absl::MutexLock lock(&mutex_);
      ++running_;
    }
    pthread_t thread;
    const bool is_started = pthread_create(&thread, &attributes, &Run, job.get()) == 0;
    pthread_attr_destroy(&attributes);
    if (is_started) {
      (void)job.release();
    } else {
      absl::MutexLock lock(&mutex_);
      --running_;
    }
    return is_started;
  }

  static void* Run(void* argument) {
    const std::unique_ptr<Job> job(static_cast<Job*>(argument));
    Server& server = *job->server;
    server.Answer(job->request);
    absl::MutexLock lock(&server.mutex_);
    --server.running_;
    return nullptr;
  }

  void AwaitActions() ABSL_LOCKS_EXCLUDED(mutex_) {
    const auto is_over = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) { return running_ == 0; };
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(&is_over));
  }

  const KeptFile socket_;
  SharedMemoryExecutor& executor_;
  // Grows before an answer is sent, and is read after each request. So what an action has done is
  // visible to the actions that are requested after its answer, also by the rules of C++, for which
  // a message through another process orders nothing.
  std::atomic<uint64_t> answers_{0};
  absl::Mutex send_mutex_;
  absl::Mutex mutex_;
  int running_ ABSL_GUARDED_BY(mutex_) = 0;  // Threads.
};

}  // namespace

absl::Status ServeExecutor(int socket, SharedMemoryExecutor& executor) {
  return Server(socket, executor).Serve();
}

absl::Status ServeExecutor(int socket) {
  SharedMemoryExecutor executor;
  return ServeExecutor(socket, executor);
}

}  // namespace firstcall
