// Calls a program's functions as C calls its constructors and main.
//
// Thread-safe; returns when the program's function does. Tested in tests/api/arguments_test.cc.

#ifndef FIRSTCALL_SEAM_ENTRY_POINT_H_
#define FIRSTCALL_SEAM_ENTRY_POINT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"

namespace firstcall {

// A program's arguments as C strings. They can be changed, and live as long as this.
class ProgramArguments {
 public:
  explicit ProgramArguments(absl::Span<const std::string> arguments);
  ProgramArguments(const ProgramArguments&) = delete;
  ProgramArguments& operator=(const ProgramArguments&) = delete;

  int count() const { return static_cast<int>(strings_.size()); }
  // The array, which ends with a null pointer.
  char** values() const { return pointers_.data(); }

 private:
  std::vector<std::string> strings_;
  mutable std::vector<char*> pointers_;
};

// Calls the constructor at `address`, in this process, with what GNU libc passes to constructors:
// the program's arguments and its environment.
void CallConstructor(ExecutorAddress address, const ProgramArguments& arguments);

class EntryPoint {
 public:
  // Of a function that takes up to three arguments, as main does (int, char**, char**), and returns
  // an integer of at most 32 bits, or, without `returns_value`, nothing.
  explicit EntryPoint(bool returns_value) : returns_value_(returns_value) {}

  // Converts to bytes that can be kept, and back. Nothing if the bytes are not an entry point's.
  std::string Encode() const;
  static std::optional<EntryPoint> Decode(absl::string_view bytes);

  // Calls the function at `address`, in this process, with `arguments` and the process's
  // environment. Returns its result as an int, 0 for a void function.
  int Call(ExecutorAddress address, const ProgramArguments& arguments) const;

 private:
  bool returns_value_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_ENTRY_POINT_H_
