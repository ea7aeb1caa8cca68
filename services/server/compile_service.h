// The worker's side of lanes: carries out a client's requests with a compiler of this process.
//
// The client's messages are not trusted: unknown messages, modules that were not added, and
// ordinals beyond a module's symbols end the lane.
//
// Thread-safe: each lane is served by a thread of its own. Tested in
// tests/services/server/protocol_fuzz_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_COMPILE_SERVICE_H_
#define FIRSTCALL_SERVICES_SERVER_COMPILE_SERVICE_H_

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
#include "seam/compiler.h"
#include "services/server/compile_ahead.h"
#include "services/server/lane.h"
#include "services/server/worker_store.h"

namespace firstcall {

class CompileService {
 public:
  // `compiler` and `store` must outlive the service. Once something was compiled, all three must
  // exist as long as the process, because the thread of CompileAhead is never stopped.
  CompileService(Compiler& compiler, WorkerStore& store)
      : compiler_(compiler), ahead_(compiler), store_(store) {}

  // Serves a lane on the calling thread. Blocks until the lane's other end is closed, or breaks the
  // protocol.
  void Serve(File socket);

  // How long the oldest unfinished request has taken so far; zero if there is no such request.
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
  // Returns the answer to a request, or an error if the lane has to be ended.
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
  std::map<const Lane*, absl::Duration> at_work_ ABSL_GUARDED_BY(mutex_);  // The requests' starts.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_COMPILE_SERVICE_H_
