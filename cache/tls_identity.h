// The files by which a client with TLS knows its server, and shows who it is itself. A plain value.

#ifndef FIRSTCALL_CACHE_TLS_IDENTITY_H_
#define FIRSTCALL_CACHE_TLS_IDENTITY_H_

#include <string>

namespace firstcall {

// All in PEM. All may be empty.
struct TlsIdentity {
  std::string ca_file;               // Empty: the system's authorities.
  std::string certificate_file;      // The client's.
  std::string certificate_key_file;  // Empty: the key is in certificate_file.
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_TLS_IDENTITY_H_
