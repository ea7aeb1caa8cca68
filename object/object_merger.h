// Makes one relocatable object of many, as `ld -r` does, so that they can be loaded and bound at
// once.
//
// The merger keeps the objects, and only decides where their parts go. The merged object is written
// once, into memory of its final size: a megabyte that is copied often, or that grows, costs more
// page faults than merging takes.
//
// Thread-compatible. Tested in tests/object/object_merger_test.cc.

#ifndef FIRSTCALL_OBJECT_OBJECT_MERGER_H_
#define FIRSTCALL_OBJECT_OBJECT_MERGER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "object/elf_object.h"
#include "object/object_bytes.h"

namespace firstcall {

class ElfFile;

class ObjectMerger {
 public:
  // For objects that this project's linker links.
  ObjectMerger() = default;

  // For the parts of one module, which any linker may link. A name that one part refers to is the
  // definition that another part has, also a local one. `locals` are global definitions of parts
  // that are to be local in the merged object. Arrays of constructors, and thread-local and common
  // symbols, are merged, too.
  explicit ObjectMerger(std::vector<std::string> locals)
      : is_of_one_module_(true), made_local_(std::move(locals)) {}

  // Adds the sections of `object` that are loaded. Sections with the same name follow one another
  // in one section. A global definition whose name another object has defined before becomes a
  // local one, which the object goes on using.
  //
  // Returns false, and adds nothing, if the bytes are no object or the object has something that
  // cannot be merged: debug information, arrays of constructors, thread-local or common symbols,
  // damage, another architecture than the objects before, or a name that it refers to and another
  // object defines, or the other way round. (Of the parts of one module: debug information,
  // two definitions of a name, damage, or what this class does not know.)
  bool Add(ObjectBytes object);

  // The merged object. `spare` bytes can be appended to it without a copy. Call it once, after Add
  // has returned true at least once.
  std::string Finish(size_t spare = 0);

 private:
  // Where a section of an object has gone.
  struct Place {
    uint32_t output = 0;  // The output's number plus 1; 0: nowhere.
    uint64_t offset = 0;
  };
  // An object that was added.
  struct Part {
    ObjectBytes bytes;
    std::unique_ptr<ElfObject> object;  // Of the bytes.
    std::vector<Place> places;          // Of its sections.
    std::vector<uint32_t> numbers;      // Those that its symbols have in symbols_.
  };
  struct PartOfOutput {
    const Part* part = nullptr;
    uint32_t section = 0;  // Its number in the object.
  };
  // A section of the merged object.
  struct Output {
    std::string name;
    uint32_t type = 0;
    uint64_t flags = 0;
    uint64_t alignment = 1;
    uint64_t size = 0;
    uint64_t file_size = 0;                 // Zero if its sections have no bytes in their files.
    std::vector<PartOfOutput> contents;     // Those that have bytes.
    std::vector<PartOfOutput> relocations;  // Tables of relocations of these.
    size_t relocation_count = 0;
  };
  // `record` names the number of an output, plus 1, as its section, and has no name's offset yet.
  struct Symbol {
    absl::string_view name;  // In a part's bytes. Empty: the symbol of a section.
    ElfObject::Symbol record;
  };

  size_t SizeWithoutHeaders() const;  // Of the merged object's file, or a little more.
  bool CanBeMerged(const ElfObject& object) const;
  bool IsMergeable(const ElfObject& object, const ElfObject::Section& section) const;
  bool IsMergeable(const ElfObject& object, size_t number) const;
  bool IsUniqueInModule(absl::string_view name) const;
  // The number that symbol number `i` of the part has if it is the same as one of another part; 0
  // if it is not.
  uint32_t FindInModule(const ElfObject::Symbol& symbol, absl::string_view name,
                        const ElfObject::Symbol& record);
  void MakeLocal();
  void AddSections(Part& part);
  void AddSymbols(Part& part);
  void AddRelocations(const Part& part);
  static void WriteContents(const Output& output, ElfFile& file);
  static void WriteRelocations(const Output& output, const std::vector<uint32_t>& new_numbers,
                               ElfFile& file);

  const bool is_of_one_module_ = false;
  const std::vector<std::string> made_local_;
  Machine machine_ = Machine::kOther;
  std::vector<std::unique_ptr<const Part>> parts_;
  std::vector<Output> outputs_;
  absl::flat_hash_map<std::tuple<std::string, uint32_t, uint64_t>, uint32_t> output_numbers_;
  std::vector<Symbol> symbols_;
  size_t name_bytes_ = 0;  // Of the symbols, with a zero behind each.
  // Of the global symbols, defined and undefined.
  absl::flat_hash_map<absl::string_view, uint32_t> globals_;
  // Of one module: of its local definitions.
  absl::flat_hash_map<absl::string_view, uint32_t> locals_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_OBJECT_MERGER_H_
