#include "object/elf_file.h"

#include <cstring>
#include <utility>

#include "base/round_up.h"

namespace firstcall {

Elf64_Shdr& ElfFile::AddSection(absl::string_view name, uint32_t type, uint64_t alignment) {
  bytes_.resize(RoundUp(bytes_.size(), alignment));
  Elf64_Shdr& header = headers_.emplace_back();
  header.sh_name = static_cast<uint32_t>(section_names_.size());
  section_names_.append(name.data(), name.size()).push_back('\0');
  header.sh_type = type;
  header.sh_offset = bytes_.size();
  header.sh_addralign = alignment;
  return header;
}

std::string ElfFile::Finish(Machine machine) {
  const size_t names = headers_.size();
  AddSection(".shstrtab", SHT_STRTAB);
  bytes_.append(section_names_);
  EndSection();
  bytes_.resize(RoundUp(bytes_.size(), 8));
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = machine == Machine::kX86_64 ? EM_X86_64 : EM_AARCH64;
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof(Elf64_Ehdr);
  header.e_shoff = bytes_.size();
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<uint16_t>(headers_.size());
  header.e_shstrndx = static_cast<uint16_t>(names);
  std::memcpy(bytes_.data(), &header, sizeof(header));
  for (const Elf64_Shdr& section : headers_) AppendRecord(section, bytes_);
  return std::move(bytes_);
}

}  // namespace firstcall
