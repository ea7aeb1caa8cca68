// What a cache keeps of a function or of a source module's data: the object, and what the engine
// has to know to use it without reading a body.
//
// Thread-compatible.

#ifndef FIRSTCALL_ENGINE_CACHED_OBJECT_H_
#define FIRSTCALL_ENGINE_CACHED_OBJECT_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/ids.h"
#include "engine/object_emitter.h"
#include "splitter/heat_signs.h"
#include "splitter/symbol_index.h"

namespace firstcall {

// Whether weak definitions gave way to others, as far as that was asked while an object was made.
// Asked about the same again, the answers must be the same for the object to be right.
using Decisions = std::vector<std::pair<SymbolOrdinal, bool>>;

bool AreStillTrue(const Decisions& decisions, IsReplaced is_replaced);

// Asks, and keeps the answers.
class DecisionRecorder {
 public:
  explicit DecisionRecorder(IsReplaced is_replaced) : is_replaced_(is_replaced) {}

  bool Ask(SymbolOrdinal ordinal);

  // Sorted, each only once.
  Decisions Take() &&;

 private:
  const IsReplaced is_replaced_;
  Decisions decisions_;
};

struct CachedObject {
  // If set there is no object: the function is compiled together with this one, in whose place.
  std::optional<SymbolOrdinal> leader;
  // If set there is no object: this function brought the one in question along.
  std::optional<SymbolOrdinal> host;

  // The functions the object defines, each under its Symbol::name: first those that cannot be
  // separated, then, from `joined` on, those that were compiled along. Empty for data.
  std::vector<SymbolOrdinal> functions;
  size_t joined = 0;
  std::vector<SymbolOrdinal> variables;
  std::vector<HeatSigns> heat_signs;  // See FunctionModule.
  Decisions decisions;
  ObjectBytes object;
};

// As a cache keeps it: `object` in front, so that the bytes are an object file with something
// behind it, and the rest of `description`, whose own `object` is not looked at.
std::string EncodeCachedObject(const CachedObject& description, absl::string_view object);

// Nothing if `bytes` were written by something else, or name symbols beyond `symbol_count`.
std::optional<CachedObject> DecodeCachedObject(ObjectBytes bytes, size_t symbol_count);

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_CACHED_OBJECT_H_
