#include "runtime/entry_point.h"

#include <vector>

namespace firstcall {

std::string EntryPoint::Encode() const { return returns_value_ ? "i" : "v"; }

std::optional<EntryPoint> EntryPoint::Decode(absl::string_view bytes) {
  if (bytes != "i" && bytes != "v") return std::nullopt;
  return EntryPoint(bytes == "i");
}

int EntryPoint::Call(ExecutorAddress address, absl::Span<const std::string> arguments,
                     char** environment) const {
  std::vector<std::string> strings(arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& string : strings) pointers.push_back(string.data());
  pointers.push_back(nullptr);
  // A function that takes fewer arguments ignores the others.
  const auto argument_count = static_cast<int>(strings.size());
  if (returns_value_) {
    using Main = int (*)(int, char**, char**);
    return address.InThisProcess<Main>()(argument_count, pointers.data(), environment);
  }
  using VoidMain = void (*)(int, char**, char**);
  address.InThisProcess<VoidMain>()(argument_count, pointers.data(), environment);
  return 0;
}

}  // namespace firstcall
