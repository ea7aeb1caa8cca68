// Finds out what a name means: in the object's own source module, in other modules and objects, by
// the client's resolver, in the process; in this order. A weak definition of a module gives way to
// one of the process or of an earlier module.
//
// Thread-safe.

#ifndef FIRSTCALL_ENGINE_SYMBOL_RESOLVER_H_
#define FIRSTCALL_ENGINE_SYMBOL_RESOLVER_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "engine/compile_context.h"
#include "engine/definitions.h"
#include "engine/function_table.h"
#include "engine/host_thread_locals.h"
#include "engine/object_image.h"
#include "engine/options.h"
#include "engine/source_module.h"
#include "splitter/symbol_name.h"

namespace firstcall {

class FunctionCompiler;
class ObjectLinker;
class Promoter;

class SymbolResolver {
 public:
  // All must outlive the resolver.
  SymbolResolver(const EngineOptions& options, const Definitions& definitions,
                 FunctionTable& functions, HostThreadLocals& host_thread_locals);

  // Who links and compiles what a name turns out to need, and has what functions count with (null
  // if none does). Call once, before anything is resolved.
  void Connect(ObjectLinker& objects, FunctionCompiler& compiler, Promoter* promoter) {
    objects_ = &objects;
    compiler_ = &compiler;
    promoter_ = promoter;
  }

  // Decides what the weak symbols of `image` mean: references that nothing defines become zero, and
  // those definitions of an object file that another one replaces become references. Call before
  // the image is loaded. `requester` is the object itself, or its source module's.
  void SettleWeakSymbols(ObjectImage& image, const LazyObject& requester) const;

  // The address of each symbol that `image` leaves undefined. NotFound, with `needed_by`, all
  // symbols that are nowhere, in the words ORC uses, which scripts may look for, and the
  // definitions of `image` that refer to them. May link data;
  // compiles no function, except for a variable that only exists together with one.
  absl::StatusOr<SymbolAddresses> ResolveAll(const ObjectImage& image, LazyObject& requester,
                                             absl::string_view needed_by, CompileContext& context);

  // The address of `name` for the host: a definition of a module or an object, as the first library
  // sees it. NotFound if there is none.
  absl::StatusOr<ExecutorAddress> Lookup(absl::string_view name, CompileContext& context);

  // The identity of a symbol that `module` defines.
  absl::StatusOr<ExecutorAddress> AddressOf(SourceModule& module, SymbolOrdinal ordinal,
                                            ReferenceKind kind, CompileContext& context);

  // Whether a weak definition gives way to another one.
  bool IsReplaced(const SourceModule& module, SymbolOrdinal ordinal) const;

 private:
  bool IsKnown(absl::string_view object_name, const LazyObject& requester) const;
  // Null if it is nowhere; so FindOutside.
  absl::StatusOr<ExecutorAddress> Resolve(absl::string_view object_name, LazyObject& requester,
                                          CompileContext& context);
  absl::StatusOr<ExecutorAddress> ResolveInModule(SymbolReference reference, SourceModule& module,
                                                  CompileContext& context);
  absl::StatusOr<ExecutorAddress> AddressOf(const Definition& definition, absl::string_view name,
                                            CompileContext& context);
  absl::StatusOr<ExecutorAddress> ControlOf(SourceModule& module, SymbolOrdinal ordinal,
                                            CompileContext& context);
  bool GivesWay(const Definition& definition) const;
  absl::StatusOr<ExecutorAddress> FindOutside(absl::string_view name, LibraryId library,
                                              CompileContext& context);
  void* FindByClient(absl::string_view name) const;
  ExecutorAddress FindInProcess(absl::string_view name) const;
  bool ProvidesEmulatedTls() const;

  const EngineOptions& options_;
  const Definitions& definitions_;
  FunctionTable& functions_;
  HostThreadLocals& host_thread_locals_;
  ObjectLinker* objects_ = nullptr;
  FunctionCompiler* compiler_ = nullptr;
  Promoter* promoter_ = nullptr;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_SYMBOL_RESOLVER_H_
