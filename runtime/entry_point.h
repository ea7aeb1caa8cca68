// Calls the entry function of a program as C calls main.
//
// Thread-safe; returns when the program's function does. Tested in tests/api/arguments_test.cc.

#ifndef FIRSTCALL_RUNTIME_ENTRY_POINT_H_
#define FIRSTCALL_RUNTIME_ENTRY_POINT_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"

namespace firstcall {

class EntryPoint {
 public:
  // Of a function that takes up to three arguments, as main does (int, char**, char**), and returns
  // an integer of at most 32 bits, or, without `returns_value`, nothing.
  explicit EntryPoint(bool returns_value) : returns_value_(returns_value) {}

  // Converts to bytes that can be kept, and back. Nothing if the bytes are not an entry point's.
  std::string Encode() const;
  static std::optional<EntryPoint> Decode(absl::string_view bytes);

  // Calls the function at `address`, in this process, with `arguments` as C strings, which live
  // until it returns, and with `environment`. Returns its result as an int, 0 for a void function.
  int Call(ExecutorAddress address, absl::Span<const std::string> arguments,
           char** environment) const;

 private:
  bool returns_value_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_ENTRY_POINT_H_
