// A relocatable ELF object that is being written: its sections one after the other, then their
// names and headers. For the other files of this folder. <elf.h>, which this header includes, has
// macros with the names of LLVM's constants.
//
// Thread-compatible. Tested in tests/object/elf_writer_test.cc and object_merger_test.cc.

#ifndef FIRSTCALL_OBJECT_ELF_FILE_H_
#define FIRSTCALL_OBJECT_ELF_FILE_H_

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "object/machine.h"

namespace firstcall {

class ElfFile {
 public:
  ElfFile() : bytes_(sizeof(Elf64_Ehdr), '\0'), headers_(1), section_names_(1, '\0') {}

  // What was written so far. The contents of a section are appended here.
  std::string& bytes() { return bytes_; }

  // The number of sections, and so the number of the next one.
  size_t section_count() const { return headers_.size(); }

  // Begins a section. Its header is valid until the next one begins.
  Elf64_Shdr& AddSection(absl::string_view name, uint32_t type, uint64_t alignment = 1);

  // Sets the size of the section that was begun last to that of the bytes since then.
  void EndSection() { headers_.back().sh_size = bytes_.size() - headers_.back().sh_offset; }

  // Appends the names and headers of the sections, and returns the object. Call it once.
  std::string Finish(Machine machine);

 private:
  std::string bytes_;
  std::vector<Elf64_Shdr> headers_;
  std::string section_names_;
};

// Appends the bytes of a record.
template <typename T>
void AppendRecord(const T& record, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&record), sizeof(T));
}

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_ELF_FILE_H_
