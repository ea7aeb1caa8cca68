// What a Redis server and its client say to each other: commands and replies (RESP 2), through
// hiredis's writer and parser, without a connection.
//
// Thread-compatible. Tested in tests/cache/redis_protocol_test.cc.

#ifndef FIRSTCALL_CACHE_REDIS_PROTOCOL_H_
#define FIRSTCALL_CACHE_REDIS_PROTOCOL_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

struct redisReader;

namespace firstcall {

using RedisCommand = std::vector<std::string>;  // A name and its arguments, which may be any bytes.

// Redis's answer: a string, an integer or a status as text, nothing (nil), or a list of these.
struct RedisReply {
  std::optional<std::string> text;
  std::vector<RedisReply> elements;
  bool is_error = false;  // Then `text` is the server's reason.
};

// The bytes that a server gets. ResourceExhausted if there is no memory for them.
absl::StatusOr<std::string> EncodeRedisCommand(const RedisCommand& command);

// Makes replies of the bytes that come from a server.
class RedisReplyReader {
 public:
  // A list has at most so many elements: the commands that are used here have shorter answers.
  static constexpr int kMostElements = 100000;

  // A reply has at most `most_bytes`.
  explicit RedisReplyReader(size_t most_bytes);
  ~RedisReplyReader();
  RedisReplyReader(const RedisReplyReader&) = delete;
  RedisReplyReader& operator=(const RedisReplyReader&) = delete;

  // Takes the next bytes. DataLoss if the reply that they belong to is too long; Unavailable if
  // they are no reply. After an error nothing more can be read.
  absl::Status Feed(absl::string_view bytes);

  // The next reply, or nullopt if it is not complete yet. Unavailable if it is none.
  absl::StatusOr<std::optional<RedisReply>> Next();

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };

  const size_t most_bytes_;
  size_t bytes_ = 0;  // Of the current reply, and of those behind it that were fed with it.
  std::unique_ptr<redisReader, Free> reader_;
};

// The answer of a server of a cluster that does not have the key of a command.
struct RedisRedirection {
  std::string host;  // Of the server that has it. Empty: the same as that of the answering server.
  int port = 0;
  bool is_for_once = false;  // ASK: the command is to follow an ASKING; later ones go the old way.

  // Nullopt if `error` is another one.
  static std::optional<RedisRedirection> Parse(absl::string_view error);
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_REDIS_PROTOCOL_H_
