// Commands to a Redis server, or to the servers of a cluster, that never block a caller beyond a
// timeout: the connections are used on a thread of their own, which is given up if a server does
// not answer in time. A connection that the server, or the program, has closed since the last
// command is made again.
//
// A server of a cluster may answer that another server has a key (MOVED, ASK). That server gets the
// same user and password, and must have a certificate for its name, too, if there is TLS.
//
// Thread-safe. Tested in tests/cache/redis_cache_test.cc and tests/cache/server_faults_test.cc.

#ifndef FIRSTCALL_CACHE_REDIS_CONNECTION_H_
#define FIRSTCALL_CACHE_REDIS_CONNECTION_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/job_thread.h"
#include "cache/redis_address.h"
#include "cache/redis_protocol.h"
#include "cache/tls_identity.h"

namespace firstcall {

class RedisConnection {
 public:
  struct Question {
    RedisCommand command;
    std::string tag;  // The hash tag of the command's keys.
  };

  // A connection is made with the first command. `identity` is for an address with TLS. An answer
  // has at most `most_reply_bytes`.
  RedisConnection(RedisAddress address, TlsIdentity identity, size_t most_reply_bytes);
  ~RedisConnection();
  RedisConnection(const RedisConnection&) = delete;
  RedisConnection& operator=(const RedisConnection&) = delete;

  // Sends commands together, and returns their answers in the order of `questions`. They take as
  // many round trips as one command, if they are small and no server redirects them. A command may
  // reach the server twice, so it must do the same twice as once. Errors:
  //   DeadlineExceeded    there is no answer after `timeout`; nothing can be asked any more
  //   FailedPrecondition  the server answers with an error, which is the message
  //   DataLoss            the answer is too long
  //   Unavailable         with the reason: there is no connection, the server is not the one that
  //                       it should be, does not know the user, or ends the connection; or this is
  //                       a forked child
  std::vector<absl::StatusOr<RedisReply>> Run(std::vector<Question> questions,
                                              absl::Duration timeout);

 private:
  struct State;

  const std::shared_ptr<State> state_;  // Shared with the job that runs.
  JobThread thread_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_REDIS_CONNECTION_H_
