#include "tests/bitcode/bit_writer.h"

#include "bitcode/records.h"

namespace firstcall::bitcode {

BitWriter& BitWriter::Fixed(uint64_t number, uint32_t width) {
  for (uint32_t i = 0; i < width; ++i) {
    if (bit_count_ % 8 == 0) bytes_.push_back(0);
    bytes_.back() = static_cast<uint8_t>(bytes_.back() | (number >> i & 1) << bit_count_ % 8);
    ++bit_count_;
  }
  return *this;
}

BitWriter& BitWriter::Vbr(uint64_t number, uint32_t width) {
  const uint64_t more = uint64_t{1} << (width - 1);
  for (; number >= more; number >>= width - 1) Fixed((number & (more - 1)) | more, width);
  return Fixed(number, width);
}

BitWriter& BitWriter::Align() {
  while (bit_count_ % 32 != 0) Fixed(0, 1);
  return *this;
}

BitWriter& BitWriter::Magic() { return Fixed(kMagic, 32); }

BitWriter& BitWriter::Id(uint32_t id) { return Fixed(id, id_width_); }

BitWriter& BitWriter::EnterBlock(uint32_t id, uint32_t id_width) {
  Id(kEnterSubBlockId).Vbr(id, 8).Vbr(id_width, 4).Align();
  open_.push_back({id_width_, bytes_.size()});
  id_width_ = id_width;
  return Fixed(0, 32);
}

BitWriter& BitWriter::EndBlock() {
  Id(kEndBlockId).Align();
  const Block block = open_.back();
  open_.pop_back();
  const size_t words = (bytes_.size() - block.length_place) / 4 - 1;
  for (size_t i = 0; i < 4; ++i) {
    bytes_[block.length_place + i] = static_cast<uint8_t>(words >> 8 * i);
  }
  id_width_ = block.outer_width;
  return *this;
}

BitWriter& BitWriter::Record(uint32_t code, const std::vector<uint64_t>& operands) {
  Id(kUnabbreviatedId).Vbr(code, 6).Vbr(operands.size(), 6);
  for (uint64_t operand : operands) Vbr(operand, 6);
  return *this;
}

BitWriter& BitWriter::TextRecord(uint32_t code, absl::string_view text,
                                 const std::vector<uint64_t>& first) {
  std::vector<uint64_t> operands = first;
  for (char character : text) operands.push_back(static_cast<uint8_t>(character));
  return Record(code, operands);
}

BitWriter& BitWriter::Define(uint32_t fields) { return Id(kDefineAbbreviationId).Vbr(fields, 5); }

BitWriter& BitWriter::Literal(uint64_t number) { return Fixed(1, 1).Vbr(number, 8); }

BitWriter& BitWriter::Field(uint32_t encoding) { return Fixed(0, 1).Fixed(encoding, 3); }

BitWriter& BitWriter::FieldWithWidth(uint32_t encoding, uint32_t width) {
  return Field(encoding).Vbr(width, 5);
}

BitWriter& BitWriter::Blob(absl::string_view bytes) {
  Vbr(bytes.size(), 6).Align();
  for (char byte : bytes) Fixed(static_cast<uint8_t>(byte), 8);
  return Align();
}

}  // namespace firstcall::bitcode
