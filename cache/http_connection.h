// Requests to an HTTP server that never block a caller beyond a timeout: libcurl works on a thread
// of its own, which is given up if the server does not answer in time. HTTP/2 is used if a server
// with TLS offers it: then requests that are sent together share one connection. Otherwise they
// share up to kMostConnections. Connections are kept for the next requests, if the server keeps
// them. The environment's proxies (https_proxy, no_proxy) are used as by curl.
//
// Thread-safe. Tested in tests/cache/http_cache_test.cc and tests/cache/server_faults_test.cc.

#ifndef FIRSTCALL_CACHE_HTTP_CONNECTION_H_
#define FIRSTCALL_CACHE_HTTP_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "cache/http_address.h"
#include "cache/job_thread.h"
#include "cache/tls_identity.h"

namespace firstcall {

// Who this process is for the server, and how it knows the server. All may be empty.
struct HttpIdentity : TlsIdentity {
  std::string bearer_token;
  std::string netrc_file;  // Has the host's password, in the form of netrc(5).
};

struct HttpRequest {
  std::string path;  // Is put behind the address's URL.
  // Stored under that name, if it is not null; otherwise the request is a GET.
  std::shared_ptr<const std::string> stored;
  std::optional<std::pair<uint64_t, uint64_t>> range;  // The first and last byte that are wanted.
  // For a GET: the answer may be that the contents still have this ETag. For others: they are
  // stored only if the old contents have this ETag.
  std::string etag;
  bool must_be_new = false;  // Stored only if there are no contents yet.
  size_t most_bytes = 0;     // Of the answer to a GET.
};

struct HttpAnswer {
  int status = 0;    // Of HTTP: 200, for example.
  std::string etag;  // Empty: none.
  std::string body;  // Of an answer to a GET whose status is 200 to 299; otherwise empty.
};

class HttpConnection {
 public:
  HttpConnection(HttpAddress address, HttpIdentity identity);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  static constexpr int kMostConnections = 6;  // As many as browsers use.

  // Sends requests together and returns their answers, whatever the status, in the order of
  // `requests`. DeadlineExceeded if an answer is not complete after `timeout`; DataLoss if it has
  // more than the allowed bytes; Unavailable, with libcurl's reason, if there is no connection, the
  // server is not the one that it should be, or the answer ends too soon. Unavailable also in a
  // forked child, and after DeadlineExceeded.
  std::vector<absl::StatusOr<HttpAnswer>> Ask(std::vector<HttpRequest> requests,
                                              absl::Duration timeout);

 private:
  struct State;

  const std::shared_ptr<State> state_;  // Shared with the job that runs.
  JobThread thread_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_HTTP_CONNECTION_H_
