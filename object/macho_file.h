// A relocatable Mach-O object of 64 bits in memory: its sections, symbols and relocations.
//
// Parse checks the extents of all tables, so nothing outside the bytes is ever read, however
// damaged they are. Numbers in symbols and relocations are checked by whoever uses them.
//
// Immutable after construction. Tested in tests/object/macho_to_elf_test.cc and
// tests/object/macho_damage_test.cc.

#ifndef FIRSTCALL_OBJECT_MACHO_FILE_H_
#define FIRSTCALL_OBJECT_MACHO_FILE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "object/machine.h"
#include "object/macho_format.h"

namespace firstcall {

class MachoFile {
 public:
  // The number of a section is its index in sections() plus 1, as the file counts.
  struct Section {
    absl::string_view name;
    absl::string_view segment;
    uint64_t address = 0;  // Where the object places it; the linker places it elsewhere.
    uint64_t size = 0;
    uint64_t alignment = 1;
    uint32_t flags = 0;
    uint32_t first_indirect_symbol = 0;
    absl::string_view bytes;  // Empty if the file has none.
    size_t relocations = 0;   // The offset of its relocations in the file.
    size_t relocation_count = 0;

    uint8_t type() const { return flags & 0xff; }
    bool is_zero_fill() const {
      return type() == macho::kZeroFill || type() == macho::kBigZeroFill;
    }
    bool is_thread_local() const {
      return type() >= macho::kFirstThreadLocal && type() <= macho::kLastThreadLocal;
    }
    bool is_code() const { return (flags & macho::kHasInstructions) != 0; }
    bool is_debug_information() const { return segment == "__DWARF"; }
    bool is_unwind_table() const { return segment == "__TEXT" && name == "__eh_frame"; }
  };

  struct Symbol {
    absl::string_view name;
    uint8_t type = 0;
    uint8_t section = 0;
    uint16_t description = 0;
    uint64_t value = 0;

    bool is_for_debuggers() const { return (type & macho::kDebuggerMask) != 0; }
    bool is_external() const { return (type & macho::kExternal) != 0; }
    uint8_t kind() const { return type & macho::kKindMask; }
    bool is_undefined() const { return kind() == macho::kUndefined; }
    bool is_common() const { return is_undefined() && is_external() && value != 0; }
    bool is_in_section() const { return kind() == macho::kInSection; }
  };

  struct Relocation {
    uint64_t offset = 0;
    uint32_t target = 0;  // The number of a symbol if is_external, else of a section.
    uint8_t type = 0;
    uint8_t size = 0;  // Bytes.
    bool is_pc_relative = false;
    bool is_external = false;
  };

  // Whether `bytes` begin as a Mach-O object of 64 bits does.
  static bool IsMacho(absl::string_view bytes);

  // `bytes` must outlive the file; views point into them. InvalidArgument if they are no
  // relocatable Mach-O object, or a damaged one.
  static absl::StatusOr<MachoFile> Parse(absl::string_view bytes);

  Machine machine() const { return machine_; }
  const std::vector<Section>& sections() const { return sections_; }
  const std::vector<Symbol>& symbols() const { return symbols_; }

  // Whether the object names the operating system of Apple's that it is made for.
  bool is_for_apple() const { return is_for_apple_; }

  Relocation relocation(const Section& section, size_t number) const;

  // The symbol that the pointer `number` of a section of pointers stands for: a number of a symbol,
  // or a constant. Nothing if the table has no such entry.
  std::optional<uint32_t> IndirectSymbol(const Section& section, size_t number) const;

 private:
  MachoFile() = default;

  bool Has(uint64_t offset, uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }
  template <typename Record>
  Record Read(uint64_t offset) const {
    Record record;
    std::memcpy(&record, bytes_.data() + offset, sizeof(Record));
    return record;
  }
  absl::Status ReadCommand(const macho::Command& command, uint64_t offset);
  absl::Status ReadSegment(uint64_t offset, uint64_t size);
  absl::Status ReadSection(uint64_t offset);
  absl::Status ReadSymbols(const macho::SymbolTableCommand& table);

  absl::string_view bytes_;
  Machine machine_ = Machine::kOther;
  bool is_for_apple_ = false;
  std::vector<Section> sections_;
  std::vector<Symbol> symbols_;
  size_t indirect_symbols_ = 0;
  size_t indirect_symbol_count_ = 0;
};

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_MACHO_FILE_H_
