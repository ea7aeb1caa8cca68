#include "seam/entry_point.h"

#include <unistd.h>  // environ

namespace firstcall {

ProgramArguments::ProgramArguments(absl::Span<const std::string> arguments)
    : strings_(arguments.begin(), arguments.end()) {
  for (std::string& string : strings_) pointers_.push_back(string.data());
  pointers_.push_back(nullptr);
}

// A function that takes fewer arguments ignores the others.
void CallConstructor(ExecutorAddress address, const ProgramArguments& arguments) {
  using Constructor = void (*)(int, char**, char**);
  address.InThisProcess<Constructor>()(arguments.count(), arguments.values(), environ);
}

std::string EntryPoint::Encode() const { return returns_value_ ? "i" : "v"; }

std::optional<EntryPoint> EntryPoint::Decode(absl::string_view bytes) {
  if (bytes != "i" && bytes != "v") return std::nullopt;
  return EntryPoint(bytes == "i");
}

int EntryPoint::Call(ExecutorAddress address, const ProgramArguments& arguments) const {
  if (returns_value_) {
    using Main = int (*)(int, char**, char**);
    return address.InThisProcess<Main>()(arguments.count(), arguments.values(), environ);
  }
  using VoidMain = void (*)(int, char**, char**);
  address.InThisProcess<VoidMain>()(arguments.count(), arguments.values(), environ);
  return 0;
}

}  // namespace firstcall
