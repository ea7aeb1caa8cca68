#include "object/unwind_reader.h"

#include <algorithm>
#include <optional>

#include "absl/container/inlined_vector.h"

namespace firstcall {
namespace {

// Reads what follows the kind of a common entry. Nothing if that is damaged, or of a kind that is
// not known.
std::optional<CommonUnwindEntry> ReadCommonEntry(size_t at, UnwindReader reader) {
  CommonUnwindEntry entry;
  entry.at = at;
  const uint64_t version = reader.Number(1);
  if (version != 1 && version != 3) return std::nullopt;
  absl::string_view augmentation = reader.Text();
  reader.Unsigned();                                    // The unit of code.
  reader.Unsigned();                                    // The unit of data.
  version == 1 ? reader.Number(1) : reader.Unsigned();  // The register.
  if (augmentation.empty()) return reader.ok() ? std::make_optional(entry) : std::nullopt;
  if (augmentation[0] != 'z') return std::nullopt;
  entry.has_augmentation = true;
  reader.Unsigned();  // The size of what follows.
  for (char c : augmentation.substr(1)) {
    if (c == 'R') {
      entry.function = PointerEncoding(static_cast<uint8_t>(reader.Number(1)));
    } else if (c == 'P') {
      const PointerEncoding personality(static_cast<uint8_t>(reader.Number(1)));
      if (personality.size() == 0) return std::nullopt;
      reader.Number(personality.size());
    } else if (c == 'L') {
      entry.data = PointerEncoding(static_cast<uint8_t>(reader.Number(1)));
    } else if (c != 'S' && c != 'B' && c != 'G') {
      return std::nullopt;
    }
  }
  const PointerEncoding function = entry.function;
  const bool is_known = !function.is_omitted() && function.size() != 0 && !function.is_indirect() &&
                        (function.is_absolute() || function.is_pc_relative());
  return reader.ok() && is_known ? std::make_optional(entry) : std::nullopt;
}

}  // namespace

size_t PointerEncoding::size() const {
  switch (bits_ & 0x0f) {
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

uint64_t UnwindReader::Pointer(PointerEncoding encoding, uint64_t run) {
  const size_t size = encoding.size();
  const size_t place = at();
  uint64_t value = Number(size);
  if (encoding.is_signed() && size > 0 && size < 8 && (value >> (8 * size - 1)) != 0) {
    value |= ~uint64_t{0} << (8 * size);
  }
  return value != 0 && encoding.is_pc_relative() ? value + run + place : value;
}

bool ForEachUnwindEntry(
    absl::Span<const uint8_t> table,
    absl::FunctionRef<bool(UnwindReader entry, const CommonUnwindEntry& common)> visit) {
  absl::InlinedVector<CommonUnwindEntry, 4> common;
  size_t begin = 0;
  while (begin < table.size()) {
    UnwindReader reader(table, begin);
    const uint64_t length = reader.Number(4);
    if (reader.ok() && length == 0) return true;  // The rest counts for nobody.
    if (!reader.ok() || length > table.size() - reader.at()) return false;
    const size_t end = reader.at() + length;
    reader = UnwindReader(table.first(end), reader.at());
    const size_t at = reader.at();
    const uint64_t distance = reader.Number(4);
    if (!reader.ok()) return false;
    if (distance == 0) {
      const std::optional<CommonUnwindEntry> entry = ReadCommonEntry(begin, reader);
      if (!entry) return false;
      common.push_back(*entry);
    } else {
      // Mostly the last one.
      const auto of = std::find_if(common.rbegin(), common.rend(), [&](const CommonUnwindEntry& c) {
        return distance <= at && c.at == at - distance;
      });
      if (of == common.rend() || !visit(reader, *of)) return false;
    }
    begin = end;
  }
  return true;
}

}  // namespace firstcall
