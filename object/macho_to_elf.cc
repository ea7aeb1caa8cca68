// The ELF object has a section for each section of the Mach-O object that is kept, in their order.
// Its symbols are those of these sections, then the object's own local ones, then the others, as
// the format demands.

#include "object/macho_to_elf.h"

#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "object/elf_file.h"
#include "object/macho_file.h"
#include "object/macho_references.h"
#include "object/macho_sections.h"
#include "object/macho_unwind_table.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

using Target = MachoReference::Target;

// The greatest alignment of bytes in the file; that of the section may be greater.
constexpr uint64_t kFileAlignment = 16;
constexpr uint64_t kPointerSize = 8;

absl::Status Damaged(absl::string_view what) { return absl::InvalidArgumentError(what); }

class Translation {
 public:
  Translation(const MachoFile& file, const MachoToElfOptions& options)
      : file_(file), options_(options) {}

  absl::StatusOr<ObjectBytes> Run() {
    FIRSTCALL_RETURN_IF_ERROR(NumberSections());
    FIRSTCALL_RETURN_IF_ERROR(ReadReferences());
    AddPointers();
    FIRSTCALL_RETURN_IF_ERROR(NumberSymbols());
    for (uint32_t i = 0; i < file_.sections().size(); ++i) WriteSection(i);
    if (!pointers_.empty()) WritePointers();
    const auto symbol_table = static_cast<uint32_t>(elf_.section_count() + CountTables());
    for (uint32_t i = 0; i < file_.sections().size(); ++i) {
      WriteRelocations(references_[i], section_numbers_[i], symbol_table);
    }
    WriteRelocations(pointer_references_, pointers_section_, symbol_table);
    WriteSymbols();
    WriteComment();
    return elf_.Finish(file_.machine());
  }

 private:
  // A symbol of the ELF object that stands for one of the Mach-O object, or for a section.
  struct Entry {
    absl::string_view name;
    Elf64_Sym record = {};
  };

  absl::Status NumberSections() {
    uint16_t next = 1;
    for (const MachoFile::Section& section : file_.sections()) {
      if (!IsKept(section)) {
        section_numbers_.push_back(0);
        continue;
      }
      FIRSTCALL_RETURN_IF_ERROR(CheckSection(section));
      section_numbers_.push_back(next++);
    }
    pointers_section_ = next;
    return absl::OkStatus();
  }

  absl::Status ReadReferences() {
    references_.resize(file_.sections().size());
    contents_.resize(file_.sections().size());
    std::vector<MachoReference> of_unwind_table;
    for (uint32_t i = 0; i < file_.sections().size(); ++i) {
      const MachoFile::Section& section = file_.sections()[i];
      if (!IsKept(section)) continue;
      contents_[i] = std::string(section.bytes);
      FIRSTCALL_ASSIGN_OR_RETURN(references_[i], ReadMachoReferences(file_, i + 1, contents_[i]));
      // A definition may give way to another. What describes it does not describe the other one.
      if (section.is_unwind_table() || section.is_debug_information()) ToSections(references_[i]);
      if (section.type() == macho::kNonLazyPointers) FIRSTCALL_RETURN_IF_ERROR(FillPointers(i));
      if (!section.is_unwind_table()) continue;
      FIRSTCALL_RETURN_IF_ERROR(AddUnwindReferences(file_, i + 1, contents_[i], references_[i]));
      of_unwind_table = references_[i];
    }
    // Assemblers of Mach-O write them from the last to the first; readers of ELF may expect order.
    for (std::vector<MachoReference>& references : references_) {
      std::sort(references.begin(), references.end(),
                [](const auto& a, const auto& b) { return a.offset < b.offset; });
    }
    return CheckCompactUnwindTable(file_, of_unwind_table);
  }

  // References to symbols become references to the sections that define them.
  void ToSections(std::vector<MachoReference>& references) const {
    for (MachoReference& reference : references) {
      if (reference.target != Target::kSymbol) continue;
      const MachoFile::Symbol& symbol = file_.symbols()[reference.number];
      if (!symbol.is_in_section() || symbol.section - 1u >= file_.sections().size()) continue;
      const MachoFile::Section& section = file_.sections()[symbol.section - 1];
      if (!IsKept(section)) continue;
      reference.target = Target::kSection;
      reference.number = symbol.section;
      reference.addend = static_cast<int64_t>(static_cast<uint64_t>(reference.addend) +
                                              symbol.value - section.address);
    }
  }

  // A section of pointers has no relocations: a table says which symbol each pointer stands for.
  absl::Status FillPointers(uint32_t index) {
    const MachoFile::Section& section = file_.sections()[index];
    for (uint64_t i = 0; i < section.bytes.size() / kPointerSize; ++i) {
      const std::optional<uint32_t> symbol = file_.IndirectSymbol(section, i);
      if (!symbol) return Damaged("a pointer's symbol is not in it");
      // The bytes and their relocations say what they point to.
      if (*symbol & (macho::kIndirectLocal | macho::kIndirectAbsolute)) continue;
      if (*symbol >= file_.symbols().size()) return Damaged("a pointer names no symbol");
      references_[index].push_back(ToSymbol(*symbol, i * kPointerSize));
    }
    return absl::OkStatus();
  }

  MachoReference ToSymbol(uint32_t symbol, uint64_t offset) const {
    MachoReference reference;
    reference.offset = offset;
    reference.type = file_.machine() == Machine::kX86_64 ? R_X86_64_64 : R_AARCH64_ABS64;
    reference.number = symbol;
    return reference;
  }

  void AddPointers() {
    for (const std::vector<MachoReference>& references : references_) {
      for (const MachoReference& reference : references) {
        if (reference.target != Target::kPointer) continue;
        const size_t next = pointers_.size();
        if (!pointers_.emplace(reference.number, next).second) continue;
        pointer_references_.push_back(ToSymbol(reference.number, kPointerSize * next));
      }
    }
  }

  absl::Status NumberSymbols() {
    entries_.emplace_back();
    const size_t section_count = pointers_section_ - (pointers_.empty() ? 1 : 0);
    for (uint16_t number = 1; number <= section_count; ++number) {
      Entry& entry = entries_.emplace_back();
      entry.record.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION);
      entry.record.st_shndx = number;
    }
    std::vector<bool> is_needed(file_.symbols().size());
    for (const std::vector<MachoReference>& references : references_) {
      for (const MachoReference& reference : references) {
        if (reference.target != Target::kSection) {
          is_needed[reference.number] = true;
        } else if (section_numbers_[reference.number - 1] == 0) {
          return Damaged("a relocation names a section for linkers only");
        }
      }
    }
    symbol_numbers_.resize(file_.symbols().size());
    for (const bool wants_local : {true, false}) {
      for (uint32_t i = 0; i < file_.symbols().size(); ++i) {
        const MachoFile::Symbol& symbol = file_.symbols()[i];
        if (symbol.is_for_debuggers() || symbol.is_external() == wants_local) continue;
        if (symbol.is_undefined() && !symbol.is_common() && !is_needed[i]) continue;
        FIRSTCALL_RETURN_IF_ERROR(AddSymbol(i));
      }
      if (wants_local) local_count_ = entries_.size();
    }
    for (uint32_t i = 0; i < file_.symbols().size(); ++i) {
      if (is_needed[i] && symbol_numbers_[i] == 0) return Damaged("a relocation names no symbol");
    }
    SetSizes();
    return absl::OkStatus();
  }

  absl::Status AddSymbol(uint32_t number) {
    const MachoFile::Symbol& symbol = file_.symbols()[number];
    Entry entry;
    entry.name = WithoutMachoPrefix(symbol.name);
    auto found = options_.symbol_names.find(entry.name);
    if (found != options_.symbol_names.end()) entry.name = found->second;
    bool is_weak = false;
    if (symbol.is_common()) {
      entry.record.st_shndx = SHN_COMMON;
      entry.record.st_size = symbol.value;
      // For a common symbol, the value is the alignment.
      entry.record.st_value = uint64_t{1} << (symbol.description >> 8 & 0xf);
      entry.record.st_info = STT_OBJECT;
    } else if (symbol.is_undefined()) {
      is_weak = (symbol.description & macho::kWeakReference) != 0;
    } else if (symbol.kind() == macho::kAbsolute) {
      entry.record.st_shndx = SHN_ABS;
      entry.record.st_value = symbol.value;
    } else if (symbol.is_in_section()) {
      if (symbol.section == 0 || symbol.section > file_.sections().size()) {
        return Damaged("the section of a symbol is not in it");
      }
      const MachoFile::Section& section = file_.sections()[symbol.section - 1];
      if (!IsKept(section)) return absl::OkStatus();
      const uint64_t offset = symbol.value - section.address;
      if (offset > section.size) return Damaged("a symbol lies outside its section");
      entry.record.st_shndx = section_numbers_[symbol.section - 1];
      entry.record.st_value = offset;
      if (!IsLabel(symbol)) entry.record.st_info = section.is_code() ? STT_FUNC : STT_OBJECT;
      is_weak = (symbol.description & macho::kWeakDefinition) != 0;
    } else {
      return absl::UnimplementedError(
          absl::StrCat("symbol '", entry.name, "': a name for another symbol is not supported"));
    }
    const unsigned binding = !symbol.is_external() ? STB_LOCAL : is_weak ? STB_WEAK : STB_GLOBAL;
    entry.record.st_info = ELF64_ST_INFO(binding, entry.record.st_info);
    if (symbol.is_external() && (symbol.type & macho::kPrivateExternal) != 0) {
      entry.record.st_other = STV_HIDDEN;
    }
    symbol_numbers_[number] = static_cast<uint32_t>(entries_.size());
    entries_.push_back(entry);
    return absl::OkStatus();
  }

  // A label that only the assembler needs is no function or variable.
  static bool IsLabel(const MachoFile::Symbol& symbol) {
    return !symbol.is_external() &&
           (absl::StartsWith(symbol.name, "l") || absl::StartsWith(symbol.name, "L"));
  }

  // Mach-O has no sizes. A definition ends where the next one begins.
  void SetSizes() {
    std::vector<Entry*> definitions;
    for (Entry& entry : entries_) {
      const unsigned type = ELF64_ST_TYPE(entry.record.st_info);
      const bool is_in_section =
          entry.record.st_shndx != SHN_UNDEF && entry.record.st_shndx < SHN_LORESERVE;
      if (is_in_section && (type == STT_FUNC || type == STT_OBJECT)) definitions.push_back(&entry);
    }
    const auto place = [](const Entry* entry) {
      return std::make_pair(entry->record.st_shndx, entry->record.st_value);
    };
    std::sort(definitions.begin(), definitions.end(),
              [&](const Entry* a, const Entry* b) { return place(a) < place(b); });
    std::vector<uint64_t> ends(pointers_section_);
    for (uint32_t i = 0; i < file_.sections().size(); ++i) {
      ends[section_numbers_[i]] = file_.sections()[i].size;
    }
    for (size_t i = definitions.size(); i-- > 0;) {
      Elf64_Sym& record = definitions[i]->record;
      const bool shares_place =
          i + 1 < definitions.size() && place(definitions[i]) == place(definitions[i + 1]);
      record.st_size = shares_place ? definitions[i + 1]->record.st_size
                                    : ends[record.st_shndx] - record.st_value;
      if (!shares_place) ends[record.st_shndx] = record.st_value;
    }
  }

  size_t CountTables() const {
    return static_cast<size_t>(std::count_if(references_.begin(), references_.end(),
                                             [](const auto& some) { return !some.empty(); })) +
           (pointers_.empty() ? 0 : 1);
  }

  void WriteSection(uint32_t index) {
    if (section_numbers_[index] == 0) return;
    const MachoFile::Section& section = file_.sections()[index];
    Elf64_Shdr& header =
        elf_.AddSection(NameInElf(section, options_.section_names),
                        section.is_zero_fill() ? SHT_NOBITS : SHT_PROGBITS,
                        section.is_zero_fill() ? 1 : std::min(section.alignment, kFileAlignment));
    header.sh_flags = FlagsInElf(section);
    header.sh_addralign = section.alignment;
    header.sh_size = section.size;
    elf_.bytes().append(contents_[index]);
  }

  void WritePointers() {
    Elf64_Shdr& header = elf_.AddSection(".data.rel.ro", SHT_PROGBITS, kPointerSize);
    header.sh_flags = SHF_ALLOC;
    elf_.bytes().append(kPointerSize * pointers_.size(), '\0');
    elf_.EndSection();
  }

  void WriteRelocations(const std::vector<MachoReference>& references, uint16_t section,
                        uint32_t symbol_table) {
    if (references.empty()) return;
    Elf64_Shdr& header = elf_.AddSection(".rela", SHT_RELA, 8);
    header.sh_flags = SHF_INFO_LINK;
    header.sh_link = symbol_table;
    header.sh_info = section;
    header.sh_entsize = sizeof(Elf64_Rela);
    for (const MachoReference& reference : references) {
      Elf64_Rela record;
      record.r_offset = reference.offset;
      record.r_addend = reference.addend;
      uint32_t symbol = 0;
      switch (reference.target) {
        case Target::kSymbol:
          symbol = symbol_numbers_[reference.number];
          break;
        case Target::kSection:
          symbol = section_numbers_[reference.number - 1];  // That of the section's own symbol.
          break;
        case Target::kPointer:
          symbol = pointers_section_;
          record.r_addend += static_cast<int64_t>(kPointerSize * pointers_.at(reference.number));
          break;
      }
      record.r_info = ELF64_R_INFO(static_cast<uint64_t>(symbol), reference.type);
      AppendRecord(record, elf_.bytes());
    }
    elf_.EndSection();
  }

  void WriteSymbols() {
    Elf64_Shdr& header = elf_.AddSection(".symtab", SHT_SYMTAB, 8);
    header.sh_link = static_cast<uint32_t>(elf_.section_count());  // The next section.
    header.sh_info = static_cast<uint32_t>(local_count_);
    header.sh_entsize = sizeof(Elf64_Sym);
    std::string names(1, '\0');
    for (Entry& entry : entries_) {
      if (!entry.name.empty()) {
        entry.record.st_name = static_cast<uint32_t>(names.size());
        names.append(entry.name.data(), entry.name.size()).push_back('\0');
      }
      AppendRecord(entry.record, elf_.bytes());
    }
    elf_.EndSection();
    elf_.AddSection(".strtab", SHT_STRTAB);
    elf_.bytes().append(names);
    elf_.EndSection();
  }

  void WriteComment() {
    if (options_.comment.empty()) return;
    Elf64_Shdr& header = elf_.AddSection(".comment", SHT_PROGBITS);
    header.sh_flags = SHF_MERGE | SHF_STRINGS;
    header.sh_entsize = 1;
    elf_.bytes().push_back('\0');
    elf_.bytes().append(options_.comment).push_back('\0');
    elf_.EndSection();
  }

  const MachoFile& file_;
  const MachoToElfOptions& options_;
  // Of each section of the Mach-O object: its number in the ELF object, or 0 if it is left out; its
  // bytes; what they refer to.
  std::vector<uint16_t> section_numbers_;
  std::vector<std::string> contents_;
  std::vector<std::vector<MachoReference>> references_;
  // The section of pointers to symbols, which comes behind the others if there are any: its number,
  // the pointers' numbers by symbols, and what they refer to.
  uint16_t pointers_section_ = 0;
  absl::flat_hash_map<uint32_t, size_t> pointers_;
  std::vector<MachoReference> pointer_references_;
  // The symbols of the ELF object. Section N has symbol N.
  std::vector<Entry> entries_;
  size_t local_count_ = 0;
  std::vector<uint32_t> symbol_numbers_;  // By the numbers of the Mach-O object's.
  ElfFile elf_;
};

}  // namespace

bool IsMacho(absl::string_view bytes) { return MachoFile::IsMacho(bytes); }

absl::StatusOr<ObjectBytes> MachoToElf(absl::string_view bytes, const MachoToElfOptions& options) {
  FIRSTCALL_ASSIGN_OR_RETURN(const MachoFile file, MachoFile::Parse(bytes));
  if (file.machine() == Machine::kOther) {
    return absl::InvalidArgumentError("it is for another architecture than x86-64 and AArch64");
  }
  if (file.machine() == Machine::kAArch64 && file.is_for_apple()) {
    return absl::UnimplementedError(
        "on AArch64, systems of Apple's pass arguments otherwise than this process");
  }
  return Translation(file, options).Run();
}

}  // namespace firstcall
