// The modules of which a client has told the compile server that its worker gets them. The worker,
// which is not trusted, may read and publish packs of these modules only.
//
// Thread-compatible. Tested in tests/remote/client_modules_test.cc.

#ifndef FIRSTCALL_REMOTE_CLIENT_MODULES_H_
#define FIRSTCALL_REMOTE_CLIENT_MODULES_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace firstcall {

class ClientModules {
 public:
  // A client that adds more modules has the code of the others made, but not kept.
  static constexpr size_t kMost = 65536;
  // The code of a module's contents is near or far. What a client puts into its signatures is the
  // same for all of them.
  static constexpr size_t kSignaturesOfAModule = 2;

  // `digest` is of the contents of a module (base/content_digest).
  void Add(absl::string_view digest);

  // Whether `signature` (engine/signature) is of one of the modules.
  bool Has(absl::string_view signature) const;

  // The same, and whether not too many other signatures of this module were published. If so, the
  // signature counts as published from now on.
  bool Publish(absl::string_view signature);

 private:
  // The signatures under which packs were published, by the module's digest.
  std::map<std::string, std::vector<std::string>, std::less<>> published_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_CLIENT_MODULES_H_
