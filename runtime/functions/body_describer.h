// Has the compiler describe first bodies that are linked: what was compiled without debug
// information is compiled once more, and the description is used only if the code is the same as
// the code in memory.
//
// Thread-safe. Blocks until the compiler has compiled the bodies again, and holds no lock
// meanwhile. Tested in tests/debugger/attach_test.cc and tests/command/jitdump_test.cc.

#ifndef FIRSTCALL_RUNTIME_FUNCTIONS_BODY_DESCRIBER_H_
#define FIRSTCALL_RUNTIME_FUNCTIONS_BODY_DESCRIBER_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"
#include "runtime/link/source_module.h"
#include "runtime/link/symbol_resolver.h"
#include "seam/compiler.h"

namespace firstcall {

class BodyDescriber {
 public:
  struct Body {
    SymbolOrdinal function;
    ExecutorAddress address;
  };

  // `asks_when_called`: see DescriptionOrder. Both must outlive this object.
  BodyDescriber(std::optional<bool> asks_when_called, Compiler& compiler,
                const SymbolResolver& resolver)
      : asks_when_called_(asks_when_called), compiler_(compiler), resolver_(resolver) {}
  BodyDescriber(const BodyDescriber&) = delete;
  BodyDescriber& operator=(const BodyDescriber&) = delete;

  // The function of the module whose body is at the address.
  using FindFunction = absl::FunctionRef<std::optional<SymbolOrdinal>(ExecutorAddress address)>;

  // Describes those of `bodies`, which are of functions of `module`, that can be described. The
  // caller is at work. Describes nothing after an error.
  CodeDescription Describe(const SourceModule& module, bool is_far, absl::Span<const Body> bodies,
                           FindFunction find_function) ABSL_LOCKS_EXCLUDED(mutex_) {
    return Describe(module, is_far, bodies, find_function, /*wants_lines=*/false);
  }

  // The lines of each of `bodies`, which are all that one object defines; null if they are not
  // known.
  std::vector<std::shared_ptr<const CodeLines>> FindLines(const SourceModule& module, bool is_far,
                                                          absl::Span<const Body> bodies)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Forgets `module`, which is being removed.
  void Remove(const SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  CodeDescription Describe(const SourceModule& module, bool is_far, absl::Span<const Body> bodies,
                           FindFunction find_function, bool wants_lines)
      ABSL_LOCKS_EXCLUDED(mutex_);

  const std::optional<bool> asks_when_called_;
  Compiler& compiler_;
  const SymbolResolver& resolver_;
  absl::Mutex mutex_;
  // The modules without debug information, and those of which the compiler makes no descriptions.
  absl::flat_hash_set<ModuleId> without_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_FUNCTIONS_BODY_DESCRIBER_H_
