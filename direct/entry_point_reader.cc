#include "direct/entry_point_reader.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/global.h"
#include "ir/type.h"

namespace firstcall::direct {

absl::StatusOr<EntryPoint> ReadEntryPoint(const ir::Module& module, uint32_t global) {
  const ir::Global& function = module.globals()[global];
  if (!function.IsFunction()) {
    return absl::InvalidArgumentError(
        absl::StrCat("entry function '", function.name, "' is not a function"));
  }
  const auto wrong = [&](absl::string_view what) {
    return absl::InvalidArgumentError(
        absl::StrCat("entry function '", function.name, "' cannot be called as main: ", what));
  };
  const ir::Type& type = *function.value_type();
  const absl::Span<const ir::Type* const> parameters = type.parameters();
  if (type.is_variadic) return wrong("it takes variable arguments");
  if (parameters.size() > 3) return wrong("it takes more than three arguments");
  if (!parameters.empty() && !parameters[0]->IsInteger(32)) {
    return wrong("its first argument is not an i32");
  }
  for (size_t i = 1; i < parameters.size(); ++i) {
    if (!parameters[i]->IsPointer()) {
      return wrong(absl::StrCat("its argument ", i + 1, " is not a pointer"));
    }
  }
  const ir::Type& result = *type.result();
  if (!result.IsVoid() && !(result.IsInteger() && result.number <= 32)) {
    return wrong("it returns neither an integer of at most 32 bits nor nothing");
  }
  return EntryPoint(!result.IsVoid());
}

}  // namespace firstcall::direct
