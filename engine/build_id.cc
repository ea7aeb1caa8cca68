#include "engine/build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"

namespace firstcall {
namespace {

struct Search {
  uintptr_t address;
  std::string id;
};

size_t Padded(size_t size) { return (size + 3) & ~size_t{3}; }

std::string BuildIdAmong(const char* notes, size_t size) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, notes, sizeof(note));
    const size_t name = sizeof(note), id = name + Padded(note.n_namesz);
    const size_t end = id + Padded(note.n_descsz);
    if (end > size) break;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes + name, "GNU", 4) == 0) {
      return absl::BytesToHexString(absl::string_view(notes + id, note.n_descsz));
    }
    notes += end;
    size -= end;
  }
  return "";
}

// Stops at the object that contains the address.
int Visit(dl_phdr_info* object, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const auto starts_at = [&](const ElfW(Phdr) & segment) {
    return static_cast<uintptr_t>(object->dlpi_addr + segment.p_vaddr);
  };
  bool has_address = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    has_address |= segment.p_type == PT_LOAD && search.address >= starts_at(segment) &&
                   search.address - starts_at(segment) < segment.p_memsz;
  }
  if (!has_address) return 0;
  for (int i = 0; i < object->dlpi_phnum && search.id.empty(); ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    search.id = BuildIdAmong(reinterpret_cast<const char*>(starts_at(segment)), segment.p_memsz);
  }
  return 1;
}

// The same for the bytes of an ELF file of this machine's class.
std::string BuildIdIn(absl::string_view file) {
  ElfW(Ehdr) header;
  if (file.size() < sizeof(header)) return "";
  std::memcpy(&header, file.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "";
  for (size_t i = 0; i < header.e_phnum; ++i) {
    const size_t offset = header.e_phoff + i * sizeof(ElfW(Phdr));
    if (offset > file.size() || file.size() - offset < sizeof(ElfW(Phdr))) return "";
    ElfW(Phdr) segment;
    std::memcpy(&segment, file.data() + offset, sizeof(segment));
    if (segment.p_type != PT_NOTE || segment.p_offset > file.size() ||
        segment.p_filesz > file.size() - segment.p_offset) {
      continue;
    }
    std::string id = BuildIdAmong(file.data() + segment.p_offset, segment.p_filesz);
    if (!id.empty()) return id;
  }
  return "";
}

}  // namespace

// Maps the file, of which only the first pages are looked at.
std::string BuildIdOfFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  struct stat status = {};
  const size_t size = fstat(file, &status) == 0 ? static_cast<size_t>(status.st_size) : 0;
  void* const mapped =
      size == 0 ? MAP_FAILED : mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (mapped == MAP_FAILED) return "";
  std::string id = BuildIdIn(absl::string_view(static_cast<const char*>(mapped), size));
  munmap(mapped, size);
  return id;
}

std::string BuildIdOf(const void* address) {
  Search search{reinterpret_cast<uintptr_t>(address), ""};
  dl_iterate_phdr(&Visit, &search);
  return search.id;
}

}  // namespace firstcall
