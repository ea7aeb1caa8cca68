// The modules that a client has announced to the compile server for its worker. The worker is not
// trusted: it may read and publish the packs of these modules only.
//
// Thread-compatible. Tested in tests/services/server/client_modules_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_CLIENT_MODULES_H_
#define FIRSTCALL_SERVICES_SERVER_CLIENT_MODULES_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace firstcall {

class ClientModules {
 public:
  // If a client adds more modules, the code of the further ones is made, but the server does not
  // keep that code.
  static constexpr size_t kMost = 65536;
  // One signature for near code, and one for far code. Everything else that a client puts into its
  // signatures is the same in all of them.
  static constexpr size_t kSignaturesOfAModule = 2;

  // `digest` is the digest of a module's contents (base/content_digest). Ignored if there are kMost
  // modules already.
  void Add(absl::string_view digest);

  // Whether `signature` (engine/signature) belongs to one of the modules.
  bool Has(absl::string_view signature) const;

  // Whether a pack may be published under `signature`: it belongs to one of the modules, and fewer
  // than kSignaturesOfAModule other signatures of that module were published. If so, the signature
  // counts as published from now on.
  bool Publish(absl::string_view signature);

 private:
  // The signatures under which packs were published, by the module's digest.
  std::map<std::string, std::vector<std::string>, std::less<>> published_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_CLIENT_MODULES_H_
