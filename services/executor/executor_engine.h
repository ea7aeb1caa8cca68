// An engine whose code runs in another process. Modules are compiled and linked here, each as a
// whole, into pages that both processes share; the other process, the executing one, runs
// ServeExecutor (serve_executor.h) and needs neither LLVM nor this engine.
//
//   int sockets[2];  // socketpair; the executing process has the other end.
//   FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ExecutorEngine> engine,
//                              ExecutorEngine::Create(sockets[0]));
//   FIRSTCALL_RETURN_IF_ERROR(engine->AddFile("program.bc").status());
//   int result = 0, argument = 3;
//   FIRSTCALL_RETURN_IF_ERROR(engine->Call("square", {ForeignKind::kInt32, &result},
//                                          {{ForeignKind::kInt32, &argument}}));
//
// Whatever the code does, this process goes on: if the executing process ends, functions return
// Unavailable. The executing process, on the other hand, does whatever this one asks for, so it has
// to trust this process.
//
// Addresses are those of the executing process. Symbols that no module defines are those of the
// executing process, which has to export them (-rdynamic) or to have loaded a library with them.
// Thread-local variables are emulated. Code is compiled when something first needs its module, as
// Engine compiles it in eager mode (docs/limits.md).
//
// Thread-safe. Each function may block on a compile, and on code that runs in the executing
// process. Tested in tests/services/executor/executor_engine_test.cc.

#ifndef FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_ENGINE_H_
#define FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_ENGINE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "foreign/foreign_value.h"
#include "memory/executor_address.h"
#include "memory/memory_manager.h"
#include "seam/target_settings.h"

namespace firstcall {

// Of the target's settings, DebugInfo::kAuto means kNever: no debugger of the executing process is
// told of code.
struct ExecutorEngineOptions : TargetSettings {
  // As in EngineOptions.
  bool contain_crashes = false;
  size_t memory_budget = SIZE_MAX;
  std::optional<SegmentSizes> arena_sizes;
  // How long the executing process may take for one answer, which comes when the code that a call
  // runs has returned. After that the executing process counts as gone.
  absl::Duration budget = absl::InfiniteDuration();
};

class ExecutorEngine {
 public:
  // Takes over a stream socket to the executing process, and closes it in the end. Waits until that
  // process answers. FailedPrecondition if that process has another version of firstcall's protocol
  // or pages of another size; Unavailable if it is gone; errors of Engine::Create.
  static absl::StatusOr<std::unique_ptr<ExecutorEngine>> Create(int socket,
                                                                ExecutorEngineOptions options = {});
  // Runs exit handlers and destructors (RunDestructors), then frees all code. No code may be
  // running.
  ~ExecutorEngine();
  ExecutorEngine(const ExecutorEngine&) = delete;
  ExecutorEngine& operator=(const ExecutorEngine&) = delete;

  // Adds a module: a file of bitcode or text, bitcode in memory, or text. `name` is for messages.
  // AlreadyExists if another module has a strong definition of the same symbol, or one that is
  // linked; otherwise errors as Engine::AddFile and its like. After an error nothing was added.
  absl::Status AddFile(const std::string& path);
  absl::Status AddBitcode(absl::string_view bitcode, absl::string_view name);
  absl::Status AddAssembly(absl::string_view text, absl::string_view name);

  // Compiles and links the modules that are not linked yet, then returns the address of a symbol
  // that a module defines. The address is valid in the executing process until this engine is
  // destroyed. NotFound, with the missing names, if a module refers to a symbol that nothing
  // defines: later calls try again. NotFound if no module defines `symbol`.
  absl::StatusOr<ExecutorAddress> LookupAddress(absl::string_view symbol);

  // Calls a function of a module with values, by C's calling convention. Errors as LookupAddress;
  // InvalidArgument or Unimplemented for values that cannot be passed; Unknown if the function
  // throws an exception. Does not check that the values match the function's parameters.
  absl::Status Call(absl::string_view function, const ForeignValue& result,
                    absl::Span<const ForeignValue> arguments);

  // Runs the constructors (llvm.global_ctors) that have not run: by priority, then in the order of
  // addition. After an error, which may be an exception that a constructor throws (Unknown), the
  // next call goes on behind that constructor. RunMain runs them, too, then `entry` as main, and
  // returns its result. RunDestructors runs the exit handlers that compiled code has registered,
  // then destructors.
  absl::Status RunConstructors(absl::Span<const std::string> arguments = {});
  absl::StatusOr<int> RunMain(absl::Span<const std::string> arguments,
                              absl::string_view entry = "main");
  absl::Status RunDestructors();

  // Memory of the executing process, for the arguments of calls. At most 16 MiB are read or written
  // at once (InvalidArgument). Reading or writing what is not its memory crashes that process.
  absl::StatusOr<ExecutorAddress> Allocate(size_t size);
  absl::Status Free(ExecutorAddress address);
  absl::StatusOr<std::string> Read(ExecutorAddress address, size_t size);
  absl::Status Write(ExecutorAddress address, absl::string_view bytes);

 private:
  class Parts;

  explicit ExecutorEngine(std::unique_ptr<Parts> parts);

  const std::unique_ptr<Parts> parts_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_EXECUTOR_EXECUTOR_ENGINE_H_
