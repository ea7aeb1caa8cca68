// What a check of the arrays objects to: a literal text and one of two kinds, or nothing. Cheap, so
// that the check of a valid instruction costs no absl::Status.
//
// A plain value.

#ifndef FIRSTCALL_IR_FAULT_H_
#define FIRSTCALL_IR_FAULT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace firstcall::ir {

class Fault {
 public:
  // No fault.
  Fault() = default;
  // Not valid IR. `text` is a literal.
  static Fault Invalid(const char* text) { return Fault(text, /*is_unknown=*/false); }
  // Nothing that this version knows; perhaps valid IR. `text` is a literal.
  static Fault Unknown(const char* text) { return Fault(text, /*is_unknown=*/true); }

  // Whether there is a fault.
  explicit operator bool() const { return text_ != nullptr; }

  // There must be a fault. `place`: where. InvalidArgument or Unimplemented.
  absl::Status At(absl::string_view place) const {
    const std::string message = absl::StrCat(place, ": ", text_);
    return is_unknown_ ? absl::UnimplementedError(message) : absl::InvalidArgumentError(message);
  }

 private:
  Fault(const char* text, bool is_unknown) : text_(text), is_unknown_(is_unknown) {}

  const char* text_ = nullptr;
  bool is_unknown_ = false;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_FAULT_H_
