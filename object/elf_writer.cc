// The object has one section for each kind of section in the parts, in which the parts' sections
// follow one another, and a table of relocations for each of them that has any.

#include "object/elf_writer.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/round_up.h"
#include "object/elf_file.h"
#include "object/large_section.h"

namespace firstcall {
namespace {

constexpr size_t kKinds = 6;

struct KindInfo {
  const char* name;
  const char* relocations_name;
  uint64_t flags;
  uint32_t type = SHT_PROGBITS;
};

// By SectionKind.
constexpr KindInfo kKindInfos[kKinds] = {
    {".text", ".rela.text", SHF_ALLOC | SHF_EXECINSTR},
    {".data.rel.ro", ".rela.data.rel.ro", SHF_ALLOC},
    {".data", ".rela.data", SHF_ALLOC | SHF_WRITE},
    {".eh_frame", ".rela.eh_frame", SHF_ALLOC},
    {".bss", "", SHF_ALLOC | SHF_WRITE, SHT_NOBITS},
    {kLargeZeroSection, "", SHF_ALLOC | SHF_WRITE, SHT_NOBITS},
};

uint32_t TypeOf(RelocationKind kind, Machine machine) {
  const bool is_x86 = machine == Machine::kX86_64;
  switch (kind) {
    case RelocationKind::kAbsolute64:
      return is_x86 ? R_X86_64_64 : R_AARCH64_ABS64;
    case RelocationKind::kRelative32:
      return is_x86 ? R_X86_64_PC32 : R_AARCH64_PREL32;
    case RelocationKind::kRelative64:
      break;
    case RelocationKind::kCall26:
      return R_AARCH64_CALL26;
    case RelocationKind::kPage21:
      return R_AARCH64_ADR_PREL_PG_HI21;
    case RelocationKind::kPageOffset12:
      return R_AARCH64_ADD_ABS_LO12_NC;
  }
  return is_x86 ? R_X86_64_PC64 : R_AARCH64_PREL64;
}

class ElfWriter {
 public:
  ElfWriter(absl::Span<const CompiledCode> parts, Machine machine)
      : parts_(parts), machine_(machine) {}

  std::string Write(absl::string_view comment) {
    PlaceSections();
    NumberSymbols();
    file_.bytes().reserve(Size(comment));
    for (size_t kind = 0; kind < kKinds; ++kind) WriteSections(kind);
    const auto symbol_table = static_cast<uint32_t>(file_.section_count() + CountTables());
    for (size_t kind = 0; kind < kKinds; ++kind) WriteRelocations(kind, symbol_table);
    WriteSymbols();
    if (!comment.empty()) WriteComment(comment);
    return file_.Finish(machine_);
  }

 private:
  struct Place {
    size_t kind;
    uint64_t offset;
  };

  Place& PlaceOf(size_t part, size_t section) { return places_[first_places_[part] + section]; }
  uint32_t& NumberOf(size_t part, size_t symbol) { return numbers_[first_numbers_[part] + symbol]; }

  void PlaceSections() {
    size_t symbols = 0;
    for (const CompiledCode& part : parts_) {
      first_places_.push_back(places_.size());
      first_numbers_.push_back(symbols);
      symbols += part.symbols.size();
      for (const CodeSection& section : part.sections) {
        const auto kind = static_cast<size_t>(section.kind);
        sizes_[kind] = RoundUp(sizes_[kind], section.alignment);
        places_.push_back({kind, sizes_[kind]});
        sizes_[kind] += section.size();
        alignments_[kind] = std::max<uint64_t>(alignments_[kind], section.alignment);
        is_there_[kind] = true;
      }
      for (const CodeRelocation& relocation : part.relocations) {
        ++relocation_counts_[static_cast<size_t>(part.sections[relocation.section].kind)];
      }
    }
    numbers_.resize(symbols);
  }

  // Local symbols come first, as the format demands.
  void NumberSymbols() {
    entries_.emplace_back();
    for (const bool wants_local : {true, false}) {
      for (size_t part = 0; part < parts_.size(); ++part) {
        for (size_t i = 0; i < parts_[part].symbols.size(); ++i) {
          const CodeSymbol& symbol = parts_[part].symbols[i];
          if (!symbol.is_defined || symbol.is_local != wants_local) continue;
          NumberOf(part, i) = static_cast<uint32_t>(entries_.size());
          entries_.push_back({static_cast<uint32_t>(part), static_cast<uint32_t>(i)});
          if (parts_.size() > 1 && symbol.name_size != 0) {
            by_name_.emplace(parts_[part].NameOf(symbol), NumberOf(part, i));
          }
        }
      }
      if (wants_local) local_count_ = entries_.size();
    }
    for (size_t part = 0; part < parts_.size(); ++part) {
      for (size_t i = 0; i < parts_[part].symbols.size(); ++i) {
        const CodeSymbol& symbol = parts_[part].symbols[i];
        if (symbol.is_defined) continue;
        const auto number = static_cast<uint32_t>(entries_.size());
        NumberOf(part, i) = number;
        if (parts_.size() > 1) {
          const auto [found, is_new] = by_name_.emplace(parts_[part].NameOf(symbol), number);
          NumberOf(part, i) = found->second;
          if (!is_new) continue;
        }
        entries_.push_back({static_cast<uint32_t>(part), static_cast<uint32_t>(i)});
      }
    }
  }

  size_t CountTables() const {
    return static_cast<size_t>(std::count_if(relocation_counts_.begin(), relocation_counts_.end(),
                                             [](size_t count) { return count != 0; }));
  }

  // About what the object will have.
  size_t Size(absl::string_view comment) const {
    size_t size = 1536 + comment.size() + entries_.size() * sizeof(Elf64_Sym);
    for (size_t kind = 0; kind < kKinds; ++kind) {
      if (kKindInfos[kind].type != SHT_NOBITS) size += sizes_[kind];
      size += relocation_counts_[kind] * sizeof(Elf64_Rela);
    }
    for (const CompiledCode& part : parts_) size += part.names.size() + part.symbols.size();
    return size;
  }

  void WriteSections(size_t kind) {
    if (!is_there_[kind]) return;
    section_numbers_[kind] = static_cast<uint16_t>(file_.section_count());
    Elf64_Shdr& header =
        file_.AddSection(kKindInfos[kind].name, kKindInfos[kind].type, alignments_[kind]);
    header.sh_flags = kKindInfos[kind].flags;
    if (header.sh_type == SHT_NOBITS) {
      header.sh_size = sizes_[kind];
      return;
    }
    for (size_t part = 0; part < parts_.size(); ++part) {
      for (size_t i = 0; i < parts_[part].sections.size(); ++i) {
        const Place& place = PlaceOf(part, i);
        if (place.kind != kind) continue;
        file_.bytes().resize(header.sh_offset + place.offset);
        const std::vector<uint8_t>& bytes = parts_[part].sections[i].bytes;
        file_.bytes().append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      }
    }
    file_.EndSection();
  }

  void WriteRelocations(size_t kind, uint32_t symbol_table) {
    if (relocation_counts_[kind] == 0) return;
    Elf64_Shdr& header = file_.AddSection(kKindInfos[kind].relocations_name, SHT_RELA, 8);
    header.sh_flags = SHF_INFO_LINK;
    header.sh_link = symbol_table;
    header.sh_info = section_numbers_[kind];
    header.sh_entsize = sizeof(Elf64_Rela);
    for (size_t part = 0; part < parts_.size(); ++part) {
      for (const CodeRelocation& relocation : parts_[part].relocations) {
        const Place& place = PlaceOf(part, relocation.section);
        if (place.kind != kind) continue;
        Elf64_Rela record;
        record.r_offset = place.offset + relocation.offset;
        record.r_info =
            ELF64_R_INFO(NumberOf(part, relocation.symbol), TypeOf(relocation.kind, machine_));
        record.r_addend = relocation.addend;
        AppendRecord(record, file_.bytes());
      }
    }
    file_.EndSection();
  }

  void WriteSymbols() {
    Elf64_Shdr& header = file_.AddSection(".symtab", SHT_SYMTAB, 8);
    header.sh_link = static_cast<uint32_t>(file_.section_count());  // The next section.
    header.sh_info = static_cast<uint32_t>(local_count_);
    header.sh_entsize = sizeof(Elf64_Sym);
    std::string names(1, '\0');
    AppendRecord(Elf64_Sym{}, file_.bytes());
    for (size_t i = 1; i < entries_.size(); ++i) {
      const auto [part, number] = entries_[i];
      const CodeSymbol& symbol = parts_[part].symbols[number];
      Elf64_Sym record = {};
      if (symbol.name_size != 0) {
        const absl::string_view name = parts_[part].NameOf(symbol);
        record.st_name = static_cast<uint32_t>(names.size());
        names.append(name.data(), name.size()).push_back('\0');
      }
      unsigned type = STT_NOTYPE;
      if (symbol.is_defined) {
        const Place& place = PlaceOf(part, symbol.section);
        record.st_shndx = section_numbers_[place.kind];
        record.st_value = place.offset + symbol.offset;
        record.st_size = symbol.size;
        if (symbol.size != 0) {
          type = place.kind == static_cast<size_t>(SectionKind::kCode) ? STT_FUNC : STT_OBJECT;
        }
      }
      const unsigned binding = symbol.is_defined && symbol.is_local ? STB_LOCAL
                               : symbol.is_weak                     ? STB_WEAK
                                                                    : STB_GLOBAL;
      record.st_info = static_cast<unsigned char>(ELF64_ST_INFO(binding, type));
      AppendRecord(record, file_.bytes());
    }
    file_.EndSection();
    file_.AddSection(".strtab", SHT_STRTAB);
    file_.bytes().append(names);
    file_.EndSection();
  }

  void WriteComment(absl::string_view comment) {
    Elf64_Shdr& header = file_.AddSection(".comment", SHT_PROGBITS);
    header.sh_flags = SHF_MERGE | SHF_STRINGS;
    header.sh_entsize = 1;
    file_.bytes().push_back('\0');
    file_.bytes().append(comment.data(), comment.size()).push_back('\0');
    file_.EndSection();
  }

  const absl::Span<const CompiledCode> parts_;
  const Machine machine_;
  // Of the parts' sections, one after the other, and where those of each part begin.
  std::vector<Place> places_;
  std::vector<size_t> first_places_;
  // The same for the symbols' numbers in the object.
  std::vector<uint32_t> numbers_;
  std::vector<size_t> first_numbers_;
  // The symbols of the object: a part, and the number of one of its symbols.
  std::vector<std::pair<uint32_t, uint32_t>> entries_;
  size_t local_count_ = 0;
  absl::flat_hash_map<absl::string_view, uint32_t> by_name_;
  // By SectionKind.
  std::array<uint64_t, kKinds> sizes_ = {};
  std::array<uint64_t, kKinds> alignments_ = {1, 1, 1, 1, 1, 1};
  std::array<bool, kKinds> is_there_ = {};
  std::array<size_t, kKinds> relocation_counts_ = {};
  std::array<uint16_t, kKinds> section_numbers_ = {};
  ElfFile file_;
};

}  // namespace

std::string WriteElfObject(absl::Span<const CompiledCode> parts, Machine machine,
                           absl::string_view comment) {
  return ElfWriter(parts, machine).Write(comment);
}

}  // namespace firstcall
