// A compiler in another process: a worker of a compile server (services/server/compile_server.h).
//
// Needs no LLVM. The worker makes relocatable objects. This process links them, as it links the
// objects of a cache. Each request goes over a lane that its thread has to itself, and the thread
// answers the worker's questions about the request.
//
// If the worker ends, the request is repeated with a new worker, which gets the modules again. If
// the second worker ends, too, the request fails with Internal. If there is no server, or no answer
// within the budget, the request fails with Unavailable or DeadlineExceeded. If there is a
// fallback, it does not fail then: the fallback is made, and serves this request and all later
// ones.
//
// The worker describes no bodies (Compiler::DescribeBodies): a description is compared with what
// runs here, and is wanted by a debugger or a profiler, which seldom is there. Another compiler,
// which is made in this process when a description is first wanted, makes the bodies again.
//
// A forked child gets a worker of its own.
//
// Thread-safe. Tested in tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_REMOTE_COMPILER_H_
#define FIRSTCALL_SERVICES_SERVER_REMOTE_COMPILER_H_

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "seam/compiler.h"
#include "seam/compiler_settings.h"
#include "services/server/lane.h"
#include "services/server/seam_coding.h"
#include "services/server/worker_session.h"

namespace firstcall {

class RemoteCompiler final : public Compiler {
 public:
  // Makes a compiler in this process. `reason` says why.
  using Local = std::function<absl::StatusOr<std::unique_ptr<Compiler>>(absl::string_view reason)>;

  // Gets a worker. If the server cannot be used, or the settings cannot be sent, makes the
  // fallback. `fallback` may be empty; then these are errors. `describer` makes what describes
  // bodies; if it is empty, nothing does. Errors as WorkerSession::Begin; InvalidArgument if the
  // settings cannot be sent.
  static absl::StatusOr<std::unique_ptr<RemoteCompiler>> Create(const CompilerSettings& settings,
                                                                ServerAddress server,
                                                                Local fallback, Local describer);

  absl::StatusOr<std::shared_ptr<const SymbolIndex>> Add(ModuleOrder order) override;
  absl::StatusOr<CompiledFunction> CompileFunction(const FunctionOrder& order) override;
  absl::StatusOr<CompiledObject> CompileData(const DataOrder& order) override;
  absl::StatusOr<CompiledObject> CompileWhole(const DataOrder& order) override;
  absl::StatusOr<CompiledObject> Optimize(const OptimizationOrder& order) override;
  absl::StatusOr<CodeDescription> DescribeBodies(const DescriptionOrder& order) override;
  absl::StatusOr<BodyDigests> DigestBodies(ModuleId module) override;
  absl::StatusOr<AssemblyLabels> ReadLabels(ModuleId module) override;
  absl::StatusOr<EntryPoint> ReadEntryPoint(ModuleId module, SymbolOrdinal function) override;
  absl::StatusOr<FunctionShape> ReadShape(ModuleId module, SymbolOrdinal function,
                                          bool is_last_use) override;
  void ReadAgain(ModuleId module) override;
  void ForgetFunctions(ModuleId module, bool data_is_compiled) override;
  void Remove(ModuleId module) override;
  // A linker that supports what ElfLinker does, or the fallback's.
  absl::StatusOr<std::unique_ptr<Linker>> MakeLinker() override;
  const void* SomewhereInLibrary() override;

 private:
  struct Questions;
  struct Module {
    ModuleOrder order;  // Has the index once it is known.
  };

  RemoteCompiler(std::string settings, ServerAddress server, Local fallback, Local describer)
      : settings_(std::move(settings)),
        server_(std::move(server)),
        make_fallback_(std::move(fallback)),
        make_describer_(std::move(describer)) {}

  // The fallback; null while the server is used.
  Compiler* fallback() const { return fallback_.load(std::memory_order_acquire); }
  // Makes the fallback, because of `reason`. If there is no fallback, returns `reason`.
  absl::Status UseFallback(const absl::Status& reason) ABSL_LOCKS_EXCLUDED(mutex_);

  // What describes bodies of `module`, which it has. Made if there is none. Unimplemented, with the
  // reason, if none can be made, or it cannot read the module.
  absl::StatusOr<Compiler*> DescriberOf(ModuleId module) ABSL_LOCKS_EXCLUDED(mutex_);

  std::shared_ptr<Module> Find(ModuleId id) const ABSL_LOCKS_EXCLUDED(mutex_);
  size_t SymbolCount(ModuleId id) const;
  absl::StatusOr<std::shared_ptr<WorkerSession>> Session() ABSL_LOCKS_EXCLUDED(mutex_);

  // The outcome of an attempt: the worker's status and result; or `lost`, the reason why there is
  // no answer.
  struct Answer {
    absl::Status lost;
    absl::Status status;
    std::string result;
  };
  // Sends a request of `kind` for `module`, at most twice. Returns the worker's status and result;
  // or, as the status, why there is no answer; or `use_fallback` with an OK status.
  struct Outcome {
    absl::Status status;
    std::string result;
    bool use_fallback = false;
  };
  Outcome Ask(ModuleId module, LaneMessage kind, absl::string_view body, Questions& questions);
  Answer AskOnce(WorkerSession& session, ModuleId module, LaneMessage kind, absl::string_view body,
                 Questions& questions);
  // Sends the module to the worker unless the worker has it.
  Answer AddTo(WorkerSession& session, ModuleId id);
  static Answer Exchange(WorkerSession& session, LaneMessage kind, absl::string_view body, int file,
                         Questions& questions);
  // Sends the worker a message about a module. Blocks until the worker has answered, except for a
  // removal.
  void Tell(ModuleId module, LaneMessage kind, bool flag) ABSL_LOCKS_EXCLUDED(mutex_);
  // Asks `order` whether the functions that joined without a question (SentFunction::uninvited) may
  // be used, and sorts out the others.
  static absl::StatusOr<CompiledFunction> Invite(SentFunction sent, const FunctionOrder& order,
                                                 const std::vector<SymbolOrdinal>& joined);
  static absl::Status Reply(Lane& lane, absl::string_view question, Questions& questions);
  static absl::StatusOr<bool> RunPasses(Lane& lane, Questions& questions);

  const std::string settings_;
  const ServerAddress server_;
  const Local make_fallback_;
  const Local make_describer_;
  mutable absl::Mutex mutex_;
  std::shared_ptr<WorkerSession> session_ ABSL_GUARDED_BY(mutex_);
  std::map<ModuleId, std::shared_ptr<Module>> modules_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<Compiler> owned_fallback_ ABSL_GUARDED_BY(mutex_);
  std::atomic<Compiler*> fallback_{nullptr};
  std::unique_ptr<Compiler> describer_ ABSL_GUARDED_BY(mutex_);
  std::set<ModuleId> described_ ABSL_GUARDED_BY(mutex_);  // The modules that `describer_` has.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_REMOTE_COMPILER_H_
