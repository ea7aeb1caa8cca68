// Each request has a handle of libcurl's of its own, and requests that are sent together a multi
// handle, so between requests libcurl has no open files but the sockets of connections, which the
// handles share. The program may close these, and open files of its own under the same numbers; so
// they are kept files, and if one is gone, what libcurl knows of connections is not touched any
// more.

#include "cache/http_connection.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/cleanup/cleanup.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/keep_for_ever.h"
#include "base/kept_file.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "base/version.h"
#include "cache/curl_library.h"

namespace firstcall {
namespace {

constexpr size_t kStackBytes = 512 << 10;  // For TLS, and the look-up of names.
constexpr long kBufferBytes = 256 << 10;   // NOLINT: the library wants a long.
constexpr size_t kErrorBytes = 256;        // CURL_ERROR_SIZE
constexpr int kLongestWaitMilliseconds = 1000;

// The connections, which each request's handle shares. Belongs to one thread at a time.
struct Connections {
  explicit Connections(const curl::Library* library) : curl(library), share(curl->share_init()) {
    curl->share_setopt(share, curl::kShareOption, curl::kShareConnections);
  }
  ~Connections() { curl->share_cleanup(share); }
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  bool AreIntact() const {
    return std::all_of(sockets.begin(), sockets.end(),
                       [](const auto& entry) { return entry.second->number() >= 0; });
  }

  const curl::Library* const curl;
  curl::Share* const share;
  std::map<int, std::unique_ptr<KeptFile>> sockets;
};

int OpenSocket(void* connections, int /*purpose*/, curl::SocketAddress* address) {
  File opened(socket(address->family, address->type | SOCK_CLOEXEC, address->protocol));
  if (!opened.is_open()) return curl::kBadSocket;
  auto kept = std::make_unique<KeptFile>(std::move(opened));
  const int number = kept->number();
  static_cast<Connections*>(connections)->sockets[number] = std::move(kept);
  return number;
}

int CloseSocket(void* connections, int number) {
  static_cast<Connections*>(connections)->sockets.erase(number);
  return 0;
}

// One request, with what the functions that libcurl calls for it work on.
struct Exchange {
  Exchange(const curl::Library* library, const HttpRequest& sent_request)
      : curl(library), request(&sent_request), handle(curl->easy_init()) {}
  // The handle must not belong to a multi handle any more.
  ~Exchange() {
    curl->easy_cleanup(handle);
    curl->slist_free_all(headers);
  }
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  void AddHeader(const std::string& line) { headers = curl->slist_append(headers, line.c_str()); }

  const curl::Library* const curl;
  const HttpRequest* const request;
  curl::Handle* const handle;  // Null if there is no memory.
  curl::List* headers = nullptr;
  HttpAnswer answer;
  size_t sent = 0;
  bool is_too_large = false;
  std::optional<int> result;  // libcurl's, when the request has ended.
  char error[kErrorBytes] = "";
};

size_t TakeBody(const char* bytes, size_t size, size_t count, void* exchange) {
  auto* const self = static_cast<Exchange*>(exchange);
  size *= count;
  const int status = self->answer.status;
  if (self->request->stored != nullptr || status < 200 || status > 299) return size;
  if (size > self->request->most_bytes - self->answer.body.size()) {
    self->is_too_large = true;
    return 0;
  }
  self->answer.body.append(bytes, size);
  return size;
}

size_t TakeHeader(const char* bytes, size_t size, size_t count, void* exchange) {
  HttpAnswer& answer = static_cast<Exchange*>(exchange)->answer;
  const size_t most_bytes = static_cast<Exchange*>(exchange)->request->most_bytes;
  absl::string_view line(bytes, size * count);
  constexpr absl::string_view kEtag = "etag:";
  if (absl::StartsWith(line, "HTTP/")) {
    // Earlier answers were provisional.
    answer = HttpAnswer();
    const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
    if (words.size() < 2 || !absl::SimpleAtoi(words[1], &answer.status)) answer.status = 0;
  }
  constexpr absl::string_view kLength = "content-length:";
  if (absl::StartsWithIgnoreCase(line, kEtag)) {
    answer.etag = std::string(absl::StripAsciiWhitespace(line.substr(kEtag.size())));
  }
  size_t length = 0;
  if (absl::StartsWithIgnoreCase(line, kLength) &&
      absl::SimpleAtoi(line.substr(kLength.size()), &length) && length <= most_bytes) {
    answer.body.reserve(length);
  }
  return size * count;
}

size_t GiveBody(char* bytes, size_t size, size_t count, void* exchange) {
  auto* const self = static_cast<Exchange*>(exchange);
  const std::string& body = *self->request->stored;
  const size_t given = std::min(size * count, body.size() - self->sent);
  std::memcpy(bytes, body.data() + self->sent, given);
  self->sent += given;
  return given;
}

// A connection that the server has closed meanwhile is replaced, and the body sent again.
int SeekInBody(void* exchange, int64_t offset, int origin) {
  if (origin != SEEK_SET) return 1;
  static_cast<Exchange*>(exchange)->sent = static_cast<size_t>(offset);
  return 0;
}

}  // namespace

struct HttpConnection::State {
  State(HttpAddress where, HttpIdentity who)
      : address(std::move(where)), identity(std::move(who)) {}
  ~State() {
    if (connections != nullptr && !connections->AreIntact()) KeepForEver(std::move(connections));
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // For jobs: loads libcurl, and gives up connections whose sockets the program has closed.
  absl::Status Prepare() {
    if (connections == nullptr) {
      FIRSTCALL_ASSIGN_OR_RETURN(curl, curl::Load());
    } else if (connections->AreIntact()) {
      return absl::OkStatus();
    } else {
      KeepForEver(std::move(connections));
    }
    connections = std::make_shared<Connections>(curl);
    return absl::OkStatus();
  }

  std::vector<absl::StatusOr<HttpAnswer>> Ask(const std::vector<HttpRequest>& requests,
                                              absl::Duration timeout);
  // Sets the options that do not depend on the request.
  void Introduce(curl::Handle* handle) const;
  void Describe(Exchange& exchange) const;
  // Sends the requests of `exchanges`, and waits until all have ended or the time is over.
  absl::Status Perform(std::list<Exchange>& exchanges, absl::Duration timeout) const;

  const HttpAddress address;
  const HttpIdentity identity;
  // For jobs only.
  const curl::Library* curl = nullptr;
  std::shared_ptr<Connections> connections;
};

void HttpConnection::State::Introduce(curl::Handle* handle) const {
  const auto set = [&](int option, const std::string& value) {
    if (!value.empty()) curl->easy_setopt(handle, option, value.c_str());
  };
  set(curl::kUserName, address.user);
  set(curl::kPassword, address.password);
  set(curl::kCaInfo, identity.ca_file);
  set(curl::kSslCertificate, identity.certificate_file);
  set(curl::kSslKey, identity.certificate_key_file);
  set(curl::kUserAgent, absl::StrCat("firstcall/", Version()));
  if (!identity.netrc_file.empty()) {
    curl->easy_setopt(handle, curl::kNetrc, curl::kNetrcOptional);
    set(curl::kNetrcFile, identity.netrc_file);
  }
  curl->easy_setopt(handle, curl::kNoSignal, 1L);
  curl->easy_setopt(handle, curl::kProtocols, curl::kHttpAndHttps);
  curl->easy_setopt(handle, curl::kBufferSize, kBufferBytes);
  // With TLS, the first connection says whether the server has HTTP/2: the other requests wait for
  // that, instead of making connections of their own.
  if (absl::StartsWith(address.url, "https:")) curl->easy_setopt(handle, curl::kPipeWait, 1L);
  curl->easy_setopt(handle, curl::kShare, connections->share);
  curl->easy_setopt(handle, curl::kOpenSocketFunction, &OpenSocket);
  curl->easy_setopt(handle, curl::kOpenSocketData, connections.get());
  curl->easy_setopt(handle, curl::kCloseSocketFunction, &CloseSocket);
  curl->easy_setopt(handle, curl::kCloseSocketData, connections.get());
}

void HttpConnection::State::Describe(Exchange& exchange) const {
  curl::Handle* const handle = exchange.handle;
  const HttpRequest& request = *exchange.request;
  Introduce(handle);
  curl->easy_setopt(handle, curl::kUrl, absl::StrCat(address.url, "/", request.path).c_str());
  curl->easy_setopt(handle, curl::kErrorBuffer, exchange.error);
  curl->easy_setopt(handle, curl::kWriteFunction, &TakeBody);
  curl->easy_setopt(handle, curl::kWriteData, &exchange);
  curl->easy_setopt(handle, curl::kHeaderFunction, &TakeHeader);
  curl->easy_setopt(handle, curl::kHeaderData, &exchange);
  if (!identity.bearer_token.empty()) {
    exchange.AddHeader(absl::StrCat("Authorization: Bearer ", identity.bearer_token));
  }
  if (request.stored != nullptr) {
    curl->easy_setopt(handle, curl::kUpload, 1L);
    curl->easy_setopt(handle, curl::kReadFunction, &GiveBody);
    curl->easy_setopt(handle, curl::kReadData, &exchange);
    curl->easy_setopt(handle, curl::kSeekFunction, &SeekInBody);
    curl->easy_setopt(handle, curl::kSeekData, &exchange);
    curl->easy_setopt(handle, curl::kInFileSizeLarge, static_cast<int64_t>(request.stored->size()));
    exchange.AddHeader("Expect:");  // Does not wait for the server's permission.
    if (!request.etag.empty()) exchange.AddHeader(absl::StrCat("If-Match: ", request.etag));
    if (request.must_be_new) exchange.AddHeader("If-None-Match: *");
  } else if (!request.etag.empty()) {
    exchange.AddHeader(absl::StrCat("If-None-Match: ", request.etag));
  }
  if (request.range) {
    const std::string range = absl::StrCat(request.range->first, "-", request.range->second);
    curl->easy_setopt(handle, curl::kRange, range.c_str());
  }
  curl->easy_setopt(handle, curl::kHttpHeader, exchange.headers);
}

absl::Status HttpConnection::State::Perform(std::list<Exchange>& exchanges,
                                            absl::Duration timeout) const {
  const absl::Duration deadline = SteadyNow() + timeout;
  curl::Multi* const multi = curl->multi_init();
  if (multi == nullptr) return absl::UnavailableError("out of memory");
  absl::Cleanup clean_up = [&] {
    for (const Exchange& exchange : exchanges) curl->multi_remove_handle(multi, exchange.handle);
    curl->multi_cleanup(multi);
  };
  curl->multi_setopt(multi, curl::kMostOfAHost, static_cast<long>(kMostConnections));  // NOLINT
  curl->multi_setopt(multi, curl::kMostKept, static_cast<long>(kMostConnections));     // NOLINT
  for (Exchange& exchange : exchanges) {
    if (exchange.handle == nullptr) return absl::UnavailableError("out of memory");
    Describe(exchange);
    curl->multi_add_handle(multi, exchange.handle);
  }
  while (true) {
    int running = 0, left = 0;
    int result = curl->multi_perform(multi, &running);
    while (const curl::Message* const message = curl->multi_info_read(multi, &left)) {
      if (message->kind != curl::kDone) continue;
      for (Exchange& exchange : exchanges) {
        if (exchange.handle == message->handle) exchange.result = message->result;
      }
    }
    const absl::Duration time = deadline - SteadyNow();
    if (running == 0 || time <= absl::ZeroDuration()) return absl::OkStatus();
    const int64_t milliseconds =
        std::clamp<int64_t>(absl::ToInt64Milliseconds(time), 1, kLongestWaitMilliseconds);
    if (result == curl::kOk) {
      result = curl->multi_poll(multi, nullptr, 0, static_cast<int>(milliseconds), nullptr);
    }
    if (result != curl::kOk) return absl::UnavailableError(curl->multi_strerror(result));
  }
}

std::vector<absl::StatusOr<HttpAnswer>> HttpConnection::State::Ask(
    const std::vector<HttpRequest>& requests, absl::Duration timeout) {
  absl::Status status = Prepare();
  std::list<Exchange> exchanges;
  if (status.ok()) {
    for (const HttpRequest& request : requests) exchanges.emplace_back(curl, request);
    status = Perform(exchanges, timeout);
  }
  if (!status.ok()) return {requests.size(), status};
  std::vector<absl::StatusOr<HttpAnswer>> answers;
  for (Exchange& exchange : exchanges) {
    if (!exchange.result) {
      answers.emplace_back(absl::DeadlineExceededError("no answer in time"));
    } else if (exchange.is_too_large) {
      answers.emplace_back(absl::DataLossError(
          absl::StrCat("an answer has more than ", exchange.request->most_bytes, " bytes")));
    } else if (*exchange.result != curl::kOk) {
      answers.emplace_back(absl::UnavailableError(
          *exchange.error != '\0' ? exchange.error : curl->easy_strerror(*exchange.result)));
    } else {
      answers.emplace_back(std::move(exchange.answer));
    }
  }
  return answers;
}

HttpConnection::HttpConnection(HttpAddress address, HttpIdentity identity)
    : state_(std::make_shared<State>(std::move(address), std::move(identity))),
      thread_(kStackBytes) {}

HttpConnection::~HttpConnection() {
  // The connections are the parent's: a farewell would end them for the parent, too.
  if (thread_.is_forked()) KeepForEver(state_);
}

std::vector<absl::StatusOr<HttpAnswer>> HttpConnection::Ask(std::vector<HttpRequest> requests,
                                                            absl::Duration timeout) {
  const size_t count = requests.size();
  if (timeout <= absl::ZeroDuration()) {
    return {count, absl::DeadlineExceededError("no answer in time")};
  }
  auto answers = std::make_shared<std::vector<absl::StatusOr<HttpAnswer>>>();
  const absl::Status status = thread_.Run(
      [state = state_, answers, requests = std::move(requests), timeout] {
        *answers = state->Ask(requests, timeout);
        return absl::OkStatus();
      },
      timeout);
  if (!status.ok()) return {count, status};
  return std::move(*answers);
}

}  // namespace firstcall
