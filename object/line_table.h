// Reads which source lines the code of an object comes from (.debug_line, DWARF 4 and 5, 6.2).
//
// Thread-safe: a pure function of its argument.

#ifndef FIRSTCALL_OBJECT_LINE_TABLE_H_
#define FIRSTCALL_OBJECT_LINE_TABLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "object/elf_object.h"

namespace firstcall {

// The code from this place on, up to the next row of the sequence, comes from this line.
struct LineRow {
  uint32_t section = 0;  // The number of a section with code.
  uint64_t offset = 0;   // In the section.
  uint32_t line = 0;     // 0: from no line, or the sequence ends.
  uint32_t file = 0;     // The index in LineTable::files.
};

struct LineTable {
  std::vector<std::string> files;  // With the directory, if the table names it.
  std::vector<LineRow> rows;       // In the order of the table.
};

// Whether the object has a line table.
bool HasLineTable(const ElfObject& object);

// Returns the object's line table; empty if there is none. If the table is damaged, or has another
// version, returns the rows that could be read before.
LineTable ReadLineTable(const ElfObject& object);

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_LINE_TABLE_H_
