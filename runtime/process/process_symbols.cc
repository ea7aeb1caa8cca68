#include "runtime/process/process_symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace firstcall {
namespace {

// Those that GNU ld, LLD and the C library's start-up code define.
constexpr absl::string_view kBoundsOfSegments[] = {
    "__bss_start",        "__data_start", "__end__", "__etext",
    "__executable_start", "_edata",       "_end",    "_etext",
    "data_start",         "edata",        "end",     "etext"};

constexpr char kCxxLibrary[] = "libstdc++.so.6";

// Mangled names, and those of the C++ ABI, like __cxa_throw and __gxx_personality_v0.
bool MayBeOfCxxLibrary(absl::string_view name) {
  return absl::StartsWith(name, "_Z") || absl::StartsWith(name, "__cxa_") ||
         absl::StartsWith(name, "__gxx_") || name == "__dynamic_cast" || name == "__once_proxy";
}

// Whether a shared library has brought a C++ library, of which a program can have only one.
bool HasCxxLibrary() {
  void* const known = dlsym(RTLD_DEFAULT, "__cxa_get_globals");
  Dl_info symbol;
  link_map* file = nullptr;
  return known != nullptr &&
         dladdr1(known, &symbol, reinterpret_cast<void**>(&file), RTLD_DL_LINKMAP) != 0 &&
         file != nullptr && file->l_name != nullptr && file->l_name[0] != '\0';
}

bool LoadCxxLibrary() {
  static const bool is_loaded =
      !HasCxxLibrary() && dlopen(kCxxLibrary, RTLD_LAZY | RTLD_GLOBAL) != nullptr;
  return is_loaded;
}

// Whether the dynamic linker has found what a static linker has put there, which has no type, and
// not somebody's function or variable. The end of a file's last segment belongs to no file.
bool IsOfStaticLinker(const void* address) {
  Dl_info info;
  void* symbol = nullptr;
  if (dladdr1(address, &info, &symbol, RTLD_DL_SYMENT) == 0 || symbol == nullptr) return true;
  return ELF64_ST_TYPE(static_cast<const ElfW(Sym)*>(symbol)->st_info) == STT_NOTYPE;
}

// `separator` is where the name ends.
void* FindVersion(const std::string& name, size_t separator) {
  const size_t version = name.find_first_not_of('@', separator);
  if (version == std::string::npos) return nullptr;
  return dlvsym(RTLD_DEFAULT, name.substr(0, separator).c_str(), name.c_str() + version);
}

}  // namespace

bool IsBoundOfSegment(absl::string_view name) {
  return std::find(std::begin(kBoundsOfSegments), std::end(kBoundsOfSegments), name) !=
         std::end(kBoundsOfSegments);
}

bool IsBoundOfThisProcess(const std::string& name, ExecutorAddress address) {
  if (!IsBoundOfSegment(name)) return false;
  const void* const found = dlsym(RTLD_DEFAULT, name.c_str());
  return found != nullptr && ExecutorAddress::Of(found) == address && IsOfStaticLinker(found);
}

ExecutorAddress FindInProcess(const std::string& name) {
  if (!absl::StrContains(name, '@')) {
    if (void* found = dlsym(RTLD_DEFAULT, name.c_str())) {
      const ExecutorAddress address = ExecutorAddress::Of(found);
      return IsBoundOfThisProcess(name, address) ? ExecutorAddress() : address;
    }
  }
  return FindNotExported(name);
}

ExecutorAddress FindNotExported(const std::string& name) {
  if (const size_t separator = name.find('@'); separator != std::string::npos && separator != 0) {
    return ExecutorAddress::Of(FindVersion(name, separator));
  }
  // Looking for a name that nothing has is slow. From the second look on, this thread's earlier
  // look was made when the library was loaded.
  thread_local bool has_looked_with_library = false;
  if (!has_looked_with_library && MayBeOfCxxLibrary(name) && LoadCxxLibrary()) {
    has_looked_with_library = true;
    if (void* address = dlsym(RTLD_DEFAULT, name.c_str())) return ExecutorAddress::Of(address);
  }
  // Part of libc_nonshared.a.
  if (name == "atexit") return ExecutorAddress::Of(reinterpret_cast<const void*>(&std::atexit));
  return ExecutorAddress();
}

}  // namespace firstcall
