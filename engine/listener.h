// Who wants to know when code comes into being.
//
// Implementations must be thread-safe: calls come from every thread that compiles.

#ifndef FIRSTCALL_ENGINE_LISTENER_H_
#define FIRSTCALL_ENGINE_LISTENER_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"

namespace llvm {
class Module;
}  // namespace llvm

namespace firstcall {

struct PublishedFunction {
  absl::string_view name;
  ExecutorAddress body;
};

// What was compiled together and is about to be published. Views are valid during the call only.
struct PublishedObject {
  absl::string_view module;
  // What a function-module defines; empty for a data-module and for a module compiled whole.
  absl::Span<const PublishedFunction> functions;
  size_t function_count = 0;  // Functions it defines.
  size_t code_bytes = 0;      // Bytes of its code sections, the linker's own pieces included.
  bool is_cached = false;     // It comes from an object cache: nothing was compiled.
  // A better body of a function that has been published before, or its continuation in a loop.
  bool is_promotion = false;
  absl::string_view object;  // The relocatable object it was linked from.
  absl::Duration split;
  absl::Duration emit;
  absl::Duration link;
};

// A module whose code is gone, or belongs to somebody else now.
struct RemovedModule {
  absl::string_view module;
  size_t code_bytes = 0;  // Bytes of its code sections.
  bool is_detached = false;
};

// A better body, or a continuation, that could not be made: the function goes on with what it has.
struct FailedPromotion {
  absl::string_view module;
  absl::string_view function;
  bool is_continuation = false;
  const absl::Status& status;
};

class Listener {
 public:
  virtual ~Listener() = default;

  // Shown, unless its object comes from a cache, each function-module, data-module, or module
  // compiled whole, before code is generated for it. It may be looked at during the call only, and
  // not be changed.
  virtual void OnModuleMade(const llvm::Module&) {}

  // Called once for each object, before its functions' slots are written.
  virtual void OnPublished(const PublishedObject&) {}

  // Called when a hot function could not be optimized, on the thread that tried.
  virtual void OnPromotionFailed(const FailedPromotion&) {}

  // Called once for each module that is removed or detached, when nobody can find it any more and
  // before its code is freed.
  virtual void OnRemoved(const RemovedModule&) {}
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_LISTENER_H_
