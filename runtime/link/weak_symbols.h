// Decides what the weak symbols of an object mean, before the object is loaded: which weak
// references have no definition, and which weak definitions give way to others.
//
// Thread-safe. Tested in tests/api/engine_test.cc and tests/api/assembly_test.cc.

#ifndef FIRSTCALL_RUNTIME_LINK_WEAK_SYMBOLS_H_
#define FIRSTCALL_RUNTIME_LINK_WEAK_SYMBOLS_H_

#include "absl/strings/string_view.h"
#include "object/elf_object.h"
#include "runtime/link/definitions.h"
#include "runtime/link/lazy_object.h"
#include "runtime/link/outside_symbols.h"

namespace firstcall {

class WeakSymbols {
 public:
  // Both must outlive this.
  WeakSymbols(const Definitions& definitions, const OutsideSymbols& outside)
      : definitions_(definitions), outside_(outside) {}

  // Weak references of `image` that nothing defines become zero. Weak definitions of an object file
  // that another definition replaces become references. Also gives the bounds of the sections that
  // the code generator has made for functions of a source module to those who name them in the same
  // object. `requester` is the object itself, or that of its source module. May run the client's
  // symbol finder; the caller is at work (see WorkScope).
  void Decide(ElfObject& image, const LazyObject& requester) const;

 private:
  bool IsSectionOfGroup(absl::string_view name, const LazyObject& requester) const;
  bool IsKnown(absl::string_view object_name, const LazyObject& requester,
               bool is_thread_local = false) const;

  const Definitions& definitions_;
  const OutsideSymbols& outside_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_WEAK_SYMBOLS_H_
