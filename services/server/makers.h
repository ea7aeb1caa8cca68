// The makers: the clients of a compile server whose workers are making the code of modules that the
// server does not know yet. If a module has enough makers, further clients had better wait: they
// would use the same processors for the same work.
//
// A client is known by its name (services/server/protocol.h). Times are of SteadyNow.
// Thread-compatible. Tested in tests/services/server/makers_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_MAKERS_H_
#define FIRSTCALL_SERVICES_SERVER_MAKERS_H_

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
  // At most `most` clients make the code of one module at the same time: one for each processor.
  explicit Makers(size_t most) : most_(most) {}

  // Whether another client should begin to make the code of the module with this key
  // (services/server/object_pack).
  bool HasRoom(absl::string_view key, absl::Duration now);

  // To be called when `client`, which would make the module's code, is told that the module is not
  // known. The client counts as a maker for a second, and as long as it has a worker.
  void Add(absl::string_view key, absl::string_view client, absl::Duration now);

  // The module is known now, so it has no makers any more.
  void RemoveModule(absl::string_view key);
  // `client` has got a worker, which it may use for any module; or one of its workers has ended. A
  // client may have several workers.
  void NoteWorker(absl::string_view client);
  void RemoveWorker(absl::string_view client);

  // The number of modules that have makers.
  size_t module_count() const { return makers_.size(); }

 private:
  struct Maker {
    std::string client;
    absl::Duration since;
  };

  // Removes the makers that have got no worker in time. Few makers are left then.
  void RemoveIdle(absl::Duration now);
  template <typename Predicate>
  void RemoveIf(Predicate is_removed);

  const size_t most_;
  std::map<std::string, std::vector<Maker>, std::less<>> makers_;  // By key; no list is empty.
  std::map<std::string, int, std::less<>> workers_;                // Of each client that has any.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_MAKERS_H_
