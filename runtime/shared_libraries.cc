#include "runtime/shared_libraries.h"

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
// then come preloaded libraries, then what these need, then what was loaded later. So they end with
// the last file that the program needs, directly or not.
absl::flat_hash_set<File> ReadFilesOfStart() {
  std::vector<LoadedFile> files;
  dl_iterate_phdr(AddFile, &files);
  std::vector<size_t> needed = {0};
  std::vector<bool> is_needed(files.size(), false);
  size_t count = files.empty() ? 0 : 1;
  while (!files.empty() && !needed.empty()) {
    const LoadedFile user = files[needed.back()];
    needed.pop_back();
    for (const absl::string_view name : user.needed) {
      for (size_t i = 0; i < files.size(); ++i) {
        if (is_needed[i] || !files[i].IsNamed(name)) continue;
        is_needed[i] = true;
        needed.push_back(i);
        count = std::max(count, i + 1);
      }
    }
  }
  absl::flat_hash_set<File> of_start;
  for (size_t i = 0; i < count; ++i) of_start.insert(files[i].file);
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

// A static linker would put what the libraries need behind all of them.
ExecutorAddress SharedLibraries::Find(const std::string& name, bool of_start_too) const {
  void* needed = nullptr;
  for (void* const handle : handles_) {
    void* const address = dlsym(handle, name.c_str());
    if (address == nullptr) continue;
    const File file = FileOf(address);
    const bool is_own = file == static_cast<const link_map*>(handle)->l_ld;
    if (FilesOfStart().contains(file) && !(is_own && of_start_too)) continue;
    if (is_own) return ExecutorAddress::Of(address);
    if (needed == nullptr) needed = address;
  }
  return ExecutorAddress::Of(needed);
}

}  // namespace firstcall
