// ReadTables reads each section header once and keeps it, so the extents of tables stay as they
// were checked. The tables of a damaged object may overlap. So a change of one may change another,
// and what is read from a record is checked whenever it is used.

#include "object/elf_tables.h"

#include <elf.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "object/large_section.h"

namespace firstcall {
namespace {

// The file's records are copied to these structs.
static_assert(sizeof(ElfTables::Symbol) == sizeof(Elf64_Sym) &&
              offsetof(ElfTables::Symbol, index) == offsetof(Elf64_Sym, st_shndx));
static_assert(sizeof(ElfTables::Relocation) == sizeof(Elf64_Rela) &&
              offsetof(ElfTables::Relocation, addend) == offsetof(Elf64_Rela, r_addend));

Machine MachineOf(uint16_t elf_machine) {
  switch (elf_machine) {
    case EM_X86_64:
      return Machine::kX86_64;
    case EM_AARCH64:
      return Machine::kAArch64;
    default:
      return Machine::kOther;
  }
}

absl::Status Damaged(absl::string_view what) { return absl::InvalidArgumentError(what); }

}  // namespace

absl::Status ElfTables::ReadTables(absl::Span<char> bytes) {
  bytes_ = bytes;
  FIRSTCALL_RETURN_IF_ERROR(ReadSections());
  for (const Section& section : sections_) {
    if (section.type == SHT_SYMTAB) {
      FIRSTCALL_RETURN_IF_ERROR(ReadSymbolTable(section));
    } else if (section.type == SHT_SYMTAB_SHNDX) {
      section_numbers_ = section.offset;
      section_number_count_ = section.size / sizeof(uint32_t);
    } else if (section.type == SHT_RELA) {
      FIRSTCALL_RETURN_IF_ERROR(CheckRelocationTable(section));
    } else if (section.type == SHT_PROGBITS && !section.is_loaded() && section.size != 0 &&
               absl::StartsWith(section.name, ".debug_")) {
      has_debug_sections_ = true;
      if (section.name == ".debug_info") has_debug_information_ = true;
    }
  }
  return absl::OkStatus();
}

absl::Status ElfTables::ReadSections() {
  // The first sentence is LLVM's, which scripts around lli look for.
  constexpr absl::string_view kKind =
      "The file was not recognized as a valid object file: it is not a 64-bit little-endian "
      "relocatable ELF object";
  if (bytes_.size() < sizeof(Elf64_Ehdr)) return Damaged(kKind);
  const auto header = Read<Elf64_Ehdr>(0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL) {
    return Damaged(kKind);
  }
  machine_ = MachineOf(header.e_machine);
  if (header.e_shoff == 0) return absl::OkStatus();  // No sections.
  if (header.e_shentsize != sizeof(Elf64_Shdr) || !HasTable(header.e_shoff, sizeof(Elf64_Shdr))) {
    return Damaged("its section headers are not in it");
  }
  // Numbers that do not fit into the header stand in section 0.
  const auto first = Read<Elf64_Shdr>(header.e_shoff);
  const uint64_t count = header.e_shnum != 0 ? header.e_shnum : first.sh_size;
  const uint64_t names = header.e_shstrndx != SHN_XINDEX ? header.e_shstrndx : first.sh_link;
  if (count > (bytes_.size() - header.e_shoff) / sizeof(Elf64_Shdr)) {
    return Damaged("its section headers are not in it");
  }
  sections_.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const auto record = Read<Elf64_Shdr>(header.e_shoff, i);
    Section& section = sections_[i];
    section.type = record.sh_type;
    section.link = record.sh_link;
    section.info = record.sh_info;
    section.flags = record.sh_flags;
    section.offset = record.sh_offset;
    section.size = record.sh_size;
    section.alignment = record.sh_addralign;
    section.header = header.e_shoff + i * sizeof(Elf64_Shdr);
    if (section.has_bytes() && !HasTable(section.offset, section.size)) {
      return Damaged(absl::StrCat("section ", i, " is not in it"));
    }
  }
  if (names == SHN_UNDEF) return absl::OkStatus();
  if (names >= count) return Damaged("it has no names of sections");
  const absl::Span<const char> text = BytesOf(sections_[names]);
  if (!text.empty() && text.back() != '\0') return Damaged("its names of sections have no end");
  for (size_t i = 0; i < count; ++i) {
    const uint32_t begin = Read<Elf64_Shdr>(sections_[i].header).sh_name;
    if (begin >= text.size()) {
      if (begin == 0) continue;
      return Damaged(absl::StrCat("the name of section ", i, " is not in it"));
    }
    sections_[i].name = absl::string_view(text.data() + begin);
  }
  return absl::OkStatus();
}

absl::Status ElfTables::ReadSymbolTable(const Section& table) {
  if (symbol_count_ != 0) return Damaged("it has several symbol tables");
  if (table.link >= sections_.size() || table.size % sizeof(Symbol) != 0) {
    return Damaged("its symbol table is damaged");
  }
  symbols_ = table.offset;
  symbol_count_ = table.size / sizeof(Symbol);
  const absl::Span<const char> names = BytesOf(sections_[table.link]);
  if (names.empty() || names.back() != '\0') return Damaged("its names of symbols have no end");
  names_ = absl::string_view(names.data(), names.size());
  return absl::OkStatus();
}

absl::Status ElfTables::CheckRelocationTable(const Section& table) const {
  if (table.info >= sections_.size() || table.size % sizeof(Relocation) != 0) {
    return Damaged("a table of relocations is damaged");
  }
  const bool has_symbols =
      table.link < sections_.size() && sections_[table.link].type == SHT_SYMTAB;
  if (sections_[table.info].is_loaded() && !has_symbols) {
    return Damaged("a table of relocations has no symbols");
  }
  return absl::OkStatus();
}

uint32_t ElfTables::SectionOf(const Symbol& symbol, size_t number) const {
  uint32_t section = symbol.index;
  if (section == SHN_XINDEX && number < section_number_count_) {
    section = Read<uint32_t>(section_numbers_, number);
  } else if (section >= SHN_LORESERVE) {
    return 0;
  }
  return section < sections_.size() ? section : 0;
}

bool ElfTables::Section::is_large() const {
  constexpr uint64_t kLarge = 0x10000000;  // SHF_X86_64_LARGE, which other architectures lack.
  if (!is_loaded() || (flags & (SHF_EXECINSTR | SHF_TLS)) != 0) return false;
  return (flags & kLarge) != 0 || IsLargeSectionName(name);
}

}  // namespace firstcall
