#include "tools/readable_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "absl/strings/match.h"

namespace firstcall {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

// The engine adds '$' and a number to the names of functions that only their module knows.
std::string Demangled(const std::string& name) {
  if (!absl::StartsWith(name, "_Z")) return name;
  const std::string mangled = name.substr(0, name.find('$'));
  const std::unique_ptr<char, Free> demangled(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, nullptr));
  return demangled == nullptr ? name : demangled.get();
}

}  // namespace

std::string ReadableName(const std::string& name) {
  std::string readable = Demangled(name);
  for (char& c : readable) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  return readable;
}

}  // namespace firstcall
