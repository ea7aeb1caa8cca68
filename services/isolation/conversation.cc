// Every thread that waits for a message may find that it is the one to receive: it then takes
// messages from the socket and delivers them, until one is its own. So nobody has to be woken to
// receive, and no thread gets what is meant for another one.

#include "services/isolation/conversation.h"

#include <unistd.h>

#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/no_cancellation.h"

namespace firstcall {

Conversation::Conversation(int socket, CarryOut carry_out)
    : carry_out_(std::move(carry_out)),
      process_(getpid()),
      serving_thread_(pthread_self()),
      channel_(socket),
      levels_(1) {}

void Conversation::Serve() noexcept {
  serving_thread_ = pthread_self();
  while (const std::optional<Message> request = Receive(/*level=*/0)) {
    if (!Answer(/*level=*/0, *request)) return;
  }
}

std::string Conversation::CallBack(absl::string_view callback) noexcept {
  const NoCancellation no_cancellation;  // Nobody would take the message that comes for it.
  EndIfForked();
  if (std::optional<std::string> result = Talk(callback)) return *std::move(result);
  if (pthread_equal(pthread_self(), serving_thread_) != 0) _exit(0);
  while (true) pause();
}

// No value if the conversation is over.
std::optional<std::string> Conversation::Talk(absl::string_view callback) {
  const std::optional<size_t> level = Open();
  if (!level || !Send(IsolationMessage::kCallback, *level, callback)) return std::nullopt;
  while (std::optional<Message> message = Receive(*level)) {
    if (KindOf(message->kind) == IsolationMessage::kCallbackResult) {
      const absl::MutexLock lock(&mutex_);
      levels_.pop_back();
      return std::move(message->bytes);
    }
    if (!Answer(*level, *message)) return std::nullopt;
  }
  return std::nullopt;
}

// Waits until this thread may call back, and opens a level for its callback.
std::optional<size_t> Conversation::Open() {
  const absl::MutexLock lock(&mutex_);
  const uint64_t turn = next_turn_++;
  const auto may_call_back = [this, turn]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    if (is_closed_) return true;
    // In a callback, the client receives nothing unless it has asked for something.
    const bool receives = levels_.size() == 1 || levels_.back().is_asked;
    return turn_ == turn && receives && !levels_.back().is_answering;
  };
  mutex_.Await(absl::Condition(&may_call_back));
  if (is_closed_) return std::nullopt;
  ++turn_;
  levels_.emplace_back();
  return levels_.size() - 1;
}

// The next message for the thread of this level; no value if the conversation is over.
std::optional<Message> Conversation::Receive(size_t level) {
  const absl::MutexLock lock(&mutex_);
  const auto is_due = [this, level]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    return levels_[level].received || is_closed_ || !is_receiving_;
  };
  while (true) {
    mutex_.Await(absl::Condition(&is_due));
    if (levels_[level].received) return std::exchange(levels_[level].received, std::nullopt);
    if (is_closed_) return std::nullopt;
    is_receiving_ = true;
    mutex_.Unlock();
    absl::StatusOr<Message> message = channel_.Receive(absl::InfiniteDuration());
    mutex_.Lock();
    is_receiving_ = false;
    if (message.ok()) {
      Deliver(*std::move(message));
    } else {
      is_closed_ = true;
    }
  }
}

void Conversation::Deliver(Message message) {
  const size_t number = LevelOf(message.kind);
  const bool is_result = KindOf(message.kind) == IsolationMessage::kCallbackResult;
  Level* const level = number < levels_.size() ? &levels_[number] : nullptr;
  if (level == nullptr || level->is_asked || level->received ||
      (is_result && (number == 0 || number + 1 != levels_.size()))) {
    is_closed_ = true;  // No client sends this.
    return;
  }
  level->is_asked = !is_result;
  level->received = std::move(message);
}

bool Conversation::Answer(size_t level, const Message& request) {
  const std::string answer = carry_out_(KindOf(request.kind), request.bytes);
  EndIfForked();
  {
    // The client waits for the answer only after the callbacks that have been sent.
    const absl::MutexLock lock(&mutex_);
    levels_[level].is_answering = true;
    const auto may_answer = [this, level]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
      return levels_.size() == level + 1 || is_closed_;
    };
    mutex_.Await(absl::Condition(&may_answer));
    if (is_closed_) return false;
    levels_[level].is_asked = false;  // The next request may come before Send returns.
  }
  const bool is_sent = Send(IsolationMessage::kAnswer, level, answer);
  const absl::MutexLock lock(&mutex_);
  levels_[level].is_answering = false;
  return is_sent;
}

bool Conversation::Send(IsolationMessage kind, size_t level, absl::string_view bytes) {
  return channel_.Send(MessageKind(kind, level), bytes, absl::InfiniteDuration()).ok();
}

// A copy of this process has the socket, but none of the threads that it would have to agree with.
void Conversation::EndIfForked() const {
  if (getpid() != process_) _exit(1);
}

}  // namespace firstcall
