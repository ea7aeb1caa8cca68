// The cache entry of a function or of a source module's data: the object, and the facts that let
// the engine use the object before it has read any function's body.
//
// Thread-compatible.

#ifndef FIRSTCALL_RUNTIME_LINK_CACHED_OBJECT_H_
#define FIRSTCALL_RUNTIME_LINK_CACHED_OBJECT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/ids.h"
#include "object/object_bytes.h"
#include "seam/compile_questions.h"
#include "seam/hotness_signs.h"

namespace firstcall {

// For each weak definition that was asked about while an object was made: whether it gave way to
// another one. The object may be used only if the answers are still the same.
using Decisions = std::vector<std::pair<SymbolOrdinal, bool>>;

// The same, sorted and without duplicates.
Decisions InOrder(Decisions decisions);

bool AreStillTrue(const Decisions& decisions, IsReplaced is_replaced);

// Asks whether definitions give way, and records the answers.
class DecisionRecorder {
 public:
  explicit DecisionRecorder(IsReplaced is_replaced) : is_replaced_(is_replaced) {}

  bool Ask(SymbolOrdinal ordinal);

  // The answers, in order.
  Decisions Take() && { return InOrder(std::move(decisions_)); }

 private:
  const IsReplaced is_replaced_;
  Decisions decisions_;
};

struct CachedObject {
  // If set, there is no object: the function can only be compiled together with this one, which
  // must be compiled instead.
  std::optional<SymbolOrdinal> leader;
  // If set, there is no object: the object of this function defines the function, too.
  std::optional<SymbolOrdinal> host;

  // The functions that the object defines, each under its Symbol::name. The first `joined` are
  // inseparable; the others were compiled along with them. Empty for data.
  std::vector<SymbolOrdinal> functions;
  size_t joined = 0;
  std::vector<SymbolOrdinal> variables;
  std::vector<HotnessSigns> hotness_signs;  // See FunctionModule.
  std::vector<SymbolOrdinal> sources;       // See CompiledObject.
  std::vector<std::string> labels;          // See CompiledFunction.
  Decisions decisions;
  ObjectBytes object;
};

// The bytes that a cache keeps: first `object`, so that the bytes are a valid object file, then all
// of `description` except its `object` field.
std::string EncodeCachedObject(const CachedObject& description, absl::string_view object);

// The same. Copies nothing if there is room for MostBytesOfDescription behind the object.
std::string AppendDescription(const CachedObject& description, std::string object);
size_t MostBytesOfDescription(const CachedObject& description);

// Nullopt if `bytes` are no such entry, or name symbols beyond `symbol_count`.
std::optional<CachedObject> DecodeCachedObject(ObjectBytes bytes, size_t symbol_count);

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_LINK_CACHED_OBJECT_H_
