// Writes bitstreams, for tests of what reads them. Nothing is checked: tests write damaged streams,
// too.

#ifndef FIRSTCALL_TESTS_BITCODE_BIT_WRITER_H_
#define FIRSTCALL_TESTS_BITCODE_BIT_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace firstcall::bitcode {

class BitWriter {
 public:
  // A number of `width` bits, at most 64.
  BitWriter& Fixed(uint64_t number, uint32_t width);
  // A number in chunks of `width` bits.
  BitWriter& Vbr(uint64_t number, uint32_t width);
  // Zeros up to a multiple of 32 bits.
  BitWriter& Align();
  // The magic number of LLVM's bitcode.
  BitWriter& Magic();

  // Blocks may nest. `id_width`: the width of abbreviations' numbers in the block.
  BitWriter& EnterBlock(uint32_t id, uint32_t id_width = 4);
  BitWriter& EndBlock();
  // The number of an abbreviation, with the width that the block has.
  BitWriter& Id(uint32_t id);

  // A record without an abbreviation.
  BitWriter& Record(uint32_t code, const std::vector<uint64_t>& operands = {});
  // The same; the operands are `first` and the characters of `text`.
  BitWriter& TextRecord(uint32_t code, absl::string_view text,
                        const std::vector<uint64_t>& first = {});

  // Begins the definition of an abbreviation of `fields` fields (an array counts as two). The
  // fields follow: Literal, Field or FieldWithWidth.
  BitWriter& Define(uint32_t fields);
  BitWriter& Literal(uint64_t number);
  BitWriter& Field(uint32_t encoding);
  BitWriter& FieldWithWidth(uint32_t encoding, uint32_t width);
  // What a field of the encoding "blob" has.
  BitWriter& Blob(absl::string_view bytes);

  uint64_t bit_position() const { return bit_count_; }
  // The bytes so far; the last one may have unused bits.
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  struct Block {
    uint32_t outer_width;  // Of the ids around the block.
    size_t length_place;   // In bytes_.
  };

  std::vector<uint8_t> bytes_;
  uint64_t bit_count_ = 0;
  uint32_t id_width_ = 2;
  std::vector<Block> open_;
};

}  // namespace firstcall::bitcode

#endif  // FIRSTCALL_TESTS_BITCODE_BIT_WRITER_H_
