#include "engine/build_id.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "runtime/process/loaded_file.h"

namespace firstcall {
namespace {

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

// Empty if the file ends before.
std::string ReadAt(int file, uint64_t offset, size_t size) {
  std::string bytes(size, '\0');
  const ssize_t count = pread(file, bytes.data(), size, static_cast<off_t>(offset));
  return count == static_cast<ssize_t>(size) ? bytes : "";
}

// The same for an open ELF file of this machine's class. Reads, because mapping a few bytes of a
// large library takes longer.
std::string BuildIdIn(int file) {
  constexpr size_t kMostNotes = 64 << 10;
  ElfW(Ehdr) header;
  const std::string first = ReadAt(file, 0, sizeof(header));
  if (first.empty()) return "";
  std::memcpy(&header, first.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "";
  const std::string segments = ReadAt(file, header.e_phoff, header.e_phnum * sizeof(ElfW(Phdr)));
  for (size_t i = 0; i * sizeof(ElfW(Phdr)) < segments.size(); ++i) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, segments.data() + i * sizeof(segment), sizeof(segment));
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostNotes) continue;
    const std::string notes = ReadAt(file, segment.p_offset, segment.p_filesz);
    std::string id = BuildIdAmong(notes.data(), notes.size());
    if (!id.empty()) return id;
  }
  return "";
}

}  // namespace

std::string BuildIdOfFile(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return "";
  std::string id = BuildIdIn(file);
  close(file);
  return id;
}

std::string BuildIdOf(const void* address) {
  std::string id;
  VisitFileAround(reinterpret_cast<uintptr_t>(address), [&](const dl_phdr_info& file) {
    for (int i = 0; i < file.dlpi_phnum && id.empty(); ++i) {
      const ElfW(Phdr)& segment = file.dlpi_phdr[i];
      if (segment.p_type != PT_NOTE) continue;
      const uintptr_t notes = file.dlpi_addr + segment.p_vaddr;
      id = BuildIdAmong(reinterpret_cast<const char*>(notes), segment.p_memsz);
    }
  });
  return id;
}

}  // namespace firstcall
