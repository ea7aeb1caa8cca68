#include "memory/process_unwinders.h"

#include <dlfcn.h>
#include <link.h>

#include <string>

#include "memory/single_unwind_tables.h"
#include "memory/unwind_groups.h"

// Of the unwinder that this file is linked with: libgcc's interface (unwind-dw2-fde.h; there is no
// public header), or LLVM's (libunwind_ext.h). Weak, because there is only one of them.
extern "C" {
[[gnu::weak]] void __register_frame(void* table);
[[gnu::weak]] void __deregister_frame(void* table);
[[gnu::weak]] void __unw_add_dynamic_fde(void* entry);
[[gnu::weak]] void __unw_remove_dynamic_fde(void* entry);
}

namespace firstcall {
namespace {

struct File {
  std::string path;  // Empty for the program itself.
  uintptr_t base;
};

std::vector<File> LoadedFiles() {
  std::vector<File> files;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* result) {
        static_cast<std::vector<File>*>(result)->push_back({info->dlpi_name, info->dlpi_addr});
        return 0;
      },
      &files);
  return files;
}

// The function `name` of the file that `handle` stands for; null if it has none. A look-up also
// finds functions of the libraries that the file needs.
template <typename Function>
Function FunctionOf(void* handle, uintptr_t base, const char* name) {
  void* function = dlsym(handle, name);
  Dl_info info;
  link_map* file = nullptr;
  if (function == nullptr ||
      dladdr1(function, &info, reinterpret_cast<void**>(&file), RTLD_DL_LINKMAP) == 0) {
    return nullptr;
  }
  return file->l_addr == base ? reinterpret_cast<Function>(function) : nullptr;
}

// The unwinder that the file is; a null function if it is none.
FoundUnwinder UnwinderOf(void* handle, uintptr_t base) {
  using Add = void (*)(void*);
  SingleUnwindTables::Functions single;
  single.add = FunctionOf<Add>(handle, base, "__unw_add_dynamic_fde");
  single.remove = FunctionOf<Add>(handle, base, "__unw_remove_dynamic_fde");
  if (single.add != nullptr && single.remove != nullptr) {
    return {reinterpret_cast<const void*>(single.add),
            std::make_unique<SingleUnwindTables>(SingleUnwindTables::Unit::kEntry, single)};
  }
  UnwindGroups::Functions groups;
  groups.register_table =
      FunctionOf<decltype(groups.register_table)>(handle, base, "__register_frame_info_table");
  groups.deregister =
      FunctionOf<decltype(groups.deregister)>(handle, base, "__deregister_frame_info");
  if (groups.register_table == nullptr || groups.deregister == nullptr) return {nullptr, nullptr};
  const auto* function = reinterpret_cast<const void*>(groups.register_table);
  // libgcc has had this symbol since version 13, whose registrations are in a tree.
  if (dlvsym(handle, "__truncdfbf2", "GCC_13.0.0") != nullptr) {
    single.add = FunctionOf<Add>(handle, base, "__register_frame");
    single.remove = FunctionOf<Add>(handle, base, "__deregister_frame");
    return {function,
            std::make_unique<SingleUnwindTables>(SingleUnwindTables::Unit::kTable, single)};
  }
  return {function, std::make_unique<UnwindGroups>(groups)};
}

// An unwinder that is a part of this file, which need not export it; a null function if there is
// none. A copy of libgcc gets each table by itself, which is right for all its versions.
FoundUnwinder LinkedUnwinder() {
  const bool is_llvms = __unw_add_dynamic_fde != nullptr;
  const SingleUnwindTables::Functions functions =
      is_llvms ? SingleUnwindTables::Functions{&__unw_add_dynamic_fde, &__unw_remove_dynamic_fde}
               : SingleUnwindTables::Functions{&__register_frame, &__deregister_frame};
  // What the dynamic linker knows under this name is a library's, and has been found there.
  const char* name = is_llvms ? "__unw_add_dynamic_fde" : "__register_frame";
  const auto* function = reinterpret_cast<const void*>(functions.add);
  if (function == nullptr || functions.remove == nullptr || function == dlsym(RTLD_DEFAULT, name)) {
    return {nullptr, nullptr};
  }
  const auto unit = is_llvms ? SingleUnwindTables::Unit::kEntry : SingleUnwindTables::Unit::kTable;
  return {function, std::make_unique<SingleUnwindTables>(unit, functions)};
}

}  // namespace

uint64_t CountOfLoadedLibraries() {
  uint64_t count = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* result) {
        *static_cast<uint64_t*>(result) = info->dlpi_adds;
        return 1;  // That is the same for all files.
      },
      &count);
  return count;
}

std::vector<FoundUnwinder> FindProcessUnwinders(const absl::flat_hash_set<const void*>& known) {
  std::vector<FoundUnwinder> found;
  for (const File& file : LoadedFiles()) {
    void* handle = dlopen(file.path.empty() ? nullptr : file.path.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    FoundUnwinder unwinder = UnwinderOf(handle, file.base);
    if (unwinder.function != nullptr && !known.contains(unwinder.function)) {
      found.push_back(std::move(unwinder));
    } else {
      dlclose(handle);
    }
  }
  FoundUnwinder linked = LinkedUnwinder();
  if (linked.function != nullptr && !known.contains(linked.function)) {
    found.push_back(std::move(linked));
  }
  return found;
}

}  // namespace firstcall
