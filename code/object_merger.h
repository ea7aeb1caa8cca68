// Makes one relocatable object of many, as `ld -r` does, so that they can be loaded and bound at
// once.
//
// Thread-compatible. Tested in tests/code/object_merger_test.cc.

#ifndef FIRSTCALL_CODE_OBJECT_MERGER_H_
#define FIRSTCALL_CODE_OBJECT_MERGER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "code/elf_object.h"

namespace firstcall {

class ObjectMerger {
 public:
  // Adds the sections of `object` that are loaded. Sections with the same name follow one another
  // in one section. A global definition whose name another object has defined before becomes a
  // local one, which the object goes on using.
  //
  // Returns false, and adds nothing, if the object has something that cannot be merged: debug
  // information, arrays of constructors, thread-local or common symbols, damage, another
  // architecture than the objects before, or a name that it refers to and another object defines,
  // or the other way round.
  bool Add(const ElfObject& object);

  // The merged object. Call it once, after Add has returned true at least once.
  std::string Finish();

 private:
  // A section of the merged object.
  struct Output {
    std::string name;
    uint32_t type = 0;
    uint64_t flags = 0;
    uint64_t alignment = 1;
    uint64_t size = 0;
    std::string bytes;                               // Empty if the section has none in the file.
    std::vector<ElfObject::Relocation> relocations;  // Their symbols are numbers in symbols_.
  };
  // `record` names the number of an output, plus 1, as its section, and has no name's offset yet.
  struct Symbol {
    std::string name;  // Empty: the symbol of a section.
    ElfObject::Symbol record;
  };
  // Where a section of an object has gone.
  struct Place {
    uint32_t output = 0;  // The output's number plus 1; 0: nowhere.
    uint64_t offset = 0;
  };

  size_t SizeWithoutNames() const;  // Of the merged object's file, about.
  bool CanBeMerged(const ElfObject& object) const;
  bool IsMergeable(const ElfObject& object, const ElfObject::Section& section) const;
  bool IsMergeable(const ElfObject& object, size_t number) const;
  std::vector<Place> AddSections(const ElfObject& object);
  // The numbers that the symbols have in symbols_.
  std::vector<uint32_t> AddSymbols(const ElfObject& object, const std::vector<Place>& places);
  void AddRelocations(const ElfObject& object, const std::vector<Place>& places,
                      const std::vector<uint32_t>& numbers);

  Machine machine_ = Machine::kOther;
  std::vector<Output> outputs_;
  absl::flat_hash_map<std::tuple<std::string, uint32_t, uint64_t>, uint32_t> output_numbers_;
  std::vector<Symbol> symbols_;
  // Of the global symbols, defined and undefined.
  absl::flat_hash_map<std::string, uint32_t> globals_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CODE_OBJECT_MERGER_H_
