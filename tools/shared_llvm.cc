#include "tools/shared_llvm.h"

#include <dlfcn.h>

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "llvm/Config/llvm-config.h"
#include "third_party/llvm/version/version.h"

namespace firstcall {
namespace {

// Whether `symbol` is a function of LLVM's C interface, or a mangled name in namespace llvm.
bool IsOfLlvm(absl::string_view symbol) {
  return absl::StartsWith(symbol, "LLVM") ||
         (absl::StartsWith(symbol, "_Z") && absl::StrContains(symbol, "4llvm"));
}

// LLVM's shared library, which stays loaded; null if it cannot be loaded.
void* Library() {
  static void* const library = dlopen(llvm_version::kSharedLibrary, RTLD_LAZY | RTLD_GLOBAL);
  return library;
}

}  // namespace

void* FindInSharedLlvm(absl::string_view symbol) {
  if (!IsOfLlvm(symbol)) return nullptr;
  const std::string name(symbol);
  if (dlsym(RTLD_DEFAULT, name.c_str()) != nullptr || Library() == nullptr) return nullptr;
  return dlsym(Library(), name.c_str());
}

}  // namespace firstcall
