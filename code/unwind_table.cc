// The format is described in the Linux Standard Base (Core, 10.6.1), the encodings of pointers in
// 10.5. Entries are common (CIE), or describe one function and name a common entry (FDE).

#include "code/unwind_table.h"

#include <cstring>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/strings/string_view.h"

namespace firstcall {
namespace {

// Encodings of pointers: a format, and what the value is relative to.
constexpr uint8_t kFormatMask = 0x0f;
constexpr uint8_t kRelationMask = 0xf0;
constexpr uint8_t kAbsolute = 0x00, kPcRelative = 0x10, kIndirect = 0x80;
constexpr uint8_t kOmitted = 0xff;

// The size of a pointer of a format; 0 for a format that is unknown or has no fixed size.
size_t SizeOf(uint8_t encoding) {
  switch (encoding & kFormatMask) {
    case 0x00:  // The size of an address.
    case 0x04:
    case 0x0c:
      return 8;
    case 0x02:
    case 0x0a:
      return 2;
    case 0x03:
    case 0x0b:
      return 4;
    default:
      return 0;
  }
}

bool IsSigned(uint8_t encoding) { return (encoding & 0x08) != 0; }

// Reads from bytes, and never beyond their end: then ok() is false, and what is read is zero.
class Reader {
 public:
  Reader(absl::Span<const uint8_t> bytes, size_t at) : bytes_(bytes), at_(at) {}

  bool ok() const { return ok_; }
  size_t at() const { return at_; }

  // An unsigned number of up to 8 bytes.
  uint64_t Number(size_t size) {
    uint64_t value = 0;
    if (!Has(size)) return 0;
    std::memcpy(&value, bytes_.data() + at_, size);
    at_ += size;
    return value;
  }

  // A number in LEB128, which needs no value here.
  void SkipLeb128() {
    while ((Number(1) & 0x80) != 0) {
    }
  }

  // A text that ends with a zero.
  absl::string_view Text() {
    const char* const begin = reinterpret_cast<const char*>(bytes_.data()) + at_;
    size_t size = 0;
    while (Number(1) != 0) ++size;
    return ok_ ? absl::string_view(begin, size) : absl::string_view();
  }

  // A pointer; relative ones get the address where they run added, but for zero, which is null.
  uint64_t Pointer(uint8_t encoding, uint64_t run) {
    const size_t size = SizeOf(encoding);
    const size_t place = at_;
    uint64_t value = Number(size);
    if (IsSigned(encoding) && size < 8 && (value >> (8 * size - 1)) != 0) {
      value |= ~uint64_t{0} << (8 * size);
    }
    return value != 0 && (encoding & kRelationMask) == kPcRelative ? value + run + place : value;
  }

 private:
  bool Has(size_t size) {
    ok_ = ok_ && size <= bytes_.size() - at_;
    return ok_;
  }

  absl::Span<const uint8_t> bytes_;
  size_t at_;
  bool ok_ = true;
};

// How functions' addresses are encoded by the entries that name the common entry `reader` is at.
// Nothing if that is damaged, or of a kind that is not known.
std::optional<uint8_t> ReadCommonEntry(Reader reader) {
  const uint64_t version = reader.Number(1);
  if (version != 1 && version != 3) return std::nullopt;
  absl::string_view augmentation = reader.Text();
  reader.SkipLeb128();                                          // The unit of code.
  reader.SkipLeb128();                                          // The unit of data.
  version == 1 ? (void)reader.Number(1) : reader.SkipLeb128();  // The register.
  uint8_t encoding = kAbsolute;
  if (augmentation.empty()) return reader.ok() ? std::make_optional(encoding) : std::nullopt;
  if (augmentation[0] != 'z') return std::nullopt;
  reader.SkipLeb128();  // The size of what follows.
  for (char c : augmentation.substr(1)) {
    if (c == 'R') {
      encoding = static_cast<uint8_t>(reader.Number(1));
    } else if (c == 'P') {
      const auto personality = static_cast<uint8_t>(reader.Number(1));
      if (SizeOf(personality) == 0) return std::nullopt;
      reader.Number(SizeOf(personality));
    } else if (c == 'L') {
      reader.Number(1);
    } else if (c != 'S' && c != 'B' && c != 'G') {
      return std::nullopt;
    }
  }
  const uint8_t relation = encoding & kRelationMask;
  const bool is_known = encoding != kOmitted && SizeOf(encoding) != 0 &&
                        (encoding & kIndirect) == 0 &&
                        (relation == kAbsolute || relation == kPcRelative);
  return reader.ok() && is_known ? std::make_optional(encoding) : std::nullopt;
}

struct CommonEntry {
  size_t at;
  uint8_t encoding;
};

}  // namespace

absl::Status CheckUnwindTable(absl::Span<const uint8_t> table, ExecutorAddress run,
                              ExecutorAddress code, size_t code_size) {
  const absl::Status damaged = absl::InvalidArgumentError("its unwind table is damaged");
  absl::InlinedVector<CommonEntry, 4> common;
  size_t begin = 0;
  while (begin < table.size()) {
    Reader reader(table, begin);
    const uint64_t length = reader.Number(4);
    if (reader.ok() && length == 0) return absl::OkStatus();  // The rest counts for nobody.
    if (!reader.ok() || length > table.size() - reader.at()) return damaged;
    const size_t end = reader.at() + length;
    const absl::Span<const uint8_t> entry = table.first(end);
    reader = Reader(entry, reader.at());
    const size_t at = reader.at();
    const uint64_t distance = reader.Number(4);
    if (!reader.ok()) return damaged;
    if (distance == 0) {
      const std::optional<uint8_t> encoding = ReadCommonEntry(reader);
      if (!encoding) return damaged;
      common.push_back({begin, *encoding});
    } else {
      const CommonEntry* of = nullptr;
      for (const CommonEntry& candidate : common) {
        if (distance <= at && candidate.at == at - distance) of = &candidate;
      }
      if (of == nullptr) return damaged;
      const ExecutorAddress function(reader.Pointer(of->encoding, run.value()));
      const uint64_t size = reader.Pointer(of->encoding & kFormatMask, 0);
      const uint64_t offset = function.value() - code.value();
      if (!reader.ok()) return damaged;
      // What a linker leaves of a function that it has removed; the unwinder skips it.
      const bool is_removed = function.is_null();
      if (!is_removed && (offset > code_size || size > code_size - offset)) return damaged;
    }
    begin = end;
  }
  return absl::OkStatus();
}

}  // namespace firstcall
