// Where compiled objects are kept from one run to the next.

#ifndef FIRSTCALL_CACHE_OBJECT_CACHE_H_
#define FIRSTCALL_CACHE_OBJECT_CACHE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/ids.h"
#include "llvm/ADT/SmallVector.h"

namespace firstcall {

// What of a source module something was made from.
struct ModulePart {
  enum class Kind : uint32_t {
    kModule = 0,      // All of it, in eager mode. What is kept is a relocatable object.
    kIndex = 1,       // What the engine knows of its symbols: no code.
    kData = 2,        // Its variables.
    kFunction = 3,    // One function, perhaps with others.
    kEntryPoint = 4,  // How a function is called as main: no code.
  };
  Kind kind = Kind::kModule;
  SymbolOrdinal ordinal;  // Which function.

  friend bool operator==(ModulePart a, ModulePart b) {
    return a.kind == b.kind && a.ordinal == b.ordinal;
  }
  friend bool operator<(ModulePart a, ModulePart b) {
    return a.kind != b.kind ? a.kind < b.kind : a.ordinal < b.ordinal;
  }
  template <typename H>
  friend H AbslHashValue(H h, ModulePart part) {
    return H::combine(std::move(h), static_cast<uint32_t>(part.kind), part.ordinal);
  }

  // "module", "index", "data", "function 12", "entry point 12".
  std::string ToString() const;
};

// What stands for an object. Two objects of one signature and one part are the same code.
struct ObjectKey {
  absl::string_view module;     // The source module's name: a path, if it was read from a file.
  absl::string_view signature;  // A line of text: all that can change the code.
  ModulePart part = {};
};

// To be implemented by whoever keeps objects. Must be thread-safe. What Find returns is linked and
// run, so an implementation must be sure that it is what Store was given.
//
// Apart from whole modules, what is kept is a relocatable object behind a few bytes of the engine's
// own (engine/cached_object).
class ObjectCache {
 public:
  using Bytes = llvm::SmallVector<char, 0>;

  virtual ~ObjectCache() = default;

  // A copy of what was stored under the key; nothing if there is nothing that can be trusted. Asked
  // on the thread that needs the code, before anything of the function is read.
  virtual std::optional<Bytes> Find(const ObjectKey& key) = 0;

  // Keeps `object`, or does not. An object that is stored again takes the place of the one before.
  virtual void Store(const ObjectKey& key, absl::string_view object) = 0;

  // Called when an engine ends: makes what was stored last for others and for the next run.
  virtual void Flush() {}
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_OBJECT_CACHE_H_
