// Calls functions of source modules and objects by name, with values whose types are known only at
// run time. Compares the types with the function's IR signature first.
//
// A signature is kept from the first call on, because the engine drops a module's IR when all of
// its functions are compiled.
//
// Thread-safe. Tested in tests/clients/capi/capi_test.c.

#ifndef FIRSTCALL_RUNTIME_PROGRAM_FOREIGN_FUNCTIONS_H_
#define FIRSTCALL_RUNTIME_PROGRAM_FOREIGN_FUNCTIONS_H_

#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "foreign/foreign_value.h"
#include "foreign/function_shape.h"
#include "runtime/link/definitions.h"
#include "runtime/link/symbol_resolver.h"
#include "runtime/process/compile_threads.h"
#include "runtime/program/program.h"
#include "seam/compiler.h"

namespace firstcall {

class ForeignFunctions {
 public:
  // All must outlive this.
  ForeignFunctions(Compiler& compiler, const Definitions& definitions, SymbolResolver& resolver,
                   Program& program, CompileThreads& threads)
      : compiler_(compiler),
        definitions_(definitions),
        resolver_(resolver),
        program_(program),
        threads_(threads) {}

  // As Engine::Call.
  absl::Status Call(absl::string_view name, const ForeignValue& result,
                    absl::Span<const ForeignValue> arguments) ABSL_LOCKS_EXCLUDED(mutex_);

  // Forgets the signatures of a module that is removed.
  void Remove(ModuleId module) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  using Shape = std::shared_ptr<const FunctionShape>;

  // Null if the signature is not known, or no longer.
  absl::StatusOr<Shape> ShapeOf(SourceModule& module, SymbolOrdinal function)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The caller is at work (see WorkScope).
  absl::StatusOr<Shape> ReadShape(SourceModule& module, SymbolOrdinal function);

  Compiler& compiler_;
  const Definitions& definitions_;
  SymbolResolver& resolver_;
  Program& program_;
  CompileThreads& threads_;
  absl::Mutex mutex_;
  absl::flat_hash_map<ModuleId, absl::flat_hash_map<SymbolOrdinal, Shape>> shapes_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_PROGRAM_FOREIGN_FUNCTIONS_H_
