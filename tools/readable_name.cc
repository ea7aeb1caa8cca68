#include "tools/readable_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "absl/strings/match.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

std::string Demangled(const std::string& name) {
  if (!absl::StartsWith(name, "_Z")) return name;
  const std::unique_ptr<char, Free> demangled(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr));
  return demangled == nullptr ? name : demangled.get();
}

}  // namespace

std::string ReadableName(const std::string& name) {
  std::string readable = Demangled(std::string(WithoutOrdinal(name)));
  for (char& c : readable) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = '?';
  }
  return readable;
}

}  // namespace firstcall
