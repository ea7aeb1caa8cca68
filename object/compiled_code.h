// Compiled code on its way from a code generator to the object that is made of it (elf_writer.h):
// plain values, no LLVM.
//
// A CompiledCode consists of sections of bytes, of the relocations that complete their references
// once the sections have addresses, and of the symbols that the relocations and other code name. It
// does not depend on where it will run.
//
// Thread-compatible value type. Tested in tests/object/elf_writer_test.cc.

#ifndef FIRSTCALL_OBJECT_COMPILED_CODE_H_
#define FIRSTCALL_OBJECT_COMPILED_CODE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace firstcall {

enum class SectionKind : uint8_t {
  kCode,          // Instructions, and the constants they reach by PC-relative distances.
  kReadOnlyData,  // Constants that have no relocations, or are constant once they are bound.
  kData,          // Writable data.
  kUnwindTable,   // An .eh_frame: common and frame description entries, without the terminator.
  kZeroData,      // Writable data that is zero at first, without bytes or relocations.
  // The same for large variables, which may be out of reach of code (object/large_section.h).
  kLargeZeroData,
  // What each thread's copy of thread-local variables holds at first; the same without bytes or
  // relocations, for those that are zero.
  kThreadLocalData,
  kThreadLocalZeroData,
};

struct CodeSection {
  SectionKind kind = SectionKind::kCode;
  uint32_t alignment = 1;  // A power of two.
  std::vector<uint8_t> bytes;
  uint64_t zeros = 0;  // Of zero data: its size.
  // Of kReadOnlyData and kData: the name, in CompiledCode::names as that of a symbol. Empty: the
  // usual name.
  uint32_t name = 0;
  uint32_t name_size = 0;

  bool is_zero() const {
    return kind == SectionKind::kZeroData || kind == SectionKind::kLargeZeroData ||
           kind == SectionKind::kThreadLocalZeroData;
  }
  uint64_t size() const { return is_zero() ? zeros : bytes.size(); }
};

enum class RelocationKind : uint8_t {
  kAbsolute64,  // symbol + addend
  kRelative32,  // symbol + addend - place, which must fit into 32 signed bits.
  kRelative64,  // symbol + addend - place
  // Of AArch64, in an instruction: a call that reaches 128 MiB; the distance of the page of
  // symbol + addend in ADRP; and that address's place in its page in ADD.
  kCall26,
  kPage21,
  kPageOffset12,
  // The descriptor of a thread-local variable, which the linker makes. Of x86-64: descriptor +
  // addend
  // - place. Of AArch64: as kPage21, in a load, and as kPageOffset12.
  kDescriptor32,
  kDescriptorPage21,
  kDescriptorLoad12,
  kDescriptorOffset12,
};

struct CodeRelocation {
  uint32_t section = 0;
  uint32_t offset = 0;  // The offset of the place in the section.
  uint32_t symbol = 0;  // An index into CompiledCode::symbols.
  RelocationKind kind = RelocationKind::kAbsolute64;
  int64_t addend = 0;
};

// Which other objects and libraries may refer to a global symbol, with the numbers that ELF has.
enum class SymbolVisibility : uint8_t { kDefault = 0, kHidden = 2, kProtected = 3 };

struct CodeSymbol {
  // The name is the `name_size` characters of CompiledCode::names from `name` on; empty for a
  // section.
  uint32_t name = 0;
  uint32_t name_size = 0;
  bool is_defined = false;
  bool is_local = false;  // Other code cannot refer to it.
  bool is_weak = false;   // Another definition may take its place; if undefined, it may be null.
  bool is_thread_local = false;
  SymbolVisibility visibility = SymbolVisibility::kDefault;
  // Where the symbol is, if it is defined.
  uint32_t section = 0;
  uint32_t offset = 0;
  uint64_t size = 0;
};

struct CompiledCode {
  std::vector<CodeSection> sections;
  std::vector<CodeRelocation> relocations;
  std::vector<CodeSymbol> symbols;
  std::string names;

  absl::string_view NameOf(const CodeSymbol& symbol) const {
    return absl::string_view(names).substr(symbol.name, symbol.name_size);
  }
  absl::string_view NameOf(const CodeSection& section) const {
    return absl::string_view(names).substr(section.name, section.name_size);
  }
};

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_COMPILED_CODE_H_
