#include "memory/single_unwind_tables.h"

#include <cstdint>
#include <cstring>

namespace firstcall {

SingleUnwindTables::~SingleUnwindTables() {
  for (void* table : tables_) ForEachUnit(table, functions_.remove);
}

// An entry is its length, its contents, of which the first four bytes are zero if it describes no
// code of its own (a CIE). The tables of compiled code have no longer form of the length: the
// linker has checked them.
void SingleUnwindTables::ForEachUnit(void* table, void (*function)(void* unit)) const {
  if (unit_ == Unit::kTable) {
    function(table);
    return;
  }
  auto* entry = static_cast<uint8_t*>(table);
  while (true) {
    uint32_t length, kind;
    std::memcpy(&length, entry, sizeof(length));
    if (length == 0) return;
    std::memcpy(&kind, entry + sizeof(length), sizeof(kind));
    if (kind != 0) function(entry);
    entry += sizeof(length) + length;
  }
}

void SingleUnwindTables::Register(const UnwindTable& table) {
  void* address = table.table.InThisProcess<void*>();
  if (tables_.insert(address).second) ForEachUnit(address, functions_.add);
}

void SingleUnwindTables::Withdraw(absl::Span<const UnwindTable> tables) {
  for (const UnwindTable& table : tables) {
    void* address = table.table.InThisProcess<void*>();
    if (tables_.erase(address) != 0) ForEachUnit(address, functions_.remove);
  }
}

}  // namespace firstcall
