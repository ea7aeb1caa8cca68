#include "cache/redis_protocol.h"

#include <hiredis/hiredis.h>

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace firstcall {
namespace {

// What the parser makes. The elements of a list belong to the list, so only the outermost reply is
// freed.

// Puts `reply` where the task says. The parser keeps the result, and gives the outermost one to
// Next.
void* Place(const redisReadTask* task, RedisReply reply) {
  if (task->parent == nullptr) return new RedisReply(std::move(reply));
  RedisReply& element = static_cast<RedisReply*>(task->parent->obj)->elements[task->idx];
  element = std::move(reply);
  return &element;
}

void* MakeString(const redisReadTask* task, char* text, size_t size) {
  RedisReply reply;
  reply.text.emplace(text, size);
  reply.is_error = task->type == REDIS_REPLY_ERROR;
  return Place(task, std::move(reply));
}

// Null, which ends the parsing, if the list is too long.
void* MakeList(const redisReadTask* task, int count) {
  if (count < 0 || count > RedisReplyReader::kMostElements) return nullptr;
  RedisReply reply;
  reply.elements.resize(count);
  return Place(task, std::move(reply));
}

void* MakeInteger(const redisReadTask* task, long long value) {  // NOLINT: the library's type.
  RedisReply reply;
  reply.text = absl::StrCat(value);
  return Place(task, std::move(reply));
}

void* MakeNil(const redisReadTask* task) { return Place(task, RedisReply()); }

void FreeReply(void* reply) { delete static_cast<RedisReply*>(reply); }

redisReplyObjectFunctions functions = {&MakeString, &MakeList, &MakeInteger, &MakeNil, &FreeReply};

}  // namespace

absl::StatusOr<std::string> EncodeRedisCommand(const RedisCommand& command) {
  std::vector<const char*> arguments;
  std::vector<size_t> sizes;
  for (const std::string& argument : command) {
    arguments.push_back(argument.data());
    sizes.push_back(argument.size());
  }
  char* formatted = nullptr;
  const int size = redisFormatCommandArgv(&formatted, static_cast<int>(arguments.size()),
                                          arguments.data(), sizes.data());
  if (size < 0) return absl::ResourceExhaustedError("there is no memory for a command");
  std::string bytes(formatted, size);
  redisFreeCommand(formatted);
  return bytes;
}

void RedisReplyReader::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

RedisReplyReader::RedisReplyReader(size_t most_bytes)
    : most_bytes_(most_bytes), reader_(redisReaderCreateWithFunctions(&functions)) {}

RedisReplyReader::~RedisReplyReader() = default;

absl::Status RedisReplyReader::Feed(absl::string_view bytes) {
  if (reader_ == nullptr) return absl::UnavailableError("out of memory");
  bytes_ += bytes.size();
  if (bytes_ > most_bytes_) {
    return absl::DataLossError(absl::StrCat("an answer has more than ", most_bytes_, " bytes"));
  }
  if (redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) != REDIS_OK) {
    return absl::UnavailableError(reader_->errstr);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::optional<RedisReply>> RedisReplyReader::Next() {
  if (reader_ == nullptr) return absl::UnavailableError("out of memory");
  void* made = nullptr;
  if (redisReaderGetReply(reader_.get(), &made) != REDIS_OK) {
    return absl::UnavailableError(reader_->errstr);
  }
  if (made == nullptr) return std::nullopt;
  const std::unique_ptr<RedisReply> reply(static_cast<RedisReply*>(made));
  bytes_ = reader_->len - std::min(reader_->pos, reader_->len);
  return std::optional<RedisReply>(std::move(*reply));
}

std::optional<RedisRedirection> RedisRedirection::Parse(absl::string_view error) {
  RedisRedirection redirection;
  redirection.is_for_once = absl::ConsumePrefix(&error, "ASK ");
  if (!redirection.is_for_once && !absl::ConsumePrefix(&error, "MOVED ")) return std::nullopt;
  const std::vector<absl::string_view> words = absl::StrSplit(error, ' ');
  if (words.size() != 2) return std::nullopt;
  absl::string_view host = words[1];
  // The host may be an IPv6 address, whose colons have no brackets around them.
  const size_t colon = host.rfind(':');
  if (colon == absl::string_view::npos ||
      !absl::SimpleAtoi(host.substr(colon + 1), &redirection.port) || redirection.port < 1 ||
      redirection.port > 65535) {
    return std::nullopt;
  }
  redirection.host = std::string(host.substr(0, colon));
  return redirection;
}

}  // namespace firstcall
