// The clients of a compile server whose workers are making code of modules that the server does not
// know yet. While enough clients do that for a module, further ones had better wait: they would use
// the same processors for the same work.
//
// Times are of SteadyNow. Thread-compatible. Tested in tests/remote/makers_test.cc.

#ifndef FIRSTCALL_REMOTE_MAKERS_H_
#define FIRSTCALL_REMOTE_MAKERS_H_

#include <sys/types.h>

#include <cstddef>
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

  // `client` was told that the module is not known. It counts for a moment, and once it has a
  // worker, until Remove.
  void Add(absl::string_view key, pid_t client, absl::Duration now);
  void NoteWorker(pid_t client);

  // The module is known now.
  void RemoveModule(absl::string_view key);
  // The client's worker has ended.
  void RemoveClient(pid_t client);

 private:
  struct Maker {
    pid_t client = 0;
    absl::Duration since;
    bool has_worker = false;
  };

  const size_t most_;
  std::map<std::string, std::vector<Maker>, std::less<>> makers_;  // By key.
};

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_MAKERS_H_
