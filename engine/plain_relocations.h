// The relocations of an object that ask for nothing but the distance between two places
// (R_X86_64_PC32, R_AARCH64_PREL32) or for an address (R_X86_64_64, R_AARCH64_ABS64), which are
// nearly all on x86-64: taken out of the object before MCJIT's linker sees it, and applied here.
// That linker spends some 6,000 instructions on each, because it asks the object file anew for
// everything it looks at; here it is some 50. And on AArch64 it writes a distance that is too large
// as if it were not.
//
// Thread-compatible.

#ifndef FIRSTCALL_ENGINE_PLAIN_RELOCATIONS_H_
#define FIRSTCALL_ENGINE_PLAIN_RELOCATIONS_H_

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
  // Takes them out of `object`, whose bytes are changed and must stay while this is used. Leaves
  // those from which MCJIT's linker learns that a section is needed at all, and everything in an
  // object that is of another architecture or looks damaged.
  static PlainRelocations TakeFrom(const llvm::object::ObjectFile& object);

  bool empty() const { return relocations_.empty(); }

  // Makes the bytes that they were taken from an object that has them again, so that it can be
  // loaded once more.
  void PutBack();

  // Where a section that was loaded is written, and where it runs.
  struct Place {
    uint8_t* write = nullptr;  // Null if it was not loaded.
    ExecutorAddress run;
  };
  // Finds out where the sections are. Call while the object that they were taken from is alive.
  void Locate(const llvm::object::ObjectFile& object,
              absl::FunctionRef<Place(llvm::object::SectionRef)> place_of);

  // Writes all of them; `address_of` is asked for each symbol that the object does not define.
  // Internal if a distance does not fit into 32 bits, or a section was not loaded.
  absl::Status Apply(absl::FunctionRef<ExecutorAddress(absl::string_view)> address_of) const;

 private:
  static constexpr uint32_t kNoSection = UINT32_MAX;

  struct Relocation {
    uint32_t section;  // Where it is: an index of places_.
    uint32_t target;   // An index of targets_.
    bool is_absolute;  // An address of 64 bits; otherwise a distance of 32.
    uint64_t offset;
    int64_t addend;
  };
  // A symbol of the object.
  struct Target {
    uint32_t section = kNoSection;  // Where it is defined, if it is: an index of places_.
    uint64_t value = 0;
    absl::string_view name;  // Of one that is not; a view into the object's bytes.
  };

  // A table of relocations, of which only the first ones are left.
  struct ShortenedTable {
    void* header;  // The section's, in the object's bytes.
    uint64_t size;
  };

  std::vector<ShortenedTable> tables_;
  std::vector<Relocation> relocations_;
  std::vector<Target> targets_;
  std::vector<bool> is_used_;  // For each section of the object, whether its place is needed.
  std::vector<Place> places_;  // By the sections' indices in the object.
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_PLAIN_RELOCATIONS_H_
