// What the relocations of a section make of its fields, before they are applied: for the readers of
// tables that name code (DWARF's).
//
// Thread-safe: a pure function of its arguments.

#ifndef FIRSTCALL_OBJECT_RELOCATED_PLACES_H_
#define FIRSTCALL_OBJECT_RELOCATED_PLACES_H_

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "object/elf_object.h"

namespace firstcall {

// A place in a section.
struct RelocatedPlace {
  uint32_t section = 0;  // Its number; 0 if the place is in none of the object's.
  uint64_t offset = 0;
};

using RelocatedPlaces = absl::flat_hash_map<uint64_t, RelocatedPlace>;  // By the field's offset.

// Of section number `section` of `object`. Relocations that name no symbol are left out.
inline RelocatedPlaces PlacesNamedIn(const ElfObject& object, uint32_t section) {
  RelocatedPlaces places;
  for (const ElfObject::Section& table : object.sections()) {
    if (!table.is_relocation_table() || table.info != section) continue;
    for (size_t i = 0; i < object.RelocationCount(table); ++i) {
      const ElfObject::Relocation relocation = object.relocation(table, i);
      if (relocation.symbol >= object.symbol_count()) continue;
      const ElfObject::Symbol symbol = object.symbol(relocation.symbol);
      places[relocation.offset] = {object.SectionOf(symbol, relocation.symbol),
                                   symbol.value + static_cast<uint64_t>(relocation.addend)};
    }
  }
  return places;
}

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_RELOCATED_PLACES_H_
