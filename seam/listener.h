// What the engine's own parts are told while it works: the statistics, the dumps, and the source of
// the events that clients get (seam/event.h).
//
// Implementations must be thread-safe: every thread that compiles or removes modules calls them.
// They are called in the middle of the engine's work, perhaps with locks held, so they must neither
// block nor call the engine. Tested in tests/api/threads_test.cc.

#ifndef FIRSTCALL_SEAM_LISTENER_H_
#define FIRSTCALL_SEAM_LISTENER_H_

#include <cstddef>
#include <memory>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"
#include "object/elf_object.h"
#include "seam/code_lines.h"
#include "seam/code_origin.h"
#include "seam/event.h"
#include "seam/symbol_index.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

struct PublishedFunction {
  absl::string_view name;
  ExecutorAddress body;
  absl::string_view symbol;  // The name under which the object defines the function; empty: `name`.
  // If somebody wants lines, and the object has none.
  std::shared_ptr<const CodeLines> lines = nullptr;
};

// A module that was added. Reading and indexing it took `load`.
struct AddedModule {
  absl::string_view module;
  const SymbolIndex& index;
  absl::Duration load;
};

// A call of a function that was not published. It has waited since `start`.
struct FirstCall {
  absl::string_view module;
  absl::string_view function;
  absl::Duration start;
  ExecutorAddress caller;  // Where the call returns.
  ExecutorAddress body;    // Where it goes on; null if the function failed.
};

// A function that could not be compiled.
struct FailedFunction {
  absl::string_view module;
  absl::string_view function;
  CompileReason reason = CompileReason::kCalled;
  const absl::Status& status;
};

// An object that was compiled and is about to be published. The views are valid only during the
// call.
struct PublishedObject {
  absl::string_view module;
  // The functions of a function-module. Empty for a data-module, for a module that was compiled
  // whole and for an object that the user added.
  absl::Span<const PublishedFunction> functions;
  // Source functions whose first code this is; 0 for a promotion and for a counting body.
  size_t function_count = 0;
  size_t code_bytes = 0;   // Bytes of its code sections, the linker's own pieces included.
  bool is_cached = false;  // The object comes from an object cache.
  CodeOrigin origin;       // If it was compiled now.
  bool linked_by_mcjit = false;
  // An optimized body of a function that was published before, or its OSR continuation at a loop.
  bool is_promotion = false;
  // A promotion; or an optimized body from a cache, of a function that was not published before.
  bool is_optimized = false;
  bool is_continuation = false;  // A promotion that is an OSR continuation.
  bool is_users = false;         // The user has added the object.
  CompileReason reason = CompileReason::kCalled;
  absl::string_view object;          // The relocatable object that was linked.
  const ElfObject* image = nullptr;  // The same, if it has functions.
  absl::Duration split;
  absl::Duration emit;      // With `optimize`.
  absl::Duration optimize;  // Zero for a first body.
  absl::Duration link;
  // Callees whose bodies an optimized body could inline.
  size_t imported = 0;
  // See CompiledObject.
  absl::Span<const std::string> inlined;
};

// A module whose code is about to be freed, or was detached.
struct RemovedModule {
  absl::string_view module;
  size_t code_bytes = 0;  // Bytes of its code sections.
  bool is_detached = false;
};

// An optimized body or an OSR continuation that could not be made. The function keeps its present
// body.
struct FailedPromotion {
  absl::string_view module;
  absl::string_view function;
  bool is_continuation = false;
  const absl::Status& status;
};

class Listener {
 public:
  virtual ~Listener() = default;

  virtual void OnModuleAdded(const AddedModule&) {}

  // Whether OnFirstCall is wanted: finding out what it is told takes time. Asked once.
  virtual bool hears_first_calls() const { return false; }

  // Called after the first body of a function was published for a caller, or could not be.
  virtual void OnFirstCall(const FirstCall&) {}

  // Called when a function failed. Its later calls fail for the same reason.
  virtual void OnFunctionFailed(const FailedFunction&) {}

  // Whether the listener has to be told each module that is compiled: then all of them are modules
  // of LLVM. Asked once.
  virtual bool sees_modules() const { return false; }

  // Called with each function-module, data-module or module compiled whole, before code is
  // generated for it. Not called if its object comes from a cache, or from the compiler that does
  // without LLVM. The listener may read the module during the call, but not change it.
  virtual void OnModuleMade(const llvm::Module&) {}

  // Called once for each object, before the slots of its functions are written.
  virtual void OnPublished(const PublishedObject&) {}

  // Called when a hot function could not be optimized, on the thread that tried. Not called for
  // work that was cancelled.
  virtual void OnPromotionFailed(const FailedPromotion&) {}

  // Called once for each module that is removed or detached: after no look-up finds it any more,
  // and before its code is freed.
  virtual void OnRemoved(const RemovedModule&) {}
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_LISTENER_H_
