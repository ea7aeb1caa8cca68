#include "runtime/process/loaded_file.h"

#include <cstddef>

namespace firstcall {
namespace {

struct Search {
  uintptr_t address;
  absl::FunctionRef<void(const dl_phdr_info& file)> visit;
};

// Stops at the file.
int Visit(dl_phdr_info* file, size_t, void* data) {
  const auto& search = *static_cast<Search*>(data);
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = file->dlpi_phdr[i];
    const uintptr_t begin = file->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || search.address < begin ||
        search.address - begin >= segment.p_memsz) {
      continue;
    }
    search.visit(*file);
    return 1;
  }
  return 0;
}

}  // namespace

void VisitFileAround(uintptr_t address, absl::FunctionRef<void(const dl_phdr_info& file)> visit) {
  Search search{address, visit};
  dl_iterate_phdr(&Visit, &search);
}

}  // namespace firstcall
