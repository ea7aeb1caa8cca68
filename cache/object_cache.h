// Keeps compiled objects from one run to the next. Tested in tests/api/cache_test.cc.

#ifndef FIRSTCALL_CACHE_OBJECT_CACHE_H_
#define FIRSTCALL_CACHE_OBJECT_CACHE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/byte_buffer.h"
#include "base/file_identity.h"
#include "base/ids.h"

namespace firstcall {

// The part of a source module that a cache entry was made from.
struct ModulePart {
  enum class Kind : uint32_t {
    kModule = 0,         // The whole module, in eager mode. The entry is a relocatable object.
    kIndex = 1,          // What the engine knows of the module's symbols: no code.
    kData = 2,           // The module's variables.
    kFunction = 3,       // One function, perhaps with others.
    kEntryPoint = 4,     // How to call a function as main: no code.
    kOptimizedBody = 5,  // The optimized body of one function.
    kContinuation = 6,   // A function's OSR continuation at one of its loops.
    kStart = 7,          // Many functions, in one object (runtime/link/start_object).
    kBodies = 8,         // Digests of its functions' bodies (seam/body_digests).
    kLastVersion = 9,    // The signature of the module's last version (engine/versions).
    // As kFunction and kStart, of runs to which a debugger listened: with functions that came along
    // so that the debugger hears of them together.
    kDebuggerFunction = 10,
    kDebuggerStart = 11,
    kLabels = 12,  // Which function's inline assembly defines which label: no code.
  };
  Kind kind = Kind::kModule;
  // The function, for kDebuggerFunction and all kinds from kFunction to kContinuation.
  SymbolOrdinal ordinal;
  uint32_t loop = 0;  // For kContinuation.

  // Whether a cache should drop the entry when it has not been used for some time. The function was
  // hot once, and the cache has, or can get, a first body that is smaller.
  bool ages() const { return kind == Kind::kOptimizedBody || kind == Kind::kContinuation; }

  friend bool operator==(ModulePart a, ModulePart b) {
    return a.kind == b.kind && a.ordinal == b.ordinal && a.loop == b.loop;
  }
  friend bool operator<(ModulePart a, ModulePart b) {
    if (a.kind != b.kind) return a.kind < b.kind;
    if (!(a.ordinal == b.ordinal)) return a.ordinal < b.ordinal;
    return a.loop < b.loop;
  }
  template <typename H>
  friend H AbslHashValue(H h, ModulePart part) {
    return H::combine(std::move(h), static_cast<uint32_t>(part.kind), part.ordinal, part.loop);
  }

  // "module", "index", "data", "function 12", "entry point 12", "optimized body 12",
  // "continuation 12 at loop 3", "start", "bodies", "last version", "function 12 for a debugger",
  // "start for a debugger", "labels".
  std::string ToString() const;
};

// Identifies an entry. Two objects with the same signature and part are the same code.
struct ObjectKey {
  absl::string_view module;     // The source module's name: its path, if it was read from a file.
  absl::string_view signature;  // A line of text with everything that can change the code.
  ModulePart part = {};
};

// The interface of a cache; must be thread-safe. The engine links and runs what Find returns, so an
// implementation must be sure that Find returns only what Store was given.
//
// An entry is a relocatable object behind a few bytes of the engine's own
// (runtime/link/cached_object). For a whole module it is the object alone; an index and an entry
// point contain no object.
class ObjectCache {
 public:
  using Bytes = ByteBuffer;

  virtual ~ObjectCache() = default;

  // What was stored under `key`, for the caller to change, or nothing if there is no entry that can
  // be trusted. Called on the thread that needs the code, before the function's body is read: its
  // time delays the first call.
  virtual std::optional<Bytes> Find(const ObjectKey& key) = 0;

  // The engine is about to look for these entries, each of another module. A cache that has to ask
  // a server may fetch what the modules need together. May block as Find does.
  virtual void Expect(absl::Span<const ObjectKey> /*keys*/) {}

  // Whether Find would return something, as far as that is known without a copy of the entry and
  // without waiting. May be wrong either way; a wrong answer costs time only.
  // Processes that have forked ask for each function that may soon be optimized, up to 100 times a
  // second.
  virtual bool Has(const ObjectKey& key) { return Find(key).has_value(); }

  // Keeps `object`, or ignores it. Replaces an earlier entry for the same key. Called on the thread
  // that has compiled it, which goes on when this returns.
  virtual void Store(const ObjectKey& key, Bytes object) = 0;

  // Whether Store keeps what it is given. If not, the engine does not make entries that only a
  // later run would use.
  virtual bool keeps() const { return true; }

  // The digest that RememberDigest was given for a file which has not changed since, so that the
  // file need not be read. Nothing if it is not known. 32 bytes.
  virtual std::optional<std::string> FindDigest(const FileIdentity& /*file*/) {
    return std::nullopt;
  }
  virtual void RememberDigest(const FileIdentity& /*file*/, absl::string_view /*digest*/) {}

  // Called when an engine ends. Makes the latest entries available to others and to the next run.
  virtual void Flush() {}
};

}  // namespace firstcall

#endif  // FIRSTCALL_CACHE_OBJECT_CACHE_H_
