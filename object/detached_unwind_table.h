// Makes unwind tables for single pieces of code: for a profiler that puts each function into a file
// of its own. (The format: Linux Standard Base, Core, 10.6.)
//
// Thread-safe: immutable after construction.

#ifndef FIRSTCALL_OBJECT_DETACHED_UNWIND_TABLE_H_
#define FIRSTCALL_OBJECT_DETACHED_UNWIND_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "object/elf_object.h"

namespace firstcall {

// To be used directly behind the code, at the next multiple of 8.
struct DetachedUnwindTable {
  std::string entries;  // As .eh_frame has them. A multiple of 8 bytes.
  std::string index;    // As .eh_frame_hdr has it, to be used behind the entries.
};

// The unwind tables of an object, which must outlive this. Its relocations need not be applied.
class UnwindTables {
 public:
  // Reads all tables. Of a damaged table, reads what is in front of the damage.
  explicit UnwindTables(const ElfObject& object);

  // How the frames of `size` bytes of code at `offset` of section `section` are unwound. Handlers
  // of exceptions are left out. Both parts are empty if the object says nothing about this code.
  DetachedUnwindTable Detach(uint32_t section, uint64_t offset, uint64_t size) const;

 private:
  // What a table says of a function.
  struct Entry {
    uint32_t section;
    uint64_t function;  // Its offset in the section.
    absl::string_view table;
    size_t common_at;    // Where the common entry is in the table,
    size_t function_at;  // the address of the function,
    size_t end;          // and the end of the entry.
  };

  void AddTable(const ElfObject& object, uint32_t number);

  std::vector<Entry> entries_;  // In the order of sections and offsets.
};

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_DETACHED_UNWIND_TABLE_H_
