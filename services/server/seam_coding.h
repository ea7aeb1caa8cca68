// The values of the seam (seam/compiler.h) as bytes. The bytes may come from a process that is not
// trusted. So the functions that decode return InvalidArgument for ordinals beyond the module's
// symbols, unknown enumerators and missing bytes.
//
// Thread-safe: pure functions. Tested in tests/services/server/seam_coding_test.cc.

#ifndef FIRSTCALL_SERVICES_SERVER_SEAM_CODING_H_
#define FIRSTCALL_SERVICES_SERVER_SEAM_CODING_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ids.h"
#include "foreign/function_shape.h"
#include "seam/compiler.h"
#include "seam/compiler_settings.h"

namespace firstcall {

// InvalidArgument if the settings have options that are objects of LLVM, which cannot be sent.
absl::StatusOr<std::string> EncodeSettings(const CompilerSettings& settings);
absl::StatusOr<CompilerSettings> DecodeSettings(absl::string_view bytes);

// The values of an order, except its callbacks and what only this process can use.
struct OrderValues {
  ModuleId module;
  SymbolOrdinal function;        // Zero for data.
  std::optional<uint32_t> loop;  // For optimizations.
  bool is_far = false;
  bool lists_callees = false;
  bool others_may_join = false;
  uint32_t callees_along = 0;
  uint32_t companions = 0;
  std::optional<PollOptions> polls;
  std::optional<Identification> identification;
  bool counts_branches = false;      // For optimizations.
  bool asks_when_called = false;     // The same.
  std::vector<BranchCounts> counts;  // The same.
};
OrderValues ValuesOf(const FunctionOrder& order);
OrderValues ValuesOf(const DataOrder& order);
OrderValues ValuesOf(const OptimizationOrder& order);
std::string EncodeOrder(const OrderValues& order);
absl::StatusOr<OrderValues> DecodeOrder(absl::string_view bytes);

std::string EncodeObject(const CompiledObject& object);
absl::StatusOr<CompiledObject> DecodeObject(absl::string_view bytes, size_t symbol_count);

// A function and what was compiled with it. `uninvited`: those of its functions that joined without
// a question to the client (may_join).
struct SentFunction {
  CompiledFunction function;
  std::vector<SymbolOrdinal> uninvited;
};
std::string EncodeFunction(const SentFunction& sent);
absl::StatusOr<SentFunction> DecodeFunction(absl::string_view bytes, size_t symbol_count);

std::string EncodeShape(const FunctionShape& shape);
absl::StatusOr<FunctionShape> DecodeShape(absl::string_view bytes);

}  // namespace firstcall

#endif  // FIRSTCALL_SERVICES_SERVER_SEAM_CODING_H_
