// The names of a program: what defines each name, where the definition lies, and what links the
// code that refers to it. When a module or an object is added or removed, all tables that are
// concerned learn of that here: what once failed because of a missing symbol is tried again after
// an addition, and what is bound to a removed definition is noticed.
//
// Thread-safe, as its parts are. Tested in tests/api/engine_test.cc and tests/api/removal_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_LINKAGE_H_
#define FIRSTCALL_RUNTIME_LINK_LINKAGE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "base/ids.h"
#include "object/object_bytes.h"
#include "runtime/link/call_failures.h"
#include "runtime/link/code_space.h"
#include "runtime/link/definitions.h"
#include "runtime/link/function_linker.h"
#include "runtime/link/function_table.h"
#include "runtime/link/object_constructors.h"
#include "runtime/link/object_linker.h"
#include "runtime/link/optimized_cache.h"
#include "runtime/link/outside_symbols.h"
#include "runtime/link/precompiled.h"
#include "runtime/link/providers.h"
#include "runtime/link/source_module.h"
#include "runtime/link/symbol_resolver.h"
#include "runtime/link/weak_symbols.h"
#include "runtime/process/exit_handlers.h"
#include "seam/compiler.h"
#include "seam/listener.h"
#include "seam/options.h"

namespace firstcall {

class Linkage {
 public:
  struct Options {
    OutsideSymbols::Sources outside;
    bool search_other_libraries = true;  // As in EngineOptions.
    // Where the compiler's linkers (Compiler::MakeLinker) can, they link everything that was
    // compiled, not only what ElfLinker does not support.
    bool compiler_links = false;
    FailureHandler failure_handler;  // For calls of functions that have no code.
  };

  // All but the options must outlive this. Listeners are told of data and objects that are linked.
  Linkage(Options options, Compiler& compiler, CodeSpace& code_space, ExitHandlers& exit_handlers,
          Listener& listener);
  Linkage(const Linkage&) = delete;
  Linkage& operator=(const Linkage&) = delete;

  // Sets what compiles functions. Must exist as long as anything is resolved, or a function is
  // called that is not published. Call this once, before the first Add.
  void Connect(FunctionProvider& compiler);

  // Makes the definitions of `module` known, which must outlive this or be removed. Errors as
  // Definitions::Add, after which nothing of the module is known.
  absl::Status Add(SourceModule& module);

  // The same for an object file. Errors as PrecompiledObjects::Add.
  absl::Status AddObject(std::string name, ObjectBytes contents, bool is_archive_member,
                         LibraryId library);

  // Takes back the definitions of `module`. Its functions are still in the function table. The
  // caller is in an ExclusiveWorkScope.
  void Remove(SourceModule& module);

  const std::shared_ptr<const CallFailures>& failures() const { return failures_; }
  ObjectConstructors& object_constructors() { return object_constructors_; }
  PrecompiledObjects& precompiled() { return precompiled_; }
  Definitions& definitions() { return definitions_; }
  FunctionTable& functions() { return functions_; }
  SymbolResolver& resolver() { return resolver_; }
  ObjectLinker& objects() { return objects_; }
  const FunctionLinker& function_linker() const { return function_linker_; }
  const OptimizedCache& optimized_cache() const { return optimized_cache_; }

 private:
  void NoteAddition();

  // Each part may use those before it. They are destroyed in the reverse order.
  const std::shared_ptr<const CallFailures> failures_;
  PrecompiledObjects precompiled_;
  Definitions definitions_;
  FunctionTable functions_;
  const OutsideSymbols outside_;
  const WeakSymbols weak_symbols_;
  SymbolResolver resolver_;
  ObjectConstructors object_constructors_;
  ObjectLinker objects_;
  const FunctionLinker function_linker_;
  const OptimizedCache optimized_cache_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_LINKAGE_H_
