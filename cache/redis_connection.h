// A connection to a Redis server that nobody has to wait for longer than they want: hiredis works
// on a thread of its own, which is left alone when it does not answer in time.
//
// Thread-safe.

#ifndef FIRSTCALL_CACHE_REDIS_CONNECTION_H_
#define FIRSTCALL_CACHE_REDIS_CONNECTION_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/redis_address.h"

namespace firstcall {

class RedisConnection {
 public:
  using Command = std::vector<std::string>;  // Its name and its arguments: any bytes.

  // What Redis answered: a string, an integer or a status as text, or nothing (nil), or a list of
  // these.
  struct Reply {
    std::optional<std::string> text;
    std::vector<Reply> elements;
  };

  // Connects with the first commands.
  explicit RedisConnection(RedisAddress address);
  ~RedisConnection();
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  // Sends all commands in one go and gives the answers in their order. DeadlineExceeded if they are
  // not there after `timeout`; Unavailable, with the reason, if the connection fails or the server
  // answers one with an error. Either way the connection is of no use from then on, and so it is in
  // a child that was forked.
  absl::StatusOr<std::vector<Reply>> Run(std::vector<Command> commands, absl::Duration timeout);

 private:
  struct Worker;

  const std::shared_ptr<Worker> worker_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_REDIS_CONNECTION_H_
