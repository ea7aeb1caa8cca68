// What cache/openssl_library.h says of OpenSSL, against OpenSSL's own headers.

#include "cache/openssl_library.h"

#include <type_traits>

#include "gtest/gtest.h"

// The one of its headers that is there for each architecture.
#if __has_include(<openssl/opensslconf.h>)
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#define HAS_OPENSSL_HEADERS 1
#endif

namespace firstcall::openssl {
namespace {

#ifdef HAS_OPENSSL_HEADERS
// Whether two types of functions have the same number of parameters, of the same sizes.
template <typename Ours, typename Theirs>
struct IsAlike : std::false_type {};
template <typename R1, typename... A1, typename R2, typename... A2>
struct IsAlike<R1 (*)(A1...), R2 (*)(A2...)> {
  static constexpr bool SizesAreEqual() {
    if constexpr (sizeof...(A1) != sizeof...(A2)) {
      return false;
    } else {
      return ((sizeof(A1) == sizeof(A2)) && ...);
    }
  }
  static constexpr bool value = SizesAreEqual() && std::is_void_v<R1> == std::is_void_v<R2>;
};
#endif

TEST(OpensslLibraryTest, DeclarationsAreThoseOfTheHeaders) {
#ifdef HAS_OPENSSL_HEADERS
  EXPECT_EQ(kSetHostName, SSL_CTRL_SET_TLSEXT_HOSTNAME);
  EXPECT_EQ(kHostName, TLSEXT_NAMETYPE_host_name);
  EXPECT_EQ(kSetLeastVersion, SSL_CTRL_SET_MIN_PROTO_VERSION);
  EXPECT_EQ(kTls12, TLS1_2_VERSION);
  EXPECT_EQ(kVerifyPeer, SSL_VERIFY_PEER);
  EXPECT_EQ(kPem, SSL_FILETYPE_PEM);
  EXPECT_EQ(kVerified, X509_V_OK);
  EXPECT_EQ(kErrorOfSystem, SSL_ERROR_SYSCALL);
  EXPECT_EQ(kErrorEnd, SSL_ERROR_ZERO_RETURN);
  EXPECT_EQ(kErrorWouldBlock, SSL_ERROR_WANT_READ);
  EXPECT_TRUE((IsAlike<decltype(Library::client_method), decltype(&TLS_client_method)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::new_context), decltype(&SSL_CTX_new)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::free_context), decltype(&SSL_CTX_free)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::context_control), decltype(&SSL_CTX_ctrl)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::set_default_authorities),
                       decltype(&SSL_CTX_set_default_verify_paths)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::load_authorities),
                       decltype(&SSL_CTX_load_verify_locations)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::use_certificates),
                       decltype(&SSL_CTX_use_certificate_chain_file)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::use_key), decltype(&SSL_CTX_use_PrivateKey_file)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::set_verify), decltype(&SSL_CTX_set_verify)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::new_connection), decltype(&SSL_new)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::free_connection), decltype(&SSL_free)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::set_file), decltype(&SSL_set_fd)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::control), decltype(&SSL_ctrl)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::set_host), decltype(&SSL_set1_host)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::parameters), decltype(&SSL_get0_param)>::value));
  EXPECT_TRUE(
      (IsAlike<decltype(Library::set_address), decltype(&X509_VERIFY_PARAM_set1_ip_asc)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::connect), decltype(&SSL_connect)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::read), decltype(&SSL_read)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::write), decltype(&SSL_write)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::get_error), decltype(&SSL_get_error)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::verify_result), decltype(&SSL_get_verify_result)>::value));
  EXPECT_TRUE(
      (IsAlike<decltype(Library::verify_error), decltype(&X509_verify_cert_error_string)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::next_error), decltype(&ERR_get_error)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::error_text), decltype(&ERR_error_string_n)>::value));
  EXPECT_TRUE((IsAlike<decltype(Library::clear_errors), decltype(&ERR_clear_error)>::value));
#else
  GTEST_SKIP() << "libssl-dev is not installed for this architecture";
#endif
}

TEST(OpensslLibraryTest, IsLoadedOnce) {
  const absl::StatusOr<const Library*> library = Load();
  if (!library.ok()) GTEST_SKIP() << library.status();
  EXPECT_EQ(*Load(), *library);
  Context* const context = (*library)->new_context((*library)->client_method());
  ASSERT_NE(context, nullptr);
  (*library)->free_context(context);
}

}  // namespace
}  // namespace firstcall::openssl
