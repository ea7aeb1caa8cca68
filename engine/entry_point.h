// Calls a program's entry function the way a C program's main is called.

#ifndef FIRSTCALL_ENGINE_ENTRY_POINT_H_
#define FIRSTCALL_ENGINE_ENTRY_POINT_H_

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace firstcall {

class EntryPoint {
 public:
  // InvalidArgument, with what is wrong, unless `function` takes up to three arguments as main does
  // (int, char**, char**) and returns an integer or nothing.
  static absl::StatusOr<EntryPoint> Create(const llvm::Function& function);

  // As bytes that can be kept, and back; nothing if they are not an entry point's.
  std::string Encode() const;
  static std::optional<EntryPoint> Decode(absl::string_view bytes);

  // Calls the function at `address`, in this process, with C strings made of `arguments` and with
  // `environment`, and gives what it returns as an int (0 for a void function). The strings live
  // until it returns.
  int Call(ExecutorAddress address, absl::Span<const std::string> arguments,
           char** environment) const;

 private:
  explicit EntryPoint(bool returns_value) : returns_value_(returns_value) {}

  bool returns_value_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_ENTRY_POINT_H_
