// The isolated process's side of the conversation with its client: which thread may send, and which
// thread gets what arrives.
//
// The client waits for one thing at a time, so the conversation is a stack of levels. Its level is
// the number of callbacks that have been sent and have no result yet. Each message says its level:
//
//   level 0   request, by the client          -> the thread in Serve carries it out
//   level 1   callback, of any thread         -> the client
//   level 1   request, made by that callback  -> the thread that called back carries it out
//   level 1   callback's result               -> the thread that called back
//   level 0   answer to the first request     -> the client
//
// Thread-safe: any thread may call back at any time. Threads call back in the order in which they
// ask for it. A process that the code forks cannot take part: it ends, with status 1, when it tries
// to. Tested in tests/services/isolation/conversation_test.cc.

#ifndef FIRSTCALL_SERVICES_ISOLATION_CONVERSATION_H_
#define FIRSTCALL_SERVICES_ISOLATION_CONVERSATION_H_

#include <pthread.h>
#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "services/isolation/isolation_messages.h"
#include "services/isolation/message_channel.h"

namespace firstcall {

class Conversation {
 public:
  // Carries out a request and returns the bytes of its answer. May call back.
  using CarryOut = std::function<std::string(IsolationMessage kind, absl::string_view request)>;

  // Takes over the socket.
  Conversation(int socket, CarryOut carry_out);
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  // Carries out the client's requests on this thread. Returns when the client has closed the
  // socket, or sent what no client sends.
  void Serve() noexcept;

  // Sends a callback, carries out the requests that it makes, and returns its result's bytes. If
  // the client closes the socket, it does not return: the thread waits for the end of the process,
  // and a thread that is in Serve ends it. The thread cannot be cancelled meanwhile. Noexcept,
  // because the conversation cannot go on after half a message.
  std::string CallBack(absl::string_view callback) noexcept;

 private:
  struct Level {
    std::optional<Message> received;  // For this level's thread, which has not taken it yet.
    bool is_asked = false;            // The client waits for the answer to a request.
    bool is_answering = false;        // No callback may come before the answer.
  };

  std::optional<Message> Receive(size_t level);
  void Deliver(Message message) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool Answer(size_t level, const Message& request);
  bool Send(IsolationMessage kind, size_t level, absl::string_view bytes);
  std::optional<size_t> Open();
  std::optional<std::string> Talk(absl::string_view callback);
  void EndIfForked() const;

  const CarryOut carry_out_;
  const pid_t process_;
  pthread_t serving_thread_;  // Constant before the first request.
  // One thread at a time sends: the one that has opened the last level, or that answers in it. One
  // thread at a time receives: the one that has set is_receiving_.
  MessageChannel channel_;
  absl::Mutex mutex_;  // Not held while anything is sent or received.
  // The place of an element does not change while it exists.
  std::deque<Level> levels_ ABSL_GUARDED_BY(mutex_);
  bool is_receiving_ ABSL_GUARDED_BY(mutex_) = false;
  bool is_closed_ ABSL_GUARDED_BY(mutex_) = false;
  uint64_t next_turn_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t turn_ ABSL_GUARDED_BY(mutex_) = 0;  // Of the next thread that may call back.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_ISOLATION_CONVERSATION_H_
