// What cache/curl_library.h says of libcurl, against libcurl's own header.

#include "cache/curl_library.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>
#define HAS_CURL_HEADER 1
#endif

namespace firstcall::curl {
namespace {

TEST(CurlLibraryTest, NumbersAreThoseOfTheHeader) {
#ifdef HAS_CURL_HEADER
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  EXPECT_EQ(kWriteData, CURLOPT_WRITEDATA);
  EXPECT_EQ(kUrl, CURLOPT_URL);
  EXPECT_EQ(kRange, CURLOPT_RANGE);
  EXPECT_EQ(kReadData, CURLOPT_READDATA);
  EXPECT_EQ(kErrorBuffer, CURLOPT_ERRORBUFFER);
  EXPECT_EQ(kUserAgent, CURLOPT_USERAGENT);
  EXPECT_EQ(kHttpHeader, CURLOPT_HTTPHEADER);
  EXPECT_EQ(kSslCertificate, CURLOPT_SSLCERT);
  EXPECT_EQ(kHeaderData, CURLOPT_HEADERDATA);
  EXPECT_EQ(kUpload, CURLOPT_UPLOAD);
  EXPECT_EQ(kNetrc, CURLOPT_NETRC);
  EXPECT_EQ(kCaInfo, CURLOPT_CAINFO);
  EXPECT_EQ(kSslKey, CURLOPT_SSLKEY);
  EXPECT_EQ(kBufferSize, CURLOPT_BUFFERSIZE);
  EXPECT_EQ(kNoSignal, CURLOPT_NOSIGNAL);
  EXPECT_EQ(kShare, CURLOPT_SHARE);
  EXPECT_EQ(kNetrcFile, CURLOPT_NETRC_FILE);
  EXPECT_EQ(kOpenSocketData, CURLOPT_OPENSOCKETDATA);
  EXPECT_EQ(kSeekData, CURLOPT_SEEKDATA);
  EXPECT_EQ(kUserName, CURLOPT_USERNAME);
  EXPECT_EQ(kPassword, CURLOPT_PASSWORD);
  EXPECT_EQ(kProtocols, CURLOPT_PROTOCOLS);
  EXPECT_EQ(kCloseSocketData, CURLOPT_CLOSESOCKETDATA);
  EXPECT_EQ(kPipeWait, CURLOPT_PIPEWAIT);
  EXPECT_EQ(kWriteFunction, CURLOPT_WRITEFUNCTION);
  EXPECT_EQ(kReadFunction, CURLOPT_READFUNCTION);
  EXPECT_EQ(kHeaderFunction, CURLOPT_HEADERFUNCTION);
  EXPECT_EQ(kOpenSocketFunction, CURLOPT_OPENSOCKETFUNCTION);
  EXPECT_EQ(kSeekFunction, CURLOPT_SEEKFUNCTION);
  EXPECT_EQ(kCloseSocketFunction, CURLOPT_CLOSESOCKETFUNCTION);
  EXPECT_EQ(kInFileSizeLarge, CURLOPT_INFILESIZE_LARGE);
  EXPECT_EQ(kNetrcOptional, CURL_NETRC_OPTIONAL);
  EXPECT_EQ(kHttpAndHttps, CURLPROTO_HTTP | CURLPROTO_HTTPS);
  EXPECT_EQ(kBadSocket, CURL_SOCKET_BAD);
  EXPECT_EQ(kShareOption, CURLSHOPT_SHARE);
  EXPECT_EQ(kShareConnections, CURL_LOCK_DATA_CONNECT);
  EXPECT_EQ(kOk, CURLE_OK);
  EXPECT_EQ(kMostKept, CURLMOPT_MAXCONNECTS);
  EXPECT_EQ(kMostOfAHost, CURLMOPT_MAX_HOST_CONNECTIONS);
  EXPECT_EQ(kDone, CURLMSG_DONE);
  EXPECT_EQ(sizeof(Message), sizeof(CURLMsg));
  EXPECT_EQ(offsetof(Message, handle), offsetof(CURLMsg, easy_handle));
  EXPECT_EQ(offsetof(Message, result), offsetof(CURLMsg, data.result));
  EXPECT_EQ(sizeof(SocketAddress), sizeof(curl_sockaddr));
  EXPECT_EQ(offsetof(SocketAddress, size), offsetof(curl_sockaddr, addrlen));
  EXPECT_EQ(offsetof(SocketAddress, address), offsetof(curl_sockaddr, addr));
#else
  GTEST_SKIP() << "libcurl4-openssl-dev is not installed for this architecture";
#endif
}

TEST(CurlLibraryTest, IsLoadedOnce) {
  const absl::StatusOr<const Library*> library = Load();
  if (!library.ok()) GTEST_SKIP() << library.status();
  EXPECT_EQ(*Load(), *library);
  Handle* const handle = (*library)->easy_init();
  ASSERT_NE(handle, nullptr);
  EXPECT_EQ((*library)->easy_setopt(handle, kNoSignal, 1L), kOk);
  (*library)->easy_cleanup(handle);
}

}  // namespace
}  // namespace firstcall::curl
