// The tables of a relocatable ELF object in memory: its sections, symbols and relocations.
//
// The extents of all sections and tables are checked when the tables are read, so nothing outside
// the bytes is ever read or written, however damaged the bytes are. Records are copied out and in,
// so the bytes need no alignment.
//
// Thread-compatible. Tested in tests/object/elf_object_test.cc and
// tests/object/elf_linker_damage_test.cc.

#ifndef FIRSTCALL_OBJECT_ELF_TABLES_H_
#define FIRSTCALL_OBJECT_ELF_TABLES_H_

#include <string.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "object/machine.h"

namespace firstcall {

// The base of ElfObject. A number of a symbol or relocation must be less than the count.
class ElfTables {
 public:
  // A symbol, as the file has it (Elf64_Sym); <elf.h> has the constants. That header is not
  // included here, because its macros have the names of LLVM's constants.
  struct Symbol {
    uint32_t name = 0;  // The offset of its name.
    uint8_t info = 0;
    uint8_t other = 0;
    uint16_t index = 0;  // The index of its section, or a constant (SHN_*); see SectionOf.
    uint64_t value = 0;
    uint64_t size = 0;

    uint8_t type() const { return info & 0xf; }
    uint8_t binding() const { return info >> 4; }
    bool is_undefined() const { return index == 0; }
    bool is_local() const { return binding() == 0; }
  };

  // A relocation, as the file has it (Elf64_Rela).
  struct Relocation {
    uint64_t offset = 0;
    uint32_t type = 0;
    uint32_t symbol = 0;  // Its number, which may be too large in a damaged object.
    int64_t addend = 0;
  };

  // A section header, with the name in place of the name's offset. The number of a section is its
  // index in sections().
  struct Section {
    absl::string_view name;
    uint32_t type = 0;
    uint32_t link = 0;
    uint32_t info = 0;
    uint64_t flags = 0;
    uint64_t offset = 0;
    uint64_t size = 0;
    uint64_t alignment = 0;
    uint64_t header = 0;  // The offset of the header in the bytes.

    bool is_loaded() const { return (flags & 2) != 0; }        // SHF_ALLOC
    bool has_bytes() const { return type != 0 && type != 8; }  // SHT_NULL, SHT_NOBITS
    bool is_relocation_table() const { return type == 4; }     // SHT_RELA
    bool is_large() const;                                     // Of large variables.
    bool is_unwind_table() const { return name == ".eh_frame"; }
  };

  absl::Span<char> bytes() const { return bytes_; }
  Machine machine() const { return machine_; }
  const std::vector<Section>& sections() const { return sections_; }

  // The bytes of a section; empty if the file has none.
  absl::Span<char> BytesOf(const Section& section) const {
    return section.has_bytes() ? bytes_.subspan(section.offset, section.size) : absl::Span<char>();
  }

  size_t symbol_count() const { return symbol_count_; }
  Symbol symbol(size_t number) const { return Read<Symbol>(symbols_, number); }
  absl::string_view NameOf(const Symbol& symbol) const {
    // Checked again: in a damaged object, a change of a relocation may have changed a symbol.
    if (!HasName(symbol)) return {};
    const char* const begin = names_.data() + symbol.name;
    return {begin, strnlen(begin, names_.size() - symbol.name)};
  }
  // The number of the section that defines a symbol. 0 if no section does: the symbol is undefined,
  // absolute, common or damaged.
  uint32_t SectionOf(const Symbol& symbol, size_t number) const;

  size_t RelocationCount(const Section& table) const { return table.size / sizeof(Relocation); }
  Relocation relocation(const Section& table, size_t number) const {
    return Read<Relocation>(table.offset, number);
  }

  // Whether the section has relocations of a section to be loaded.
  bool IsTableOfLoaded(const Section& table) const {
    return table.is_relocation_table() && sections_[table.info].is_loaded();
  }

  // Whether there is debug information in the object (.debug_info).
  bool has_debug_information() const { return has_debug_information_; }

 protected:
  ElfTables() = default;
  ~ElfTables() = default;

  // Reads the section headers and finds the tables in `bytes`, which must outlive this object.
  // InvalidArgument if the bytes are not a 64-bit little-endian relocatable ELF object, or are
  // damaged. Call this once, before any other function.
  absl::Status ReadTables(absl::Span<char> bytes);

  // Whether the name of `symbol` is in the table of names.
  bool HasName(const Symbol& symbol) const { return symbol.name < names_.size(); }

  // Write a record back.
  void SetSymbol(size_t number, const Symbol& symbol) { Write(symbol, symbols_, number); }
  void SetRelocation(const Section& table, size_t number, const Relocation& relocation) {
    Write(relocation, table.offset, number);
  }

  // Whether the object has sections for a debugger, with or without .debug_info.
  bool has_debug_sections() const { return has_debug_sections_; }

 private:
  template <typename Record>
  Record Read(uint64_t table, size_t number = 0) const {
    Record record;
    std::memcpy(&record, bytes_.data() + table + number * sizeof(Record), sizeof(Record));
    return record;
  }
  template <typename Record>
  void Write(const Record& record, uint64_t table, size_t number) {
    std::memcpy(bytes_.data() + table + number * sizeof(Record), &record, sizeof(Record));
  }

  absl::Status ReadSections();
  absl::Status ReadSymbolTable(const Section& table);
  absl::Status CheckRelocationTable(const Section& table) const;
  bool HasTable(uint64_t offset, uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }

  absl::Span<char> bytes_;
  Machine machine_ = Machine::kOther;
  std::vector<Section> sections_;
  // The symbol table, and the table of section numbers that belongs to it: their offsets in the
  // bytes, and their lengths.
  uint64_t symbols_ = 0;
  size_t symbol_count_ = 0;
  uint64_t section_numbers_ = 0;
  size_t section_number_count_ = 0;
  absl::string_view names_;  // The names of symbols.
  bool has_debug_sections_ = false;
  bool has_debug_information_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_ELF_TABLES_H_
