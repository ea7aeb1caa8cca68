// The relocations of an object that need only a distance between two places (R_X86_64_PC32,
// R_AARCH64_PREL32) or an address (R_X86_64_64, R_AARCH64_ABS64). On x86-64 these are nearly all.
// They are taken out of the object before MCJIT's linker sees it, and applied here. MCJIT's linker
// spends some 6,000 instructions on each, because it asks the object file anew for everything that
// it needs; this code spends some 50. On AArch64 that linker also truncates a distance that is too
// large without an error.
//
// Thread-compatible.

#ifndef FIRSTCALL_BACKEND_MCJIT_PLAIN_RELOCATIONS_H_
#define FIRSTCALL_BACKEND_MCJIT_PLAIN_RELOCATIONS_H_

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "llvm/Object/ObjectFile.h"
#include "memory/executor_address.h"

namespace firstcall {

class PlainRelocations {
 public:
  // Takes these relocations out of `object`. This changes the object's bytes, which must live as
  // long as the result is used. Leaves those relocations by which MCJIT's linker finds out that a
  // section must be loaded, and all relocations of an object that looks damaged or is of another
  // architecture.
  static PlainRelocations TakeFrom(const llvm::object::ObjectFile& object);

  bool empty() const { return relocations_.empty(); }

  // Puts the relocations back into the object's bytes, so that it can be loaded again.
  void PutBack();

  // Where a loaded section is written, and where it runs.
  struct Place {
    uint8_t* write = nullptr;  // Null if the section was not loaded.
    ExecutorAddress run;
  };
  // Stores the places of the sections. Call this while the object exists.
  void Locate(const llvm::object::ObjectFile& object,
              absl::FunctionRef<Place(llvm::object::SectionRef)> place_of);

  // Applies all relocations. Calls `address_of` for each symbol that the object does not define.
  // Internal if a distance does not fit into 32 bits, or if a section was not loaded.
  absl::Status Apply(absl::FunctionRef<ExecutorAddress(absl::string_view)> address_of) const;

 private:
  static constexpr uint32_t kNoSection = UINT32_MAX;

  struct Relocation {
    uint32_t section;  // The relocated section: an index of places_.
    uint32_t target;   // An index of targets_.
    bool is_absolute;  // A 64-bit address; otherwise a 32-bit distance.
    uint64_t offset;
    int64_t addend;
  };
  // A symbol of the object.
  struct Target {
    uint32_t section = kNoSection;  // The defining section, if any: an index of places_.
    uint64_t value = 0;
    absl::string_view name;  // Of an undefined symbol; a view into the object's bytes.
  };

  // A table of relocations that was shortened to those that are left.
  struct ShortenedTable {
    void* header;  // The section header, in the object's bytes.
    uint64_t size;
  };

  class Taker;

  std::vector<ShortenedTable> tables_;
  std::vector<Relocation> relocations_;
  std::vector<Target> targets_;
  std::vector<bool> is_used_;  // For each section of the object: whether its place is needed.
  std::vector<Place> places_;  // By the section's index in the object.
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_MCJIT_PLAIN_RELOCATIONS_H_
