// Finds the definition of a name. Searches, in this order: the object's own source module, other
// modules and objects, the client's symbol finder, the process. A weak definition of a module gives
// way to a strong or an earlier definition of its library. Unless it has common linkage, a weak
// definition also gives way to a definition of the process.
//
// Thread-safe. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_SYMBOL_RESOLVER_H_
#define FIRSTCALL_RUNTIME_LINK_SYMBOL_RESOLVER_H_

#include <atomic>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "object/elf_object.h"
#include "object/linker.h"
#include "object/symbol_name.h"
#include "runtime/link/definitions.h"
#include "runtime/link/function_table.h"
#include "runtime/link/handler_installers.h"
#include "runtime/link/outside_symbols.h"
#include "runtime/link/providers.h"
#include "runtime/link/source_module.h"
#include "runtime/process/dynamic_symbols.h"

namespace firstcall {

// The function by which a file registers its modules with D's runtime. Program does this for
// modules, so code that is given with a program calls a function that does nothing instead.
inline constexpr absl::string_view kDRegistry = "_d_dso_registry";

class SymbolResolver final : public DynamicSymbols, private HandlerInstallers::Functions {
 public:
  // All must outlive the resolver.
  SymbolResolver(const OutsideSymbols& outside, const Definitions& definitions,
                 FunctionTable& functions)
      : outside_(outside), definitions_(definitions), functions_(functions) {}
  ~SymbolResolver();

  // Sets what links and compiles the definition of a name. Both must outlive the resolver. Call
  // this once, before anything is resolved.
  void Connect(DataProvider& objects, FunctionProvider& compiler) {
    objects_ = &objects;
    compiler_ = &compiler;
  }

  // Whether a module or an object that `library` sees defines the name.
  bool IsDefined(absl::string_view name, LibraryId library) const {
    return definitions_.Find(name, library).has_value();
  }

  // Returns the address of each symbol that `image` leaves undefined. NotFound if nothing defines
  // some of them. The message has `needed_by`, these symbols, and the definitions of `image` that
  // refer to them; it uses ORC's words, because scripts may look for them. May link data.
  // Compiles no function, except together with a variable that cannot be separated from it.
  absl::StatusOr<SymbolResolution> ResolveAll(const ElfObject& image, LazyObject& requester,
                                              absl::string_view needed_by);

  // Has the addresses of final bodies of functions of `module` written to `entries`, tables in the
  // module's data that were bound to what ResolveAll has returned (see
  // FunctionTable::AddTableEntry).
  void AddTableEntries(SourceModule& module, absl::Span<const TableEntry> entries);

  // Returns the address of `name` for the host: the definition of a module or an object that the
  // first library sees. NotFound if there is none.
  absl::StatusOr<Found> Lookup(absl::string_view name);

  // The same for a definition of `module`, which may be local to the module.
  absl::StatusOr<Found> LookupIn(SourceModule& module, absl::string_view name);

  Found FindDynamic(absl::string_view name, LibraryId library, Where where) override;

  // Returns the address of a symbol that `module` defines, for a reference of the given kind.
  absl::StatusOr<ExecutorAddress> AddressOf(SourceModule& module, SymbolOrdinal ordinal,
                                            ReferenceKind kind);

  // Returns the address that a symbol of `module` has for the module's own code: that of the
  // module's definition, if it has one and no other definition replaces it. NotFound if nothing
  // defines the symbol.
  absl::StatusOr<ExecutorAddress> AddressMeantBy(SourceModule& module, SymbolOrdinal ordinal);

  // Whether the definition is weak and another definition replaces it in its module. The first call
  // for a definition decides (runtime/link/weak_choices.h).
  bool IsReplaced(const SourceModule& module, SymbolOrdinal ordinal) const;

  // Whether a definition of `user` must stay replaced when the module that replaces it is removed.
  // This holds for variables, because the data of `user` was linked without them, and for functions
  // if `user` was compiled whole.
  static bool MustStay(const SourceModule& user, SymbolOrdinal definition);
  // For the definitions of `user` that `by` has replaced and that must stay replaced (MustStay):
  // finds the addresses that the code of `user` does not have yet. May link data of `by`.
  void BindReplaced(SourceModule& user, SourceModule& by);

  // Returns the address to which calls of `function` go when `removed` is gone: that of another
  // module's definition, because C++ modules share inline functions. The definitions of `removed`
  // must not be visible any more. Nullopt if there is no other definition, or if it is not compiled
  // lazily. Compiles nothing, and runs no code of the client.
  std::optional<ExecutorAddress> SuccessorOf(const SourceModule& removed, SymbolOrdinal function);

 private:
  // Whether a variable is one of the process or of each thread. The address of a thread-local one
  // is that of its descriptor everywhere here, except for those that ask for a control record.
  enum class Storage { kProcess, kThread };

  // Null if nothing defines the symbol. The same holds for FindOutside.
  absl::StatusOr<ExecutorAddress> Resolve(const ElfObject::Undefined& symbol,
                                          LazyObject& requester);
  absl::StatusOr<ExecutorAddress> ResolveThreadLocal(absl::string_view variable,
                                                     LazyObject& requester);
  absl::StatusOr<std::optional<ExecutorAddress>> ResolveInModule(SymbolReference reference,
                                                                 SourceModule& module,
                                                                 Storage storage);
  absl::StatusOr<std::optional<ExecutorAddress>> FindDefinitionIn(SymbolReference reference,
                                                                  SourceModule& module,
                                                                  Storage storage);
  // `symbol` is that of `ordinal`.
  absl::StatusOr<ExecutorAddress> AddressOf(SourceModule& module, SymbolOrdinal ordinal,
                                            const Symbol& symbol, ReferenceKind kind);
  absl::StatusOr<ExecutorAddress> AddressOf(const Definition& definition, absl::string_view name);
  // The address of a symbol that the module's assembly defines. May link data.
  absl::StatusOr<ExecutorAddress> AddressOf(SourceModule& module, const AssemblySymbol& symbol);
  SymbolOrdinal DefinerOf(const SourceModule& module, SymbolOrdinal base) const;
  absl::StatusOr<ExecutorAddress> DescriptorOf(SourceModule& module, SymbolOrdinal ordinal);
  // The same for what the module's own code means.
  absl::StatusOr<ExecutorAddress> DescriptorMeantBy(SourceModule& module, SymbolOrdinal ordinal);
  static absl::Status CheckStorage(absl::string_view name, bool is_thread_local, Storage storage);
  // The address that code of `module` has for the replacement of a definition. Links the object
  // that has the replacement first. Nullopt if no code has an address.
  absl::StatusOr<std::optional<ExecutorAddress>> BindingOf(const SourceModule& module,
                                                           SymbolOrdinal ordinal);
  absl::StatusOr<std::optional<ExecutorAddress>> BoundInstead(const Definition& definition);
  bool GivesWay(const Definition& definition) const;
  WeakChoices::Choice Choose(const SourceModule& module, SymbolOrdinal ordinal) const;
  // The address of what replaces a definition of `module`; `name` is that of the reference. Null if
  // nothing defines it.
  absl::StatusOr<ExecutorAddress> Replacement(SourceModule& module, SymbolOrdinal ordinal,
                                              absl::string_view name);
  absl::StatusOr<ExecutorAddress> FindOutside(absl::string_view name, LibraryId library,
                                              Storage storage);
  // The `atexit` of the module or object whose code `requester` owns.
  absl::StatusOr<ExecutorAddress> OwnAtexit(LazyObject& requester)
      ABSL_LOCKS_EXCLUDED(own_functions_mutex_);
  // The engine's own function that takes the place of the process's for the code of `requester`.
  absl::StatusOr<std::optional<ExecutorAddress>> FunctionInstead(absl::string_view name,
                                                                 LazyObject& requester)
      ABSL_LOCKS_EXCLUDED(own_functions_mutex_);

  // The engine's own function that takes the place of the process's function `found`, which
  // installs handlers. Null if the client has another one.
  ExecutorAddress HandlerInstaller(absl::string_view name, ExecutorAddress found);

  std::optional<FunctionKey> FunctionAt(ExecutorAddress address) override;
  void PrepareHandler(FunctionKey function, bool may_delegate) override;

  const OutsideSymbols& outside_;
  const Definitions& definitions_;
  FunctionTable& functions_;
  DataProvider* objects_ = nullptr;
  FunctionProvider* compiler_ = nullptr;
  std::atomic<bool> installs_handlers_{false};
  absl::Mutex own_functions_mutex_;  // Guards LazyObject::own_atexit and own_dlsym.
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_SYMBOL_RESOLVER_H_
