#include "runtime/process/shared_libraries.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace firstcall {
namespace {

// A file that the dynamic linker has loaded, known by the address of its dynamic section.
using File = const ElfW(Dyn) *;

struct LoadedFile {
  File file = nullptr;
  absl::string_view path;
  absl::string_view soname;
  std::vector<absl::string_view> needed;

  bool IsNamed(absl::string_view name) const {
    return soname == name || path == name || absl::EndsWith(path, absl::StrCat("/", name));
  }
};

LoadedFile Read(const dl_phdr_info& info) {
  LoadedFile result;
  result.path = info.dlpi_name;
  for (size_t i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    result.file = reinterpret_cast<File>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
  }
  if (result.file == nullptr) return result;
  const char* strings = nullptr;
  for (File entry = result.file; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  }
  // GNU libc makes an address of the table's place, but not for the kernel's own file (the vDSO).
  if (reinterpret_cast<ElfW(Addr)>(strings) < info.dlpi_addr || strings == nullptr) return result;
  for (File entry = result.file; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_NEEDED) result.needed.emplace_back(strings + entry->d_un.d_val);
    if (entry->d_tag == DT_SONAME) result.soname = strings + entry->d_un.d_val;
  }
  return result;
}

int AddFile(dl_phdr_info* info, size_t, void* files) {
  static_cast<std::vector<LoadedFile>*>(files)->push_back(Read(*info));
  return 0;
}

// The files that the process was started with. The dynamic linker's list begins with the program,
// then come preloaded libraries, then what all of these need, and then what was loaded later. So a
// file is of the start if it is in front of one that a file of the start needs.
absl::flat_hash_set<File> ReadFilesOfStart() {
  std::vector<LoadedFile> files;
  dl_iterate_phdr(AddFile, &files);
  size_t count = std::min<size_t>(files.size(), 1);
  absl::flat_hash_set<File> of_start;
  for (size_t user = 0; user < count; ++user) {
    of_start.insert(files[user].file);
    for (const absl::string_view name : files[user].needed) {
      for (size_t i = count; i < files.size(); ++i) {
        if (files[i].IsNamed(name)) count = i + 1;
      }
    }
  }
  return of_start;
}

const absl::flat_hash_set<File>& FilesOfStart() {
  static const auto* const files = new absl::flat_hash_set<File>(ReadFilesOfStart());
  return *files;
}

// The file in which `address` is; null for a thread's variable.
File FileOf(void* address) {
  Dl_info symbol;
  link_map* map = nullptr;
  return dladdr1(address, &symbol, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 ||
                 map == nullptr
             ? nullptr
             : map->l_ld;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const SharedLibraries>> SharedLibraries::Open(
    absl::Span<const std::string> paths) {
  if (!paths.empty()) FilesOfStart();  // While little else is loaded.
  std::vector<void*> handles;
  for (const std::string& path : paths) {
    void* const handle = dlopen(path.c_str(), RTLD_LAZY | RTLD_GLOBAL);
    if (handle == nullptr) {
      return absl::NotFoundError(absl::StrCat("loading library '", path, "': ", dlerror()));
    }
    handles.push_back(handle);
  }
  return std::shared_ptr<const SharedLibraries>(new SharedLibraries(std::move(handles)));
}

ExecutorAddress SharedLibraries::Find(const std::string& name, bool of_start_too) const {
  for (void* const handle : handles_) {
    // Looks at the library itself first, and then at what it needs.
    void* const address = dlsym(handle, name.c_str());
    if (address == nullptr) continue;
    const File library = static_cast<const link_map*>(handle)->l_ld;
    const File file = FileOf(address);
    if (file != nullptr && file != library) continue;
    if (of_start_too || !FilesOfStart().contains(library)) return ExecutorAddress::Of(address);
  }
  return ExecutorAddress();
}

}  // namespace firstcall
