// The cache entry of a function or of a source module's data: the object, and what the engine needs
// to know to use it without reading a body.
//
// Thread-compatible.

#ifndef FIRSTCALL_RUNTIME_CACHED_OBJECT_H_
#define FIRSTCALL_RUNTIME_CACHED_OBJECT_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/ids.h"
#include "code/compile_questions.h"
#include "code/hotness_signs.h"
#include "code/object_bytes.h"
#include "code/symbol_index.h"

namespace firstcall {

// For each weak definition that was asked about while an object was made: whether it gave way to
// another one. The object may be used only if the answers are still the same.
using Decisions = std::vector<std::pair<SymbolOrdinal, bool>>;

bool AreStillTrue(const Decisions& decisions, IsReplaced is_replaced);

// Asks the question and records the answer.
class DecisionRecorder {
 public:
  explicit DecisionRecorder(IsReplaced is_replaced) : is_replaced_(is_replaced) {}

  bool Ask(SymbolOrdinal ordinal);

  // The answers, sorted and without duplicates.
  Decisions Take() &&;

 private:
  const IsReplaced is_replaced_;
  Decisions decisions_;
};

struct CachedObject {
  // If set, there is no object: the function is compiled together with this one, and in its place.
  std::optional<SymbolOrdinal> leader;
  // If set, there is no object: the object of this function defines the function, too.
  std::optional<SymbolOrdinal> host;

  // The functions that the object defines, each under its Symbol::name. The first `joined` are
  // inseparable; the others were compiled along with them. Empty for data.
  std::vector<SymbolOrdinal> functions;
  size_t joined = 0;
  std::vector<SymbolOrdinal> variables;
  std::vector<HotnessSigns> hotness_signs;  // See FunctionModule.
  Decisions decisions;
  ObjectBytes object;
};

// The bytes that a cache keeps: `object` first, so that they are a valid object file, then all of
// `description` but its own `object`.
std::string EncodeCachedObject(const CachedObject& description, absl::string_view object);

// Nothing if `bytes` are no such entry, or name symbols beyond `symbol_count`.
std::optional<CachedObject> DecodeCachedObject(ObjectBytes bytes, size_t symbol_count);

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_CACHED_OBJECT_H_
