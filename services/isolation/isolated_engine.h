// An engine in a process of its own. Modules are compiled and run there; whatever their code does,
// this process goes on, and gets a status. Calls pass values to the other process, and callbacks
// come back from it.
//
//   FIRSTCALL_ASSIGN_OR_RETURN(auto engine, IsolatedEngine::Create({}, {}));
//   FIRSTCALL_RETURN_IF_ERROR(engine->AddFile("plugin.bc").status());
//   absl::Status status = engine->Call("plugin_main", result, arguments);
//   if (engine->end()) FIRSTCALL_RETURN_IF_ERROR(engine->Restart());  // It crashed, for example.
//
// The process is a copy of this one as it was when the engine was created, with its files and its
// memory; docs/isolation.md says what this protects from, and what not.
//
// Thread-safe: calls of several threads come one after the other. A callback may use the engine, on
// its own thread. All functions but Interrupt and process block until the other process has
// answered, which includes compiles there.

#ifndef FIRSTCALL_SERVICES_ISOLATION_ISOLATED_ENGINE_H_
#define FIRSTCALL_SERVICES_ISOLATION_ISOLATED_ENGINE_H_

#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "engine/options.h"
#include "foreign/foreign_value.h"
#include "services/isolation/child_process.h"

namespace firstcall {

class IsolatedEngine;
enum class IsolationMessage : uint32_t;
class Keeper;
class MessageChannel;
struct Message;

// A function of this process that isolated code calls by a name.
struct IsolatedCallback {
  std::string name;
  ForeignType result;
  std::vector<ForeignType> parameters;
  // Gets the arguments and writes the result, which is zero before. Pointers among them are
  // addresses of the isolated process, for IsolatedEngine::Read and Write. The function is called
  // on the thread of this process that waits for an answer of the isolated process. If no thread
  // waits, a thread of the isolated code that calls the function waits for the next request. If
  // the function returns an error, the isolated process is ended, and the call in progress returns
  // the error. If the function throws, the isolated process is ended, and the exception leaves the
  // call in progress.
  std::function<absl::Status(IsolatedEngine& engine, absl::Span<const ForeignValue> arguments,
                             const ForeignValue& result)>
      function;
};

struct IsolationOptions {
  // How long a call of any function of IsolatedEngine may take, compiling and callbacks included.
  absl::Duration call_time = absl::InfiniteDuration();
  // Bytes of private writable memory (RLIMIT_DATA), the compiler's included.
  uint64_t memory = std::numeric_limits<uint64_t>::max();
  // A name that no module defines is looked for here first.
  std::vector<IsolatedCallback> callbacks;
};

// All functions that return a status return, besides their own errors: Unavailable, with the exit
// status or the signal, if the process has ended ("calling 'f': the isolated process has ended by
// signal 11 (Segmentation fault)"), then and until it is restarted; DeadlineExceeded if a call
// takes longer than IsolationOptions::call_time, after which the process is ended.
class IsolatedEngine {
 public:
  // Starts the process and creates the engine there. Functions in `options`, such as a symbol
  // finder, are called there. Errors as Engine::Create; InvalidArgument, with its name, for a
  // callback with an invalid type; Internal if no process can be started. Call this while no other
  // thread of this process holds locks that an engine needs; best before there is another thread.
  // Restart has no such condition.
  static absl::StatusOr<std::unique_ptr<IsolatedEngine>> Create(EngineOptions options,
                                                                IsolationOptions isolation);
  // Lets the engine there run destructors, as ~Engine does, for at most a second. Then kills the
  // process, if it still runs. No other thread may be in a call. In a forked copy of this process
  // the destructor has no effect on the isolated process.
  ~IsolatedEngine();
  IsolatedEngine(const IsolatedEngine&) = delete;
  IsolatedEngine& operator=(const IsolatedEngine&) = delete;

  // As Engine's functions of these names. A relative path is relative to this process's directory;
  // "-" is a file of that name, not standard input.
  absl::StatusOr<ModuleId> AddBitcode(absl::string_view bitcode, absl::string_view name,
                                      absl::string_view library = "");
  absl::StatusOr<ModuleId> AddAssembly(absl::string_view text, absl::string_view name);
  absl::StatusOr<ModuleId> AddFile(const std::string& path, const std::string& library = "");
  absl::Status Remove(ModuleId module);
  absl::Status RunConstructors();
  // If the program calls exit, the process ends, and this returns Unavailable; end() says how.
  absl::StatusOr<int> RunMain(absl::Span<const std::string> arguments,
                              absl::string_view entry = "main");

  // As Engine::Call. Pointers are addresses of the isolated process. Unknown if the function
  // throws.
  absl::Status Call(absl::string_view name, const ForeignValue& result,
                    absl::Span<const ForeignValue> arguments);

  // Memory of the isolated process: as malloc, free and memcpy there. An address that is not valid
  // there ends the process. ResourceExhausted if malloc fails.
  absl::StatusOr<uint64_t> Allocate(size_t size);
  absl::Status Free(uint64_t address);
  absl::StatusOr<std::string> Read(uint64_t address, size_t size);
  absl::Status Write(uint64_t address, absl::string_view bytes);

  // Kills the process, whatever it does. The call in progress, on another thread, returns
  // Unavailable; so does Restart. Async-signal-safe.
  void Interrupt() const;

  // Ends the process, if it still runs, and starts another one, to which the modules that were
  // added and not removed are added again, under the same identifiers; files are read again.
  // Constructors have not run, and the memory is as after Create. Errors as Create, and of adding a
  // module: then there is no process. FailedPrecondition in a callback.
  absl::Status Restart();

  // How the process has ended. Nothing if it has not, or if no call has noticed that yet. Waits for
  // a call in progress.
  std::optional<ChildEnd> end() const;

  // The process; 0 if it has ended and a call has noticed it.
  pid_t process() const { return process_; }

 private:
  struct Module;  // One that was added, for Restart.
  // The time by which the outermost call must have ended, and what it does.
  class Operation;

  explicit IsolatedEngine(IsolationOptions isolation);
  absl::Status Start(uint32_t interrupts);
  absl::StatusOr<std::string> Request(IsolationMessage kind, absl::string_view bytes);
  absl::StatusOr<std::string> Converse(IsolationMessage kind, absl::string_view bytes);
  absl::StatusOr<std::string> ReadAnswer(const Message& message);
  absl::StatusOr<std::string> RunCallback(absl::string_view request);
  absl::StatusOr<ModuleId> Add(IsolationMessage kind, absl::string_view contents,
                               std::string request, std::string what);
  absl::Status Send(Module& module);
  void WaitForEnd(bool kills);
  // Ends the process. Returns `reason`, with the operation in progress.
  absl::Status End(const absl::Status& reason);
  // As End, but `error` is the channel's: returns what it means for the operation in progress.
  absl::Status Lose(const absl::Status& error);
  // That the process has ended, and how.
  absl::Status Ended() const;

  const IsolationOptions isolation_;
  const pid_t owner_;               // The process that has created this.
  std::unique_ptr<Keeper> keeper_;  // Constant after Create.
  // Held during each call. Recursive, because callbacks call again.
  mutable std::recursive_mutex mutex_;
  // Guarded by mutex_, but for what Interrupt uses.
  std::unique_ptr<MessageChannel> channel_;
  std::atomic<uint64_t> child_{0};
  mutable std::atomic<uint32_t> interrupts_{0};
  std::atomic<pid_t> process_{0};
  std::optional<ChildEnd> end_;
  std::vector<Module> modules_;
  Operation* operation_ = nullptr;
  size_t callbacks_in_progress_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_ISOLATION_ISOLATED_ENGINE_H_
