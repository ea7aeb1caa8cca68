// The worker's side of lanes: carries out a client's requests with a compiler of this process.
//
// What comes from the client is not trusted: modules that were not added, ordinals beyond a
// module's symbols and unknown messages end the lane.
//
// Thread-safe: each lane is served by a thread of its own. Tested in
// tests/remote/protocol_fuzz_test.cc.

#ifndef FIRSTCALL_REMOTE_COMPILE_SERVICE_H_
#define FIRSTCALL_REMOTE_COMPILE_SERVICE_H_

#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "base/file.h"
#include "remote/compile_ahead.h"
#include "remote/lane.h"
#include "remote/worker_store.h"
#include "runtime/compiler.h"

namespace firstcall {

class CompileService {
 public:
  // Both must outlive the service; if something was compiled, all must exist as long as the process
  // (remote/compile_ahead.h).
  CompileService(Compiler& compiler, WorkerStore& store)
      : compiler_(compiler), ahead_(compiler), store_(store) {}

  // Serves a lane until its other end is closed, or breaks the protocol.
  void Serve(File socket);

  // For how long the request that has taken longest so far is being worked on; zero if none is.
  absl::Duration longest_request() const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Module {
    Module(std::shared_ptr<const SymbolIndex> its_index, bool can_be_read_again)
        : index(std::move(its_index)), is_reopenable(can_be_read_again) {}
    const std::shared_ptr<const SymbolIndex> index;
    const bool is_reopenable;
    std::atomic<bool> data_was_asked_for{false};
  };
  class Request;

  // Whether the module has a body of `function`.
  static bool IsBody(const Module& module, SymbolOrdinal function);
  std::shared_ptr<Module> Find(ModuleId id) const ABSL_LOCKS_EXCLUDED(mutex_);
  // The answer to a request, or an error if the lane is to be ended.
  absl::StatusOr<std::string> Answer(Lane& lane, Lane::Message message);
  absl::StatusOr<std::string> Add(Lane::Message message);
  absl::StatusOr<std::string> CompileFunction(Lane& lane, absl::string_view body);
  absl::StatusOr<std::string> CompileData(Lane& lane, absl::string_view body, bool whole);
  absl::StatusOr<std::string> Optimize(Lane& lane, absl::string_view body);
  absl::StatusOr<std::string> AnswerAboutModule(LaneMessage kind, absl::string_view body);

  Compiler& compiler_;
  CompileAhead ahead_;
  WorkerStore& store_;
  mutable absl::Mutex mutex_;
  std::map<ModuleId, std::shared_ptr<Module>> modules_ ABSL_GUARDED_BY(mutex_);
  std::map<const Lane*, absl::Duration> at_work_ ABSL_GUARDED_BY(mutex_);  // Since when.
};

}  // namespace firstcall

#endif  // FIRSTCALL_REMOTE_COMPILE_SERVICE_H_
