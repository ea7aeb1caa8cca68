#include "cache/curl_library.h"

#include <dlfcn.h>

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace firstcall::curl {
namespace {

// Debian has the library twice, with OpenSSL and with GnuTLS.
constexpr const char* kNames[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

constexpr long kGlobalDefault = 3;  // NOLINT: CURL_GLOBAL_DEFAULT is a long.

// OPENSSL_INIT_NO_ATEXIT: at the process's exit OpenSSL frees what it has, unless it is told not
// to. A thread that was given up may still be in OpenSSL then.
constexpr uint64_t kNoFreeingAtExit = 0x00080000;

template <typename Function>
void Find(void* library, const char* name, Function*& function, absl::Status& status) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  if (function == nullptr) {
    status.Update(absl::UnavailableError(absl::StrCat("libcurl has no function ", name)));
  }
}

absl::StatusOr<const Library*> LoadOnce() {
  void* library = nullptr;
  std::string reason;
  for (const char* name : kNames) {
    library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) break;
    if (reason.empty()) reason = dlerror();
  }
  if (library == nullptr) {
    return absl::UnavailableError(absl::StrCat("libcurl cannot be loaded: ", reason));
  }
  static Library functions;
  absl::Status status;
  int (*global_init)(long) = nullptr;  // NOLINT: the library's type.
  Find(library, "curl_global_init", global_init, status);
  Find(library, "curl_easy_init", functions.easy_init, status);
  Find(library, "curl_easy_setopt", functions.easy_setopt, status);
  Find(library, "curl_easy_cleanup", functions.easy_cleanup, status);
  Find(library, "curl_easy_strerror", functions.easy_strerror, status);
  Find(library, "curl_multi_init", functions.multi_init, status);
  Find(library, "curl_multi_setopt", functions.multi_setopt, status);
  Find(library, "curl_multi_add_handle", functions.multi_add_handle, status);
  Find(library, "curl_multi_remove_handle", functions.multi_remove_handle, status);
  Find(library, "curl_multi_perform", functions.multi_perform, status);
  Find(library, "curl_multi_poll", functions.multi_poll, status);
  Find(library, "curl_multi_info_read", functions.multi_info_read, status);
  Find(library, "curl_multi_cleanup", functions.multi_cleanup, status);
  Find(library, "curl_multi_strerror", functions.multi_strerror, status);
  Find(library, "curl_share_init", functions.share_init, status);
  Find(library, "curl_share_setopt", functions.share_setopt, status);
  Find(library, "curl_share_cleanup", functions.share_cleanup, status);
  Find(library, "curl_slist_append", functions.slist_append, status);
  Find(library, "curl_slist_free_all", functions.slist_free_all, status);
  if (!status.ok()) return status;
  // Looked for in the libraries that libcurl needs, too.
  auto* const init_openssl =
      reinterpret_cast<int (*)(uint64_t, const void*)>(dlsym(library, "OPENSSL_init_crypto"));
  if (init_openssl != nullptr) init_openssl(kNoFreeingAtExit, nullptr);
  if (global_init(kGlobalDefault) != kOk) {
    return absl::UnavailableError("libcurl cannot be initialized");
  }
  return &functions;
}

}  // namespace

absl::StatusOr<const Library*> Load() {
  static const auto* const loaded = new absl::StatusOr<const Library*>(LoadOnce());
  return *loaded;
}

}  // namespace firstcall::curl
