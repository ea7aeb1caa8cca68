#include "tests/testing/certificate.h"

#include <unistd.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace firstcall {
namespace {

constexpr char kOpenssl[] = "/usr/bin/openssl";

}  // namespace

bool Certificate::CanBeMade() { return access(kOpenssl, X_OK) == 0; }

Certificate::Certificate(const std::string& directory)
    : file_(directory + "/certificate.pem"), key_file_(directory + "/key.pem") {
  const std::string make = absl::StrCat(
      kOpenssl, " req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2",
      " -subj /CN=localhost -addext subjectAltName=DNS:localhost,IP:127.0.0.1 -keyout ", key_file_,
      " -out ", file_, " 2>/dev/null");
  EXPECT_EQ(std::system(make.c_str()), 0);
}

}  // namespace firstcall
