// Reads the numbers and texts of DWARF sections (DWARF 5, 7.5 and 7.6), however damaged they are.
//
// Thread-compatible. Tested in tests/object/line_table_test.cc.

#ifndef FIRSTCALL_OBJECT_DWARF_READER_H_
#define FIRSTCALL_OBJECT_DWARF_READER_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/strings/string_view.h"

namespace firstcall {

// Never reads beyond the end: then ok() is false, and what is read is zero.
class DwarfReader {
 public:
  // `bytes` must outlive the reader.
  DwarfReader(absl::string_view bytes, size_t at) : bytes_(bytes), at_(at) {
    ok_ = at <= bytes.size();
  }

  bool ok() const { return ok_; }
  size_t at() const { return at_; }
  bool is_at_end() const { return !ok_ || at_ == bytes_.size(); }

  void Skip(uint64_t size) {
    if (Has(size)) at_ += size;
  }

  // An unsigned number of `size` bytes, at most 8.
  uint64_t Number(size_t size) {
    uint64_t value = 0;
    if (size > sizeof(value) || !Has(size)) return 0;
    std::memcpy(&value, bytes_.data() + at_, size);
    at_ += size;
    return value;
  }

  // Numbers in LEB128. Bits beyond 64 are dropped.
  uint64_t Unsigned() {
    bool is_negative;
    int shift;
    return Leb128(is_negative, shift);
  }
  int64_t Signed() {
    bool is_negative;
    int shift;
    uint64_t value = Leb128(is_negative, shift);
    if (is_negative && shift < 64) value |= ~uint64_t{0} << shift;
    return static_cast<int64_t>(value);
  }

  // A text that ends with a zero.
  absl::string_view Text() {
    if (!ok_) return {};
    const size_t end = bytes_.find('\0', at_);
    if (end == absl::string_view::npos) {
      ok_ = false;
      return {};
    }
    const absl::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

 private:
  bool Has(uint64_t size) {
    ok_ = ok_ && size <= bytes_.size() - at_;
    return ok_;
  }

  uint64_t Leb128(bool& is_negative, int& shift) {
    uint64_t value = 0;
    shift = 0;
    uint64_t byte = 0x80;
    while ((byte & 0x80) != 0 && ok_) {
      byte = Number(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      shift += 7;
    }
    is_negative = (byte & 0x40) != 0;
    return value;
  }

  absl::string_view bytes_;
  size_t at_;
  bool ok_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_OBJECT_DWARF_READER_H_
