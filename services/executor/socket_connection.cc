#include "services/executor/socket_connection.h"

#include <sys/socket.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/message_stream.h"
#include "base/steady_clock.h"

namespace firstcall {

SocketConnection::SocketConnection(int socket, absl::Duration budget)
    : socket_(File(socket)), budget_(budget) {}

StreamPatience SocketConnection::Patience() const { return {SteadyNow() + budget_}; }

void SocketConnection::Lose(const absl::Status& reason) {
  if (!lost_.ok()) return;
  lost_ = absl::UnavailableError(
      absl::StrCat("code memory: the executing process is gone: ", reason.message()));
  // Wakes the receiving thread and the other side.
  shutdown(socket_.number(), SHUT_RDWR);
}

absl::StatusOr<std::string> SocketConnection::Call(absl::string_view request) {
  uint64_t number;
  {
    absl::MutexLock lock(&mutex_);
    if (!lost_.ok()) return lost_;
    number = next_number_++;
    waiting_.emplace(number, Answer());
  }
  absl::Status sent;
  {
    absl::MutexLock lock(&send_mutex_);
    sent = SendMessage(socket_, number, request, kLongestExecutorMessage, Patience());
  }
  if (!sent.ok()) {
    absl::MutexLock lock(&mutex_);
    waiting_.erase(number);
    if (absl::IsInvalidArgument(sent)) return sent;
    Lose(sent);
    return lost_;
  }
  return WaitFor(number);
}

absl::StatusOr<std::string> SocketConnection::WaitFor(uint64_t number) {
  absl::MutexLock lock(&mutex_);
  // The receiving thread continues until it has its own answer; then another waiting thread takes
  // over.
  const auto has_something_to_do = [this, number]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return waiting_[number].is_there || !lost_.ok() || !is_receiving_;
  };
  while (true) {
    mutex_.Await(absl::Condition(&has_something_to_do));
    if (waiting_[number].is_there || !lost_.ok()) break;
    ReceiveOne();
  }
  Answer answer = std::move(waiting_[number]);
  waiting_.erase(number);
  if (!answer.is_there) return lost_;
  return std::move(answer.bytes);
}

void SocketConnection::ReceiveOne() {
  is_receiving_ = true;
  mutex_.Unlock();
  absl::StatusOr<StreamMessage> message =
      ReceiveMessage(socket_, kLongestExecutorMessage, Patience());
  mutex_.Lock();
  is_receiving_ = false;
  if (!message.ok()) return Lose(message.status());
  auto found = waiting_.find(message->tag);
  if (found == waiting_.end()) return Lose(absl::InternalError("an answer that nobody waits for"));
  found->second = {true, std::move(message->bytes)};
}

}  // namespace firstcall
