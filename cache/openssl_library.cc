#include "cache/openssl_library.h"

#include <dlfcn.h>

#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace firstcall::openssl {
namespace {

// OPENSSL_INIT_NO_ATEXIT: at the process's exit OpenSSL frees what it has, unless it is told not
// to. A thread that was given up may still be in OpenSSL then.
constexpr uint64_t kNoFreeingAtExit = 0x00080000;

template <typename Function>
void Find(void* library, const char* name, Function*& function, absl::Status& status) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) {
    status.Update(absl::UnavailableError(absl::StrCat("OpenSSL has no function ", name)));
  }
}

absl::StatusOr<const Library*> LoadOnce() {
  // Functions of libcrypto are found through libssl, which needs it.
  void* const library = dlopen("libssl.so.3", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return absl::UnavailableError(absl::StrCat("OpenSSL cannot be loaded: ", dlerror()));
  }
  static Library functions;
  absl::Status status;
  int (*initialize)(uint64_t, const void*) = nullptr;
  Find(library, "OPENSSL_init_crypto", initialize, status);
  Find(library, "TLS_client_method", functions.client_method, status);
  Find(library, "SSL_CTX_new", functions.new_context, status);
  Find(library, "SSL_CTX_free", functions.free_context, status);
  Find(library, "SSL_CTX_ctrl", functions.context_control, status);
  Find(library, "SSL_CTX_set_default_verify_paths", functions.set_default_authorities, status);
  Find(library, "SSL_CTX_load_verify_locations", functions.load_authorities, status);
  Find(library, "SSL_CTX_use_certificate_chain_file", functions.use_certificates, status);
  Find(library, "SSL_CTX_use_PrivateKey_file", functions.use_key, status);
  Find(library, "SSL_CTX_set_verify", functions.set_verify, status);
  Find(library, "SSL_new", functions.new_connection, status);
  Find(library, "SSL_free", functions.free_connection, status);
  Find(library, "SSL_set_fd", functions.set_file, status);
  Find(library, "SSL_ctrl", functions.control, status);
  Find(library, "SSL_set1_host", functions.set_host, status);
  Find(library, "SSL_get0_param", functions.parameters, status);
  Find(library, "X509_VERIFY_PARAM_set1_ip_asc", functions.set_address, status);
  Find(library, "SSL_connect", functions.connect, status);
  Find(library, "SSL_read", functions.read, status);
  Find(library, "SSL_write", functions.write, status);
  Find(library, "SSL_get_error", functions.get_error, status);
  Find(library, "SSL_get_verify_result", functions.verify_result, status);
  Find(library, "X509_verify_cert_error_string", functions.verify_error, status);
  Find(library, "ERR_get_error", functions.next_error, status);
  Find(library, "ERR_error_string_n", functions.error_text, status);
  Find(library, "ERR_clear_error", functions.clear_errors, status);
  if (!status.ok()) return status;
  if (initialize(kNoFreeingAtExit, nullptr) != 1) {
    return absl::UnavailableError("OpenSSL cannot be initialized");
  }
  return &functions;
}

}  // namespace

absl::StatusOr<const Library*> Load() {
  static const auto* const loaded = new absl::StatusOr<const Library*>(LoadOnce());
  return *loaded;
}

}  // namespace firstcall::openssl
