// A certificate for servers on this machine's loopback, by an authority of its own, for tests.
//
// A plain value.

#ifndef FIRSTCALL_TESTS_TESTING_CERTIFICATE_H_
#define FIRSTCALL_TESTS_TESTING_CERTIFICATE_H_

#include <string>

namespace firstcall {

class Certificate {
 public:
  // Whether there is what makes one.
  static bool CanBeMade();

  // Makes one for localhost and 127.0.0.1, in files in `directory`. Fails the running test if that
  // is not possible.
  explicit Certificate(const std::string& directory);

  // PEM files. The first is the authority's certificate, the server's, and one for clients.
  const std::string& file() const { return file_; }
  const std::string& key_file() const { return key_file_; }

 private:
  std::string file_;
  std::string key_file_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_CERTIFICATE_H_
