// OpenSSL, which is loaded when a Redis server with TLS is first asked. A process that asks none
// maps nothing of it, and a build needs nothing of it: what is used here is a part of the binary
// interface of OpenSSL 3 (libssl.so.3), which stays the same until OpenSSL 4. The constants stand
// for those of OpenSSL's headers; tests/cache/openssl_library_test.cc compares their values.
//
// Immutable, therefore thread-safe.

#ifndef FIRSTCALL_CACHE_OPENSSL_LIBRARY_H_
#define FIRSTCALL_CACHE_OPENSSL_LIBRARY_H_

#include <cstddef>

#include "absl/status/statusor.h"

namespace firstcall::openssl {

// What the library calls SSL_METHOD, SSL_CTX, SSL and X509_VERIFY_PARAM.
struct Method;
struct Context;
struct Connection;
struct VerifyParameters;

// Commands of SSL_CTX_ctrl and SSL_ctrl, with their arguments.
inline constexpr int kSetHostName = 55;        // SSL_CTRL_SET_TLSEXT_HOSTNAME
inline constexpr long kHostName = 0;           // NOLINT: TLSEXT_NAMETYPE_host_name is a long.
inline constexpr int kSetLeastVersion = 123;   // SSL_CTRL_SET_MIN_PROTO_VERSION
inline constexpr long kTls12 = 0x0303;         // NOLINT: TLS1_2_VERSION
inline constexpr int kVerifyPeer = 1;          // SSL_VERIFY_PEER
inline constexpr int kPem = 1;                 // SSL_FILETYPE_PEM
inline constexpr long kVerified = 0;           // NOLINT: X509_V_OK
inline constexpr int kErrorOfSystem = 5;       // SSL_ERROR_SYSCALL
inline constexpr int kErrorEnd = 6;            // SSL_ERROR_ZERO_RETURN
inline constexpr int kErrorWouldBlock = 2;     // SSL_ERROR_WANT_READ
inline constexpr size_t kErrorTextSize = 256;  // What ERR_error_string_n needs.

struct Library {
  const Method* (*client_method)();
  Context* (*new_context)(const Method*);
  void (*free_context)(Context*);
  long (*context_control)(Context*, int, long, void*);  // NOLINT: the library's types.
  int (*set_default_authorities)(Context*);
  int (*load_authorities)(Context*, const char* file, const char* directory);
  int (*use_certificates)(Context*, const char* file);
  int (*use_key)(Context*, const char* file, int type);
  void (*set_verify)(Context*, int mode, void* callback);
  Connection* (*new_connection)(Context*);
  void (*free_connection)(Connection*);
  int (*set_file)(Connection*, int number);
  long (*control)(Connection*, int, long, void*);  // NOLINT: the library's types.
  int (*set_host)(Connection*, const char* name);
  VerifyParameters* (*parameters)(Connection*);
  int (*set_address)(VerifyParameters*, const char* address);
  int (*connect)(Connection*);
  int (*read)(Connection*, void* bytes, int size);
  int (*write)(Connection*, const void* bytes, int size);
  int (*get_error)(const Connection*, int result);
  long (*verify_result)(const Connection*);          // NOLINT: the library's type.
  const char* (*verify_error)(long);                 // NOLINT: the library's type.
  unsigned long (*next_error)();                     // NOLINT: the library's type.
  void (*error_text)(unsigned long, char*, size_t);  // NOLINT: the library's type.
  void (*clear_errors)();
};

// Loads the library, the first time that it is called. Returns what it returned then. Unavailable,
// with the dynamic linker's reason, if that fails. The library is never unloaded.
absl::StatusOr<const Library*> Load();

}  // namespace firstcall::openssl

#endif  // FIRSTCALL_CACHE_OPENSSL_LIBRARY_H_
