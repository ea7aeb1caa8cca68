#include "runtime/process_symbols.h"

#include <dlfcn.h>

#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace firstcall {
namespace {

constexpr char kCxxLibrary[] = "libstdc++.so.6";

// Mangled names, and those of the C++ ABI, like __cxa_throw and __gxx_personality_v0.
bool MayBeOfCxxLibrary(absl::string_view name) {
  return absl::StartsWith(name, "_Z") || absl::StartsWith(name, "__cxa_") ||
         absl::StartsWith(name, "__gxx_") || name == "__dynamic_cast" || name == "__once_proxy";
}

bool LoadCxxLibrary() {
  static const bool is_loaded = dlopen(kCxxLibrary, RTLD_LAZY | RTLD_GLOBAL) != nullptr;
  return is_loaded;
}

}  // namespace

ExecutorAddress FindInProcess(const std::string& name) {
  if (void* address = dlsym(RTLD_DEFAULT, name.c_str())) return ExecutorAddress::Of(address);
  if (MayBeOfCxxLibrary(name) && LoadCxxLibrary()) {
    if (void* address = dlsym(RTLD_DEFAULT, name.c_str())) return ExecutorAddress::Of(address);
  }
  // Part of libc_nonshared.a.
  if (name == "atexit") return ExecutorAddress::Of(reinterpret_cast<const void*>(&std::atexit));
  return ExecutorAddress();
}

}  // namespace firstcall
