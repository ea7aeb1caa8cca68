// Reads the entries of unwind tables (.eh_frame), however damaged they are.
//
// The format is described in the Linux Standard Base (Core, 10.6.1), the encodings of pointers in
// 10.5. Entries are common (CIE), or describe one function and name a common entry (FDE).
//
// Tested in tests/object/unwind_table_test.cc and tests/object/macho_to_elf_test.cc.

#ifndef FIRSTCALL_OBJECT_UNWIND_READER_H_
#define FIRSTCALL_OBJECT_UNWIND_READER_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "object/dwarf_reader.h"

namespace firstcall {

// How an unwind table encodes pointers: a format, and what the value is relative to.
class PointerEncoding {
 public:
  constexpr explicit PointerEncoding(uint8_t bits) : bits_(bits) {}

  // The size of a pointer; 0 for a format that is unknown or has no fixed size.
  size_t size() const;
  bool is_signed() const { return (bits_ & 0x08) != 0; }
  bool is_absolute() const { return (bits_ & 0xf0) == 0x00; }
  bool is_pc_relative() const { return (bits_ & 0x70) == 0x10; }
  bool is_indirect() const { return (bits_ & 0x80) != 0; }  // Where the pointer is.
  bool is_omitted() const { return bits_ == 0xff; }

  // The format alone.
  PointerEncoding Format() const { return PointerEncoding(bits_ & 0x0f); }

 private:
  uint8_t bits_;
};

// Reads pointers, too. Thread-compatible.
class UnwindReader : public DwarfReader {
 public:
  UnwindReader(absl::Span<const uint8_t> bytes, size_t at)
      : DwarfReader({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, at) {}

  // Reads a pointer. A relative pointer becomes an address: that of the pointer itself is added,
  // for a table that is used at `run`. Zero stays zero, which is null.
  uint64_t Pointer(PointerEncoding encoding, uint64_t run);
};

// What a common entry says about the entries that name it.
struct CommonUnwindEntry {
  size_t at = 0;
  PointerEncoding function{0};  // Absolute, or relative and direct.
  PointerEncoding data{0xff};   // Of the pointers to the functions' own data (LSDA).
  bool has_augmentation = false;
};

// Calls `visit` for each entry of `table` that describes a function, with a reader that is at the
// function's address and ends with the entry, until `visit` returns false. Returns whether all of
// the table was read: false, too, if an entry is incomplete, or of a kind that is not known.
bool ForEachUnwindEntry(
    absl::Span<const uint8_t> table,
    absl::FunctionRef<bool(UnwindReader entry, const CommonUnwindEntry& common)> visit);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_UNWIND_READER_H_
