// A relocatable ELF object in memory: the facts that the linker needs before it loads the object,
// and changes that prepare the object for loading.
//
// Parse checks the extents of all sections and tables, so nothing outside the bytes is ever read or
// written, however damaged they are. Records are copied out and in, so the bytes need no alignment.
//
// Thread-compatible.

#ifndef FIRSTCALL_OBJECT_ELF_OBJECT_H_
#define FIRSTCALL_OBJECT_ELF_OBJECT_H_

#include <string.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "memory/memory_manager.h"
#include "object/lifecycle.h"
#include "object/machine.h"

namespace firstcall {

class ElfObject {
 public:
  struct Undefined {
    absl::string_view name;
    bool is_weak = false;
  };

  // Whether an undefined symbol is wanted although only debug information, or nothing, refers to
  // it: an object of others may name a symbol to have a member of an archive linked.
  using IsWanted = absl::FunctionRef<bool(absl::string_view name)>;
  static bool NoneIsWanted(absl::string_view /*name*/) { return false; }

  // `bytes` must outlive the object, which changes them. Views that methods return point into them.
  // InvalidArgument if they are not a 64-bit little-endian relocatable ELF object.
  static absl::StatusOr<std::unique_ptr<ElfObject>> Parse(absl::Span<char> bytes,
                                                          absl::string_view name,
                                                          IsWanted is_wanted = NoneIsWanted);

  absl::Span<char> bytes() const { return bytes_; }
  Machine machine() const { return machine_; }

  // The undefined symbols, and the global symbols that the object defines. If there is debug
  // information, undefined() leaves out symbols that nothing else refers to and that are not
  // wanted.
  const std::vector<Undefined>& undefined() const { return undefined_; }
  const std::vector<absl::string_view>& defined() const { return defined_; }

  bool Defines(absl::string_view name) const;

  // Removes from undefined() the symbols that no relocation of a section to be loaded names and
  // that are not wanted: objects of others may have such symbols. (Parse does so if there is debug
  // information.) InvalidArgument if a relocation is damaged. Looks at every relocation.
  absl::Status DropUnneededSymbols(IsWanted is_wanted = NoneIsWanted);

  // The definitions that refer to symbol `name`. For messages: looks at every relocation.
  std::vector<absl::string_view> ReferrersTo(absl::string_view name) const;

  // A global definition, as other objects see it.
  struct Definition {
    absl::string_view name;
    bool is_weak = false;    // Gives way to another definition.
    bool is_hidden = false;  // Invisible to other libraries.
  };
  std::vector<Definition> DescribeDefinitions() const;

  // The sections to be loaded whose name is a C identifier and unique in the object.
  struct NamedSection {
    absl::string_view name;
    uint32_t section;  // Its number.
    uint64_t size;
  };
  std::vector<NamedSection> NamedSections() const;

  // The functions that the sections .init_array, .fini_array and similar ones point to, in the
  // order of the file. InvalidArgument if a pointer is damaged; Unimplemented if one points to
  // another object's function.
  struct LifecyclePointer {
    LifecyclePhase phase;
    int64_t priority;
    uint32_t section;  // The number of the function's section.
    uint64_t offset;   // The offset of the function in that section.
  };
  absl::StatusOr<std::vector<LifecyclePointer>> LifecyclePointers() const;

  // The undefined symbols that the object's relocations reach only within an arena, such as those
  // of 32-bit distances. Unimplemented if a relocation does not reach even that far, such as an
  // absolute 32-bit address.
  absl::StatusOr<std::vector<absl::string_view>> NearSymbols() const;

  // Whether the object has a section of large variables (object/large_section.h), and the numbers
  // of those sections that the object's other sections reach wherever they lie. InvalidArgument if
  // a relocation is damaged. Looks at every relocation if there is such a section.
  bool HasLargeSections() const;
  absl::StatusOr<std::vector<uint32_t>> FarSections() const;

  // Upper bounds of the memory that loading takes, including a linker's own tables and jumps.
  SegmentSizes MemorySizes() const;
  bool HasSeveralCodeSections() const;

  // Turns a definition into a reference to a definition elsewhere. UndefineAll does that for all of
  // `names`, each of which is there once, in one pass.
  void Undefine(absl::string_view name);
  void UndefineAll(absl::Span<const absl::string_view> names);

  // Makes the calls of functions that the object defines go to definitions elsewhere. The functions
  // stay in the object, without names. Has no effect on a function that is not called, or if the
  // object defines nothing but such functions in the function's section.
  void CallElsewhere(absl::Span<const absl::string_view> names);

  // Makes local definitions of `names` global and visible.
  void MakeGlobal(absl::Span<const absl::string_view> names);

  // Makes every definition strong. The engine has already chosen among several weak definitions.
  void MakeDefinitionsStrong();

  // Defines an undefined symbol, or each of `names`, as the address zero, the address of a weak
  // symbol that nothing defines.
  void DefineAsZero(absl::string_view name);
  void DefineAsZero(absl::Span<const absl::string_view> names);

  // Defines undefined symbols that name bounds of the object's sections to be loaded
  // (`__start_SECTION`, `__stop_SECTION`), if `is_own` holds for the name. If several sections have
  // one name, joins_sections() holds from now on.
  void DefineSectionBounds(absl::FunctionRef<bool(absl::string_view name)> is_own);

  // Whether sections of one name, which is a C identifier, have to be loaded one behind the other.
  bool joins_sections() const { return joins_sections_; }

  // Makes calls of undefined symbols direct if `is_near` holds for the symbol. On AArch64 either
  // all calls of an object are direct or none, so all symbols must be near. InvalidArgument if a
  // relocation is damaged.
  absl::Status BindCallsDirectly(absl::FunctionRef<bool(absl::string_view)> is_near);

  // Whether it is known that no call of the object needs a jump to reach its target.
  bool calls_are_direct() const { return calls_are_direct_; }

  // --- The tables, for a linker. Numbers must be less than the counts. ---

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
  const std::vector<Section>& sections() const { return sections_; }

  // The bytes of a section; empty if the file has none.
  absl::Span<char> BytesOf(const Section& section) const {
    return section.has_bytes() ? bytes_.subspan(section.offset, section.size) : absl::Span<char>();
  }

  size_t symbol_count() const { return symbol_count_; }
  Symbol symbol(size_t number) const { return Read<Symbol>(symbols_, number); }
  absl::string_view NameOf(const Symbol& symbol) const {
    // Checked again: in a damaged object, a change of a relocation may have changed a symbol.
    if (symbol.name >= names_.size()) return {};
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

 private:
  ElfObject() = default;

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
  absl::Status CheckSection(const Section& section) const;
  absl::Status ReadSymbolTable(const Section& table);
  absl::Status ReadSymbols(IsWanted is_wanted);
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
  bool joins_sections_ = false;
  bool has_debug_sections_ = false;
  bool has_debug_information_ = false;
  std::vector<Undefined> undefined_;
  std::vector<absl::string_view> defined_;
  bool calls_are_direct_ = false;
};

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_ELF_OBJECT_H_
