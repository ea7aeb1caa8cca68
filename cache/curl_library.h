// libcurl, which is loaded when a server is first asked over HTTP. A process that asks none maps
// nothing of it, and a build needs nothing of it: what is used here is a part of libcurl's binary
// interface (libcurl.so.4), which has kept its numbers since 2006. A library of 2019 (7.66) or
// later has all of these functions. The constants stand for those of curl/curl.h and curl/multi.h;
// tests/cache/curl_library_test.cc compares their values with those headers'.
//
// Immutable, therefore thread-safe.

#ifndef FIRSTCALL_CACHE_CURL_LIBRARY_H_
#define FIRSTCALL_CACHE_CURL_LIBRARY_H_

#include <sys/socket.h>

#include "absl/status/statusor.h"

namespace firstcall::curl {

// What the library calls CURL, CURLM, CURLSH and struct curl_slist.
struct Handle;
struct Multi;
struct Share;
struct List;

// Where a connection is to go, as struct curl_sockaddr. The address is as long as `size` says.
struct SocketAddress {
  int family;
  int type;
  int protocol;
  unsigned size;
  sockaddr address;
};

// What a multi handle says of one of its handles, as struct CURLMsg.
struct Message {
  int kind;
  Handle* handle;
  union {
    void* other;
    int result;  // If the kind is kDone.
  };
};
inline constexpr int kDone = 1;

// Options of a handle. The kind of the argument follows from the number's thousands.
inline constexpr int kWriteData = 10001;
inline constexpr int kUrl = 10002;
inline constexpr int kRange = 10007;
inline constexpr int kReadData = 10009;
inline constexpr int kErrorBuffer = 10010;
inline constexpr int kUserAgent = 10018;
inline constexpr int kHttpHeader = 10023;
inline constexpr int kSslCertificate = 10025;
inline constexpr int kHeaderData = 10029;
inline constexpr int kUpload = 46;
inline constexpr int kNetrc = 51;
inline constexpr int kCaInfo = 10065;
inline constexpr int kSslKey = 10087;
inline constexpr int kBufferSize = 98;
inline constexpr int kNoSignal = 99;
inline constexpr int kShare = 10100;
inline constexpr int kNetrcFile = 10118;
inline constexpr int kOpenSocketData = 10164;
inline constexpr int kSeekData = 10168;
inline constexpr int kUserName = 10173;
inline constexpr int kPassword = 10174;
inline constexpr int kProtocols = 181;
inline constexpr int kCloseSocketData = 10209;
inline constexpr int kPipeWait = 237;
inline constexpr int kWriteFunction = 20011;
inline constexpr int kReadFunction = 20012;
inline constexpr int kHeaderFunction = 20079;
inline constexpr int kOpenSocketFunction = 20163;
inline constexpr int kSeekFunction = 20167;
inline constexpr int kCloseSocketFunction = 20208;
inline constexpr int kInFileSizeLarge = 30115;

// Values of options.
inline constexpr long kNetrcOptional = 1;  // NOLINT: the library wants a long.
inline constexpr long kHttpAndHttps = 3;   // NOLINT
inline constexpr int kBadSocket = -1;

// Options of a multi handle.
inline constexpr int kMostKept = 6;     // Connections that are kept: CURLMOPT_MAXCONNECTS.
inline constexpr int kMostOfAHost = 7;  // CURLMOPT_MAX_HOST_CONNECTIONS

// Options of a share, and what it shares.
inline constexpr int kShareOption = 1;
inline constexpr int kShareConnections = 5;

// Results. Zero is success.
inline constexpr int kOk = 0;

struct Library {
  Handle* (*easy_init)();
  int (*easy_setopt)(Handle*, int option, ...);
  void (*easy_cleanup)(Handle*);
  const char* (*easy_strerror)(int result);
  Multi* (*multi_init)();
  int (*multi_setopt)(Multi*, int option, ...);
  int (*multi_add_handle)(Multi*, Handle*);
  int (*multi_remove_handle)(Multi*, Handle*);
  int (*multi_perform)(Multi*, int* running);
  int (*multi_poll)(Multi*, void* files, unsigned file_count, int milliseconds, int* ready);
  Message* (*multi_info_read)(Multi*, int* left);
  int (*multi_cleanup)(Multi*);
  const char* (*multi_strerror)(int result);
  Share* (*share_init)();
  int (*share_setopt)(Share*, int option, ...);
  int (*share_cleanup)(Share*);
  List* (*slist_append)(List*, const char* text);
  void (*slist_free_all)(List*);
};

// Loads the library, the first time that it is called. Returns what it returned then. Unavailable,
// with the dynamic linker's reason, if that fails. The library is never unloaded.
absl::StatusOr<const Library*> Load();

}  // namespace firstcall::curl

#endif  // FIRSTCALL_CACHE_CURL_LIBRARY_H_
