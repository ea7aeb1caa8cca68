// TLS over a socket that is connected, by OpenSSL, which is loaded for the first stream.
//
// Thread-compatible. Tested in tests/cache/shared_cache_test.cc.

#ifndef FIRSTCALL_CACHE_TLS_STREAM_H_
#define FIRSTCALL_CACHE_TLS_STREAM_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cache/openssl_library.h"
#include "cache/tls_identity.h"

namespace firstcall {

class TlsStream {
 public:
  // Makes sure that the server at the other end of `socket`, which must block, stay open and not
  // change its number while the stream is used, has a certificate for `host`, a name or an address.
  // Unavailable, with the reason, if that is not so, or if a file of `identity` cannot be used.
  // Blocks until the server has answered, or the socket's timeout is over; so do the others.
  static absl::StatusOr<std::unique_ptr<TlsStream>> Connect(int socket, const std::string& host,
                                                            const TlsIdentity& identity);
  // Says no farewell, and does not close the socket.
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  // Reads between one and `size` bytes, and returns how many. Unavailable, with the reason, if
  // nothing more comes.
  absl::StatusOr<size_t> Read(char* bytes, size_t size);

  // Writes all of `bytes`. Unavailable, with the reason, if that fails.
  absl::Status Write(absl::string_view bytes);

 private:
  explicit TlsStream(const openssl::Library* library) : openssl_(library) {}
  absl::Status Prepare(const TlsIdentity& identity);
  absl::Status Greet(int socket, const std::string& host);
  // Why the call that has returned `result` failed.
  absl::Status Failure(absl::string_view operation, int result);
  // What the server has said before it ended the connection; `otherwise` if that is nothing.
  absl::Status WhyNothingIsTaken(absl::Status otherwise);

  const openssl::Library* const openssl_;
  openssl::Context* context_ = nullptr;
  openssl::Connection* connection_ = nullptr;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_TLS_STREAM_H_
