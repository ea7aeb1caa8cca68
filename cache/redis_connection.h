// A connection to a Redis server that never blocks a caller beyond its timeout: hiredis works on a
// thread of its own, which is given up if the server does not answer in time.
//
// Thread-safe. Tested in tests/cache/redis_cache_test.cc.

#ifndef FIRSTCALL_CACHE_REDIS_CONNECTION_H_
#define FIRSTCALL_CACHE_REDIS_CONNECTION_H_

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/job_thread.h"
#include "cache/redis_address.h"

namespace firstcall {

class RedisConnection {
 public:
  using Command = std::vector<std::string>;  // A name and its arguments, which may be any bytes.

  // Redis's answer: a string, an integer or a status as text, nothing (nil), or a list of these.
  struct Reply {
    std::optional<std::string> text;
    std::vector<Reply> elements;
  };

  // The connection is made with the first commands.
  explicit RedisConnection(RedisAddress address);
  ~RedisConnection();
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  // Sends all commands at once and returns the answers in their order. DeadlineExceeded if they
  // have not arrived after `timeout`; Unavailable, with the reason, if the connection fails or the
  // server answers a command with an error. After either error the connection cannot be used any
  // more, nor can it be used in a forked child.
  absl::StatusOr<std::vector<Reply>> Run(std::vector<Command> commands, absl::Duration timeout);

 private:
  struct State;

  const std::shared_ptr<State> state_;  // Shared with the job that runs.
  std::atomic<bool> is_lost_{false};
  JobThread thread_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_REDIS_CONNECTION_H_
