// The clients of a compile server whose workers are making code of modules that the server does not
// know yet. While enough clients do that for a module, further ones had better wait: they would use
// the same processors for the same work.
//
// A client is known by its name (remote/protocol.h). Times are of SteadyNow. Thread-compatible.
// Tested in tests/remote/makers_test.cc.

#ifndef FIRSTCALL_REMOTE_MAKERS_H_
#define FIRSTCALL_REMOTE_MAKERS_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace firstcall {

class Makers {
 public:
  // `most` clients make code of the same module at the same time: one for each processor.
  explicit Makers(size_t most) : most_(most) {}

  // Whether a client should begin with the module of this key (remote/object_pack).
  bool HasRoom(absl::string_view key, absl::Duration now);

  // `client`, which would make its code, was told that the module is not known. It counts for a
  // moment, and as long as it has a worker.
  void Add(absl::string_view key, absl::string_view client, absl::Duration now);

  // The module is known now.
  void RemoveModule(absl::string_view key);
  // `client` has got a worker, which it may use for any module; a worker of it has ended. It may
  // have several.
  void NoteWorker(absl::string_view client);
  void RemoveWorker(absl::string_view client);

  // The modules of which clients may be making code.
  size_t module_count() const { return makers_.size(); }

 private:
  struct Maker {
    std::string client;
    absl::Duration since;
  };

  // Removes those that got no worker. Few are left.
  void RemoveIdle(absl::Duration now);
  template <typename Predicate>
  void RemoveIf(Predicate is_removed);

  const size_t most_;
  std::map<std::string, std::vector<Maker>, std::less<>> makers_;  // By key; none is empty.
  std::map<std::string, int, std::less<>> workers_;  // How many each client has, unless none.
};

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_MAKERS_H_
