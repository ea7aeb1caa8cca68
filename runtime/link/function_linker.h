// Links objects that are made from function-modules: resolves their references and loads them into
// memory.
//
// Thread-safe. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_FUNCTION_LINKER_H_
#define FIRSTCALL_RUNTIME_LINK_FUNCTION_LINKER_H_

#include <cstddef>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "object/elf_object.h"
#include "object/object_loader.h"
#include "runtime/link/code_space.h"
#include "runtime/link/object_constructors.h"
#include "runtime/link/source_module.h"
#include "runtime/link/symbol_resolver.h"
#include "runtime/link/weak_symbols.h"
#include "seam/compiler.h"
#include "seam/listener.h"

namespace firstcall {

class FunctionLinker {
 public:
  // All must outlive the linker.
  FunctionLinker(OtherLinkers other_linkers, const WeakSymbols& weak_symbols,
                 SymbolResolver& resolver, ObjectConstructors& constructors,
                 const CodeSpace& code_space)
      : other_linkers_(std::move(other_linkers)),
        weak_symbols_(weak_symbols),
        resolver_(resolver),
        constructors_(constructors),
        code_space_(code_space) {}

  // Whether code that is compiled now for `module` may lie out of reach of what it refers to.
  bool IsFar(const SourceModule& module) const {
    return module.is_far() || code_space_.MustBeFar();
  }

  struct Linked {
    SymbolAddresses defined;
    size_t code_bytes = 0;
    bool by_mcjit = false;  // MCJIT has linked it.
  };

  // Links `image`, which was made for function `name` of `module`, into the module's code. The
  // variables with which guards of its calls compare become table entries (see kGuardSuffix).
  // `is_far` says that the code was generated to reach everything through the offset table. Then
  // runs the constructors of object files that were linked on the way. Blocks until everything that
  // must be linked or compiled first is done.
  absl::StatusOr<Linked> Link(ElfObject& image, SourceModule& module, absl::string_view name,
                              bool is_far) const;

  // The same for an object that defines labels, which the definitions it refers to may need: calls
  // `on_loaded` with the addresses of the definitions before anything else is linked. After an
  // error the memory of the object is kept.
  using OnLoaded = absl::FunctionRef<void(const SymbolAddresses& defined)>;
  absl::StatusOr<Linked> LinkWithLabels(ElfObject& image, SourceModule& module,
                                        absl::string_view name, bool is_far,
                                        OnLoaded on_loaded) const;

  // What listeners are told of each object that was made for `module` and linked: the module, the
  // object's bytes, and how long its steps took. `image` is `object`, read; linking it took `link`.
  // The result points into all three.
  static PublishedObject Describe(const SourceModule& module, const CompiledObject& object,
                                  const ElfObject& image, const Linked& linked,
                                  absl::Duration link);

 private:
  void Prepare(ElfObject& image, SourceModule& module) const;
  absl::StatusOr<SymbolResolution> Resolve(const ElfObject& image, SourceModule& module,
                                           absl::string_view name) const;
  Linked Complete(SourceModule& module, LoadedObject loaded,
                  absl::Span<const TableEntry> table_entries) const;

  const OtherLinkers other_linkers_;
  const WeakSymbols& weak_symbols_;
  SymbolResolver& resolver_;
  ObjectConstructors& constructors_;
  const CodeSpace& code_space_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_FUNCTION_LINKER_H_
