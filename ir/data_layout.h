// Sizes and alignments of types, as a module's data layout says (LangRef, "Data Layout").
//
// Thread-safe: a plain value.

#ifndef FIRSTCALL_IR_DATA_LAYOUT_H_
#define FIRSTCALL_IR_DATA_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/type.h"

namespace firstcall::ir {

class DataLayout {
 public:
  // The layout of a module whose text is empty.
  DataLayout();

  // Unimplemented for big-endian machines, for pointers of address space 0 that have not 64 bits,
  // and for what this class does not know; InvalidArgument for text that is no data layout.
  static absl::StatusOr<DataLayout> Parse(absl::string_view text);

  // The data layout that this build's LLVM gives a module of bitcode that has the layout `text` and
  // the target `triple`. LLVM adds what an older LLVM left out, such as the alignment of i128, to
  // the layouts of x86-64 and AArch64. Layouts of other machines are returned as they are.
  static std::string Upgraded(absl::string_view text, absl::string_view triple);

  // Sets the layout of `type`, whose contained types have theirs, and whether it has one. Appends
  // the offsets of a structure's members to `offsets`; the caller refers to them in Type::offsets.
  //
  // A type of 2^61 bytes or more has no layout, nor a vector of 2^32 bits or more.
  void Lay(Type& type, std::vector<uint64_t>& offsets) const;

  // What precedes the names of symbols in objects: '_' for Mach-O, otherwise 0.
  char symbol_prefix() const { return symbol_prefix_; }
  uint32_t alloca_address_space() const { return alloca_address_space_; }
  uint32_t program_address_space() const { return program_address_space_; }

  // The alignment, in bytes, that LLVM prefers for a variable of `type`, a type with a layout, that
  // has an initializer and no alignment of its own (llvm::DataLayout::getPreferredAlign). A
  // variable with an alignment of its own gets that one, but at least the type's if the variable
  // has no section.
  uint64_t PreferredAlignment(const Type& type) const;

 private:
  struct Alignment {
    uint32_t bits;       // The width of the type; the number of an address space.
    uint32_t abi;        // In bytes.
    uint32_t preferred;  // In bytes.
    uint32_t size;       // Of pointers: in bits.
  };
  class Parser;  // In data_layout_parser.cc.

  const Alignment& OfInteger(uint32_t bits) const;
  // Of a floating-point number or a vector. Without a rule for the width, the natural alignment.
  Alignment OfNumber(const std::vector<Alignment>& rules, uint64_t bits) const;
  const Alignment& OfPointer(uint32_t address_space) const;
  // Of a type that contains no other type, or of a vector.
  Alignment OfScalar(const Type& type) const;
  void LayStructure(Type& type, std::vector<uint64_t>& offsets) const;

  // Each ordered by `bits`.
  std::vector<Alignment> integers_, floats_, vectors_, pointers_;
  Alignment aggregate_ = {0, 1, 8, 0};
  char symbol_prefix_ = 0;
  uint32_t alloca_address_space_ = 0;
  uint32_t program_address_space_ = 0;
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_DATA_LAYOUT_H_
