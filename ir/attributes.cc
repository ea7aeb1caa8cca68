#include "ir/attributes.h"

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"

namespace firstcall::ir {

// LLVM takes a leading zero for octal, and letters for other bases.
std::optional<uint64_t> AttributeSet::NumberOf(absl::string_view name, uint64_t otherwise) const {
  const absl::string_view text = ValueOf(name);
  if (text.empty()) return otherwise;
  uint64_t number = 0;
  const bool is_decimal = absl::c_all_of(text, absl::ascii_isdigit) && text[0] != '0';
  if (!is_decimal || !absl::SimpleAtoi(text, &number)) return std::nullopt;
  return number;
}

}  // namespace firstcall::ir
