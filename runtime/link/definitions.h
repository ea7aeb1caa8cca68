// Tells which module or object defines a name that modules share.
//
// Within a library, a strong definition wins over a weak one. Of several weak definitions, the
// first one wins; of several tentative definitions (common linkage), the largest one. Two strong
// definitions are an error. A library sees its own definitions first, then, unless libraries are
// separate, the definitions of other libraries that are not hidden.
//
// A module with many definitions is searched by name (SymbolIndex::Find), so that adding the module
// takes no time for each of its definitions. Definitions of other modules, of objects, and of names
// that are defined more than once are kept in a table here.
//
// Thread-safe.

#ifndef FIRSTCALL_RUNTIME_LINK_DEFINITIONS_H_
#define FIRSTCALL_RUNTIME_LINK_DEFINITIONS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/btree_map.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/node_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "object/elf_object.h"
#include "runtime/link/lazy_object.h"
#include "runtime/link/source_module.h"

namespace firstcall {

struct Definition {
  // A symbol of a source module, or, if `module` is null, a symbol of `object`.
  SourceModule* module = nullptr;
  SymbolOrdinal ordinal;
  LazyObject* object = nullptr;
  bool is_weak = false;
  bool is_hidden = false;
  bool is_thread_local = false;
  // A bound of a section (__start_ or __stop_), or a table of a garbage collector. It is ambiguous
  // if several modules have that section or table.
  bool is_section_bound = false;
  bool is_ambiguous = false;
  // If this is not empty, nothing can refer to the symbol, for this reason.
  absl::string_view refusal = {};
  uint64_t common_size = 0;  // Of a tentative definition (common linkage), in bytes; 0 for others.
  uint64_t order = 0;
};

class Definitions {
 public:
  // Unless `search_other_libraries`, a library sees only its own definitions.
  explicit Definitions(bool search_other_libraries = true);

  // Returns the library called `name`; makes it if there is none. "" is the first library. A name
  // keeps its LibraryId for good. If nothing is left of a library, it takes no part in look-ups,
  // and only its name takes memory.
  LibraryId LibraryNamed(absl::string_view name) ABSL_LOCKS_EXCLUDED(mutex_);

  // The name of a library. It exists for as long as this table.
  absl::string_view NameOf(LibraryId library) const ABSL_LOCKS_EXCLUDED(mutex_);

  // Adds the definitions of `module`, which must outlive this table or be removed. AlreadyExists,
  // with the symbol and both modules, if the library has another strong definition of a strong
  // symbol; then nothing is added.
  absl::Status Add(SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

  // The same for an object that defines `symbols`. With `is_fallback`, as for the members of an
  // archive, all of them count as weak.
  absl::Status Add(LazyObject& object, absl::Span<const ElfObject::Definition> symbols,
                   bool is_fallback) ABSL_LOCKS_EXCLUDED(mutex_);

  // Removes the definitions of `module`. Definitions that they had overridden become visible again.
  void Remove(SourceModule& module) ABSL_LOCKS_EXCLUDED(mutex_);

  // The definition of `name` that `library` sees.
  std::optional<Definition> Find(absl::string_view name, LibraryId library = LibraryId()) const
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Named {
    absl::string_view name;
    Definition definition;
  };
  struct LargeModule {
    SourceModule* module = nullptr;
    uint64_t order = 0;  // The order of its first symbol.
  };
  using ByName = absl::flat_hash_map<std::string, Definition>;
  struct Library {
    std::vector<LargeModule> large_modules;
    // If a name is in here, then all its definitions are here or in `others`.
    ByName by_name;
    // Overridden definitions, the oldest first. Few names have any.
    absl::flat_hash_map<std::string, std::vector<Definition>> others;

    bool IsEmpty() const { return large_modules.empty() && by_name.empty(); }
  };

  static std::vector<Named> OfSymbols(SourceModule& module);
  static std::vector<Named> OfObject(SourceModule& module);
  static std::optional<Definition> FindIn(const LargeModule& large, absl::string_view name);
  static std::optional<Definition> FindIn(const Library& library, absl::string_view name);
  static std::vector<Named> SharedWith(const Library& library, const LargeModule& added);
  static void Gather(Library& library, absl::string_view name);
  static void Enter(Library& library, absl::string_view name, const Definition& definition);
  static absl::Status CheckAll(const Library& library, absl::Span<const Named> all);
  const Library& LibraryOf(LibraryId id) const ABSL_SHARED_LOCKS_REQUIRED(mutex_);
  void EnterAll(Library& library, absl::Span<const Named> all)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const bool search_other_libraries_;
  const Library empty_library_;
  mutable absl::Mutex mutex_;
  absl::node_hash_map<std::string, LibraryId> library_ids_ ABSL_GUARDED_BY(mutex_);
  std::vector<absl::string_view> library_names_ ABSL_GUARDED_BY(mutex_);  // Of `library_ids_`.
  // The libraries that define something. Look-ups visit them in the order in which they were named.
  absl::btree_map<LibraryId, Library> libraries_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_order_ ABSL_GUARDED_BY(mutex_) = 1;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_DEFINITIONS_H_
