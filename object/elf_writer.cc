// The object has one section for each kind of section in the parts, and for each name that sections
// have, in which the parts' sections follow one another, and a table of relocations for each of
// them that has any.

#include "object/elf_writer.h"

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "base/round_up.h"
#include "object/elf_file.h"
#include "object/large_section.h"

namespace firstcall {
namespace {

struct KindInfo {
  const char* name;
  const char* relocations_name;
  uint64_t flags;
  uint32_t type = SHT_PROGBITS;
};

// By SectionKind.
constexpr KindInfo kKindInfos[] = {
    {".text", ".rela.text", SHF_ALLOC | SHF_EXECINSTR},
    {".data.rel.ro", ".rela.data.rel.ro", SHF_ALLOC},
    {".data", ".rela.data", SHF_ALLOC | SHF_WRITE},
    {".eh_frame", ".rela.eh_frame", SHF_ALLOC},
    {".bss", "", SHF_ALLOC | SHF_WRITE, SHT_NOBITS},
    {kLargeZeroSection, "", SHF_ALLOC | SHF_WRITE, SHT_NOBITS},
    {".tdata", ".rela.tdata", SHF_ALLOC | SHF_WRITE | SHF_TLS},
    {".tbss", "", SHF_ALLOC | SHF_WRITE | SHF_TLS, SHT_NOBITS},
};

// For any linker, constants that have relocations, which the linker writes, are apart from others,
// as LLVM writes them: JITLink wants sections of one name to have the same permissions.
constexpr KindInfo kConstants = {".rodata", ".rela.rodata", SHF_ALLOC};
constexpr KindInfo kBoundConstants = {".data.rel.ro", ".rela.data.rel.ro", SHF_ALLOC | SHF_WRITE};
constexpr size_t kBoundConstantsOutput = std::size(kKindInfos);

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
    case RelocationKind::kDescriptor32:
      return R_X86_64_GOTPC32_TLSDESC;
    case RelocationKind::kDescriptorPage21:
      return R_AARCH64_TLSDESC_ADR_PAGE21;
    case RelocationKind::kDescriptorLoad12:
      return R_AARCH64_TLSDESC_LD64_LO12;
    case RelocationKind::kDescriptorOffset12:
      return R_AARCH64_TLSDESC_ADD_LO12;
  }
  return is_x86 ? R_X86_64_PC64 : R_AARCH64_PREL64;
}

class ElfWriter {
 public:
  ElfWriter(absl::Span<const CompiledCode> parts, Machine machine, bool is_for_any_linker)
      : parts_(parts), machine_(machine), is_for_any_linker_(is_for_any_linker) {
    for (const KindInfo& info : kKindInfos) outputs_.emplace_back(info);
    if (!is_for_any_linker) return;
    outputs_[static_cast<size_t>(SectionKind::kReadOnlyData)].info = &kConstants;
    outputs_.emplace_back(kBoundConstants);
  }

  std::string Write(absl::string_view comment) {
    PlaceSections();
    if (is_for_any_linker_) JoinUnwindTables();
    NumberSymbols();
    file_.bytes().reserve(Size(comment));
    for (size_t output = 0; output < outputs_.size(); ++output) WriteSections(output);
    const auto symbol_table = static_cast<uint32_t>(file_.section_count() + CountTables());
    for (size_t output = 0; output < outputs_.size(); ++output) {
      WriteRelocations(output, symbol_table);
    }
    WriteSymbols();
    if (!comment.empty()) WriteComment(comment);
    return file_.Finish(machine_);
  }

 private:
  // A section of the object.
  struct Output {
    explicit Output(const KindInfo& kind) : info(&kind) {}

    const KindInfo* info;
    absl::string_view name = {};  // Empty: that of `info`.
    uint64_t size = 0;
    uint64_t alignment = 1;
    bool is_there = false;
    size_t relocation_count = 0;
    uint16_t number = 0;
  };
  struct Place {
    size_t output;  // Its place in outputs_.
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
      absl::InlinedVector<bool, 8> is_bound(is_for_any_linker_ ? part.sections.size() : 0);
      for (const CodeRelocation& relocation : part.relocations) {
        if (is_for_any_linker_) is_bound[relocation.section] = true;
      }
      for (size_t i = 0; i < part.sections.size(); ++i) {
        const CodeSection& section = part.sections[i];
        const size_t number = OutputOf(part, section, is_for_any_linker_ && is_bound[i]);
        Output& output = outputs_[number];
        output.size = RoundUp(output.size, section.alignment);
        places_.push_back({number, output.size});
        output.size += IsJoined(section) ? 0 : section.size();
        output.alignment = std::max<uint64_t>(output.alignment, section.alignment);
        output.is_there = true;
      }
      for (const CodeRelocation& relocation : part.relocations) {
        ++outputs_[places_[first_places_.back() + relocation.section].output].relocation_count;
      }
    }
    numbers_.resize(symbols);
  }

  bool IsJoined(const CodeSection& section) const {
    return is_for_any_linker_ && section.kind == SectionKind::kUnwindTable;
  }

  void JoinUnwindTables() {
    std::vector<uint8_t>& bytes = joined_.bytes;
    for (uint32_t part = 0; part < parts_.size(); ++part) {
      for (uint32_t i = 0; i < parts_[part].sections.size(); ++i) {
        const CodeSection& section = parts_[part].sections[i];
        if (!IsJoined(section) || section.bytes.size() < sizeof(uint32_t)) continue;
        uint32_t common_size = 0;
        std::memcpy(&common_size, section.bytes.data(), sizeof(common_size));
        common_size += sizeof(common_size);
        const auto [common, is_new] = commons_.emplace(CommonEntryOf(part, i, common_size),
                                                       static_cast<uint32_t>(bytes.size()));
        if (is_new) JoinEntry(part, i, 0, common_size);
        for (uint32_t entry = common_size; entry < section.bytes.size();) {
          uint32_t size = 0;
          std::memcpy(&size, &section.bytes[entry], sizeof(size));
          size += sizeof(size);
          // The entry's second word is the distance back to the common one.
          const uint32_t distance =
              static_cast<uint32_t>(bytes.size()) + sizeof(uint32_t) - common->second;
          const size_t place = bytes.size() + sizeof(uint32_t);
          JoinEntry(part, i, entry, size);
          std::memcpy(&bytes[place], &distance, sizeof(distance));
          entry += size;
        }
      }
    }
    Output& output = outputs_[static_cast<size_t>(SectionKind::kUnwindTable)];
    output.size = bytes.size();
    output.relocation_count = joined_.relocations.size();
  }

  // What tells a common entry from others: its bytes, and the names that it refers to.
  std::string CommonEntryOf(uint32_t part, uint32_t section, uint32_t size) const {
    const CompiledCode& code = parts_[part];
    std::string text(reinterpret_cast<const char*>(code.sections[section].bytes.data()), size);
    for (const CodeRelocation& relocation : code.relocations) {
      if (relocation.section != section || relocation.offset >= size) continue;
      absl::StrAppend(&text, code.NameOf(code.symbols[relocation.symbol]), "+", relocation.addend,
                      "\n");
    }
    return text;
  }

  // Appends `size` bytes of a part's section.
  void JoinEntry(uint32_t part, uint32_t section, uint32_t offset, uint32_t size) {
    const std::vector<uint8_t>& from = parts_[part].sections[section].bytes;
    const uint32_t begin = static_cast<uint32_t>(joined_.bytes.size());
    joined_.bytes.insert(joined_.bytes.end(), &from[offset], &from[offset] + size);
    for (const CodeRelocation& relocation : parts_[part].relocations) {
      if (relocation.section != section || relocation.offset < offset ||
          relocation.offset - offset >= size) {
        continue;
      }
      joined_.relocations.push_back({part, relocation});
      joined_.relocations.back().relocation.offset = relocation.offset - offset + begin;
    }
  }

  // Sections of one name are one section if they are of one kind. `is_bound`: for any linker, the
  // section has relocations.
  size_t OutputOf(const CompiledCode& part, const CodeSection& section, bool is_bound) {
    const auto kind = static_cast<size_t>(section.kind);
    if (section.name_size == 0) {
      const bool is_apart = is_bound && section.kind == SectionKind::kReadOnlyData;
      return is_apart ? kBoundConstantsOutput : kind;
    }
    const absl::string_view name = part.NameOf(section);
    const auto [found, is_new] = named_outputs_.try_emplace({kind, name}, outputs_.size());
    if (is_new) outputs_.emplace_back(kKindInfos[kind]).name = name;
    return found->second;
  }

  // LLVM 19's JITLink finds out what each block depends on. With an anchor that other objects know
  // an entry of the unwind table depends on one symbol, otherwise on all that the code depends on,
  // which takes time for each pair of functions.
  void FindAnchor() {
    for (uint32_t part = 0; part < parts_.size(); ++part) {
      const std::vector<CodeSymbol>& symbols = parts_[part].symbols;
      for (uint32_t i = 0; i < symbols.size(); ++i) {
        const CodeSymbol& symbol = symbols[i];
        if (!symbol.is_defined || symbol.is_local || symbol.is_weak || !IsCode(part, symbol)) {
          continue;
        }
        anchor_ = {part, i};
        return;
      }
    }
  }

  bool IsCode(uint32_t part, const CodeSymbol& symbol) const {
    return parts_[part].sections[symbol.section].kind == SectionKind::kCode;
  }

  // Where in the section of code a symbol is.
  uint64_t OffsetOf(uint32_t part, const CodeSymbol& symbol) {
    return PlaceOf(part, symbol.section).offset + symbol.offset;
  }

  // Local symbols come first, as the format demands.
  void NumberSymbols() {
    entries_.emplace_back();
    if (is_for_any_linker_) FindAnchor();
    if (is_for_any_linker_ && !anchor_ &&
        outputs_[static_cast<size_t>(SectionKind::kCode)].is_there) {
      code_symbol_ = static_cast<uint32_t>(entries_.size());
      entries_.push_back({kSectionOfCode, 0});
    }
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
    return static_cast<size_t>(
        std::count_if(outputs_.begin(), outputs_.end(),
                      [](const Output& output) { return output.relocation_count != 0; }));
  }

  // About what the object will have.
  size_t Size(absl::string_view comment) const {
    size_t size = 1536 + comment.size() + entries_.size() * sizeof(Elf64_Sym);
    for (const Output& output : outputs_) {
      if (output.info->type != SHT_NOBITS) size += output.size;
      size += output.relocation_count * sizeof(Elf64_Rela);
    }
    for (const CompiledCode& part : parts_) size += part.names.size() + part.symbols.size();
    return size;
  }

  void WriteSections(size_t number) {
    Output& output = outputs_[number];
    if (!output.is_there) return;
    output.number = static_cast<uint16_t>(file_.section_count());
    Elf64_Shdr& header = file_.AddSection(output.name.empty() ? output.info->name : output.name,
                                          output.info->type, output.alignment);
    header.sh_flags = output.info->flags;
    if (header.sh_type == SHT_NOBITS) {
      header.sh_size = output.size;
      return;
    }
    if (IsJoined(number)) {
      file_.bytes().append(reinterpret_cast<const char*>(joined_.bytes.data()),
                           joined_.bytes.size());
      return file_.EndSection();
    }
    for (size_t part = 0; part < parts_.size(); ++part) {
      for (size_t i = 0; i < parts_[part].sections.size(); ++i) {
        const Place& place = PlaceOf(part, i);
        if (place.output != number) continue;
        file_.bytes().resize(header.sh_offset + place.offset);
        const std::vector<uint8_t>& bytes = parts_[part].sections[i].bytes;
        file_.bytes().append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      }
    }
    file_.EndSection();
  }

  void WriteRelocations(size_t number, uint32_t symbol_table) {
    const Output& output = outputs_[number];
    if (output.relocation_count == 0) return;
    Elf64_Shdr& header = output.name.empty()
                             ? file_.AddSection(output.info->relocations_name, SHT_RELA, 8)
                             : file_.AddSection(absl::StrCat(".rela", output.name), SHT_RELA, 8);
    header.sh_flags = SHF_INFO_LINK;
    header.sh_link = symbol_table;
    header.sh_info = output.number;
    header.sh_entsize = sizeof(Elf64_Rela);
    if (IsJoined(number)) {
      WriteJoinedRelocations();
      return file_.EndSection();
    }
    for (size_t part = 0; part < parts_.size(); ++part) {
      for (const CodeRelocation& relocation : parts_[part].relocations) {
        const Place& place = PlaceOf(part, relocation.section);
        if (place.output != number) continue;
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

  bool IsJoined(size_t output) const {
    return is_for_any_linker_ && output == static_cast<size_t>(SectionKind::kUnwindTable);
  }

  void WriteJoinedRelocations() {
    for (const auto& [part, relocation] : joined_.relocations) {
      const CodeSymbol& symbol = parts_[part].symbols[relocation.symbol];
      uint32_t number = NumberOf(part, relocation.symbol);
      Elf64_Rela record;
      record.r_offset = relocation.offset;
      record.r_addend = relocation.addend;
      if (symbol.is_defined && IsCode(part, symbol)) {
        record.r_addend += static_cast<int64_t>(OffsetOf(part, symbol));
        number = code_symbol_;
        if (anchor_) {
          number = NumberOf(anchor_->first, anchor_->second);
          const CodeSymbol& anchor = parts_[anchor_->first].symbols[anchor_->second];
          record.r_addend -= static_cast<int64_t>(OffsetOf(anchor_->first, anchor));
        }
      }
      record.r_info = ELF64_R_INFO(number, TypeOf(relocation.kind, machine_));
      AppendRecord(record, file_.bytes());
    }
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
      if (part == kSectionOfCode) {
        Elf64_Sym record = {};
        record.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION);
        record.st_shndx = outputs_[static_cast<size_t>(SectionKind::kCode)].number;
        AppendRecord(record, file_.bytes());
        continue;
      }
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
        record.st_shndx = outputs_[place.output].number;
        record.st_value = place.offset + symbol.offset;
        record.st_size = symbol.size;
        if (symbol.size != 0) {
          type = place.output == static_cast<size_t>(SectionKind::kCode) ? STT_FUNC : STT_OBJECT;
        }
      }
      if (symbol.is_thread_local) type = STT_TLS;
      const unsigned binding = symbol.is_defined && symbol.is_local ? STB_LOCAL
                               : symbol.is_weak                     ? STB_WEAK
                                                                    : STB_GLOBAL;
      record.st_info = static_cast<unsigned char>(ELF64_ST_INFO(binding, type));
      if (binding != STB_LOCAL) record.st_other = static_cast<unsigned char>(symbol.visibility);
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

  // In the place of a part's number: the symbol is that of the section of code.
  static constexpr uint32_t kSectionOfCode = ~uint32_t{0};
  struct JoinedTable {
    struct Relocation {
      uint32_t part;
      CodeRelocation relocation;  // Its offset is in `bytes`.
    };
    std::vector<uint8_t> bytes;
    std::vector<Relocation> relocations;
  };

  const absl::Span<const CompiledCode> parts_;
  const Machine machine_;
  const bool is_for_any_linker_;
  JoinedTable joined_;
  absl::flat_hash_map<std::string, uint32_t> commons_;  // Offsets in `joined_`.
  uint32_t code_symbol_ = 0;  // Of the section of code; 0: there is an anchor, or no code.
  // A part, and the number of one of its symbols: a global function that nothing replaces.
  std::optional<std::pair<uint32_t, uint32_t>> anchor_;
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
  // First one for each SectionKind, for any linker one of kBoundConstants, then those with names.
  absl::InlinedVector<Output, std::size(kKindInfos) + 1> outputs_;
  absl::flat_hash_map<std::pair<size_t, absl::string_view>, size_t> named_outputs_;
  ElfFile file_;
};

}  // namespace

std::string WriteElfObject(absl::Span<const CompiledCode> parts, Machine machine,
                           absl::string_view comment) {
  return ElfWriter(parts, machine, /*is_for_any_linker=*/false).Write(comment);
}

std::string WriteElfObjectForAnyLinker(absl::Span<const CompiledCode> parts, Machine machine,
                                       absl::string_view comment) {
  return ElfWriter(parts, machine, /*is_for_any_linker=*/true).Write(comment);
}

}  // namespace firstcall
