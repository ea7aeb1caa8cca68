#include "cache/tls_stream.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace firstcall {
namespace {

bool IsAddress(const std::string& host) {
  in6_addr address;
  return inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

// The reasons that OpenSSL has noted on this thread; empty if there are none.
std::string NotedReasons(const openssl::Library& openssl) {
  std::string reasons;
  // NOLINTNEXTLINE: the library's type.
  while (const unsigned long error = openssl.next_error()) {
    char text[openssl::kErrorTextSize] = "";
    openssl.error_text(error, text, sizeof(text));
    absl::StrAppend(&reasons, reasons.empty() ? "" : ", ", text);
  }
  return reasons;
}

absl::Status CannotUse(const openssl::Library& openssl, const std::string& file) {
  return absl::UnavailableError(
      absl::StrCat("TLS: cannot use '", file, "': ", NotedReasons(openssl)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<TlsStream>> TlsStream::Connect(int socket, const std::string& host,
                                                              const TlsIdentity& identity) {
  FIRSTCALL_ASSIGN_OR_RETURN(const openssl::Library* const library, openssl::Load());
  library->clear_errors();
  std::unique_ptr<TlsStream> stream(new TlsStream(library));
  FIRSTCALL_RETURN_IF_ERROR(stream->Prepare(identity));
  FIRSTCALL_RETURN_IF_ERROR(stream->Greet(socket, host));
  return stream;
}

TlsStream::~TlsStream() {
  if (connection_ != nullptr) openssl_->free_connection(connection_);
  if (context_ != nullptr) openssl_->free_context(context_);
}

absl::Status TlsStream::Prepare(const TlsIdentity& identity) {
  context_ = openssl_->new_context(openssl_->client_method());
  if (context_ == nullptr) return absl::UnavailableError("TLS: out of memory");
  openssl_->context_control(context_, openssl::kSetLeastVersion, openssl::kTls12, nullptr);
  openssl_->set_verify(context_, openssl::kVerifyPeer, nullptr);
  if (identity.ca_file.empty()) {
    openssl_->set_default_authorities(context_);
  } else if (openssl_->load_authorities(context_, identity.ca_file.c_str(), nullptr) != 1) {
    return CannotUse(*openssl_, identity.ca_file);
  }
  if (identity.certificate_file.empty()) return absl::OkStatus();
  if (openssl_->use_certificates(context_, identity.certificate_file.c_str()) != 1) {
    return CannotUse(*openssl_, identity.certificate_file);
  }
  const std::string& key = identity.certificate_key_file.empty() ? identity.certificate_file
                                                                 : identity.certificate_key_file;
  // Also compares the key with the certificate.
  if (openssl_->use_key(context_, key.c_str(), openssl::kPem) != 1) {
    return CannotUse(*openssl_, key);
  }
  return absl::OkStatus();
}

absl::Status TlsStream::Greet(int socket, const std::string& host) {
  connection_ = openssl_->new_connection(context_);
  if (connection_ == nullptr || openssl_->set_file(connection_, socket) != 1) {
    return absl::UnavailableError("TLS: out of memory");
  }
  // Without one of these, the certificate might be for any host.
  const bool is_set =
      IsAddress(host)
          ? openssl_->set_address(openssl_->parameters(connection_), host.c_str()) == 1
          : openssl_->set_host(connection_, host.c_str()) == 1 &&
                openssl_->control(connection_, openssl::kSetHostName, openssl::kHostName,
                                  const_cast<char*>(host.c_str())) == 1;
  if (!is_set) return absl::UnavailableError(absl::StrCat("TLS: '", host, "' is no host's name"));
  const int result = openssl_->connect(connection_);
  return result == 1 ? absl::OkStatus() : Failure("connecting", result);
}

absl::Status TlsStream::Failure(absl::string_view operation, int result) {
  const int system_error = errno;
  const int error = openssl_->get_error(connection_, result);
  const long verified = openssl_->verify_result(connection_);  // NOLINT: the library's type.
  std::string reason = NotedReasons(*openssl_);
  if (verified != openssl::kVerified) {
    reason = absl::StrCat("the server's certificate: ", openssl_->verify_error(verified));
  } else if (error == openssl::kErrorEnd) {
    reason = "the server closed the connection";
  } else if (error == openssl::kErrorWouldBlock) {
    reason = "no answer in time";
  } else if (reason.empty() && error == openssl::kErrorOfSystem && system_error != 0) {
    reason = std::strerror(system_error);  // NOLINT(concurrency-mt-unsafe): glibc's is safe.
  } else if (reason.empty()) {
    reason = "the connection ended";
  }
  return absl::UnavailableError(absl::StrCat("TLS: ", operation, ": ", reason));
}

// A server that refuses a client's certificate says so, and ends the connection: the client may
// notice the end first.
absl::Status TlsStream::WhyNothingIsTaken(absl::Status otherwise) {
  openssl_->clear_errors();
  char byte;
  if (openssl_->read(connection_, &byte, 1) > 0) return otherwise;
  const std::string reasons = NotedReasons(*openssl_);
  return reasons.empty() ? otherwise : absl::UnavailableError(absl::StrCat("TLS: ", reasons));
}

absl::StatusOr<size_t> TlsStream::Read(char* bytes, size_t size) {
  openssl_->clear_errors();
  errno = 0;
  const int result =
      openssl_->read(connection_, bytes, static_cast<int>(std::min<size_t>(size, INT_MAX)));
  if (result <= 0) return Failure("reading", result);
  return static_cast<size_t>(result);
}

absl::Status TlsStream::Write(absl::string_view bytes) {
  while (!bytes.empty()) {
    openssl_->clear_errors();
    errno = 0;
    const int size = static_cast<int>(std::min<size_t>(bytes.size(), INT_MAX));
    const int result = openssl_->write(connection_, bytes.data(), size);
    if (result <= 0) return WhyNothingIsTaken(Failure("writing", result));
    bytes.remove_prefix(result);
  }
  return absl::OkStatus();
}

}  // namespace firstcall
