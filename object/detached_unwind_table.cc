// The entries are written anew, with pointers of four bytes that are relative to their own place,
// and without pointers to handlers. The instructions that describe the frames are copied: they name
// no addresses, only distances within the function.

#include "object/detached_unwind_table.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "base/round_up.h"
#include "object/dwarf_reader.h"
#include "object/relocated_places.h"
#include "object/unwind_reader.h"

namespace firstcall {
namespace {

// Encodings of pointers (Linux Standard Base, Core, 10.5).
constexpr char kPcRelative4 = 0x1b;
constexpr char kUnsigned4 = 0x03;
constexpr char kTableRelative4 = 0x3b;

void Append4(uint64_t value, std::string& bytes) {
  for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<char>(value >> (8 * i)));
}

// Writes the length of the entry that begins at `at`, and pads it with instructions that do
// nothing.
void EndEntry(size_t at, std::string& bytes) {
  bytes.resize(RoundUp(bytes.size(), 8), '\0');
  const uint64_t length = bytes.size() - at - 4;
  for (int i = 0; i < 4; ++i) {
    bytes[at + static_cast<size_t>(i)] = static_cast<char>(length >> (8 * i));
  }
}

// A common entry of the object's table.
struct CommonEntry {
  absl::string_view factors;  // The alignment factors, and the register of the return address.
  absl::string_view instructions;
  PointerEncoding function{0};
  bool has_augmentation = false;
};

std::optional<CommonEntry> ReadCommonEntry(absl::string_view entry, size_t at) {
  DwarfReader reader(entry, at);
  CommonEntry common;
  const uint64_t version = reader.Number(1);
  const absl::string_view augmentation = reader.Text();
  const size_t factors = reader.at();
  reader.Unsigned();
  reader.Signed();
  // In version 1 a byte; registers have numbers below 128, so the forms are the same.
  reader.Unsigned();
  if (!reader.ok() || (version != 1 && version != 3)) return std::nullopt;
  common.factors = entry.substr(factors, reader.at() - factors);
  common.has_augmentation = !augmentation.empty();
  if (common.has_augmentation) {
    const uint64_t size = reader.Unsigned();
    DwarfReader data(entry, reader.at());
    reader.Skip(size);
    for (const char what : augmentation) {
      if (what == 'R') common.function = PointerEncoding(static_cast<uint8_t>(data.Number(1)));
      if (what == 'L') data.Skip(1);
      if (what == 'P') {
        const PointerEncoding encoding(static_cast<uint8_t>(data.Number(1)));
        data.Skip(encoding.size());
      }
    }
    if (augmentation[0] != 'z' || !data.ok()) return std::nullopt;
  }
  if (!reader.ok() || common.function.size() == 0) return std::nullopt;
  common.instructions = entry.substr(reader.at());
  return common;
}

std::optional<CommonEntry> CommonEntryAt(absl::string_view table, size_t at) {
  DwarfReader reader(table, at);
  const uint64_t length = reader.Number(4);
  const size_t begin = reader.at();
  if (!reader.ok() || length > table.size() - begin || reader.Number(4) != 0) return std::nullopt;
  return ReadCommonEntry(table.substr(0, begin + length), reader.at());
}

// Writes the table of one piece of code.
class Writer {
 public:
  explicit Writer(uint64_t code_size) : size_(code_size) {}

  // `reader` is at the function's address, and ends with the entry. `function` is the function's
  // distance from the beginning of the code.
  void Add(absl::string_view table, size_t common_at, DwarfReader reader, absl::string_view entry,
           uint64_t function) {
    const std::optional<CommonEntry> common = CommonEntryAt(table, common_at);
    if (!common) return;
    const auto [place, is_new] =
        common_places_.try_emplace({table.data(), common_at}, table_.entries.size());
    if (is_new) WriteCommonEntry(*common);
    WriteEntry(*common, place->second, reader, entry, function);
  }

  DetachedUnwindTable Finish() && {
    if (functions_.empty()) return {};
    Append4(0, table_.entries);  // The end.
    table_.entries.resize(RoundUp(table_.entries.size(), 8), '\0');
    WriteIndex();
    return std::move(table_);
  }

 private:
  void WriteCommonEntry(const CommonEntry& common) {
    std::string& bytes = table_.entries;
    const size_t at = bytes.size();
    Append4(0, bytes);  // The length, written below.
    Append4(0, bytes);  // A common entry.
    bytes.append("\1zR\0", 4);
    bytes.append(common.factors.data(), common.factors.size());
    bytes.push_back(1);
    bytes.push_back(kPcRelative4);
    bytes.append(common.instructions.data(), common.instructions.size());
    EndEntry(at, bytes);
  }

  void WriteEntry(const CommonEntry& common, size_t common_at, DwarfReader reader,
                  absl::string_view entry, uint64_t function) {
    reader.Skip(common.function.size());
    const uint64_t function_size = reader.Number(common.function.size());
    if (common.has_augmentation) reader.Skip(reader.Unsigned());
    if (!reader.ok()) return;
    std::string& bytes = table_.entries;
    const size_t at = bytes.size();
    Append4(0, bytes);  // The length, written below.
    Append4(at + 4 - common_at, bytes);
    Append4(function - RoundUp(size_, 8) - bytes.size(), bytes);
    Append4(function_size, bytes);
    bytes.push_back(0);
    const absl::string_view instructions = entry.substr(reader.at());
    bytes.append(instructions.data(), instructions.size());
    EndEntry(at, bytes);
    functions_.push_back({function, at});
  }

  // For a binary search by function.
  void WriteIndex() {
    std::sort(functions_.begin(), functions_.end());
    std::string& bytes = table_.index;
    bytes = {1, kPcRelative4, kUnsigned4, kTableRelative4};
    const uint64_t entries = table_.entries.size();
    Append4(-(entries + 4), bytes);
    Append4(functions_.size(), bytes);
    const uint64_t code = RoundUp(size_, 8) + entries;  // The distance of the index from the code.
    for (const auto& [function, entry] : functions_) {
      Append4(function - code, bytes);
      Append4(entry - entries, bytes);
    }
  }

  const uint64_t size_;
  DetachedUnwindTable table_;
  // Where common entries are here, by where they are there.
  absl::flat_hash_map<std::pair<const char*, size_t>, size_t> common_places_;
  std::vector<std::pair<uint64_t, size_t>> functions_;  // And the places of their entries.
};

}  // namespace

UnwindTables::UnwindTables(const ElfObject& object) {
  for (uint32_t i = 0; i < object.sections().size(); ++i) {
    if (object.sections()[i].is_unwind_table()) AddTable(object, i);
  }
  std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.section, a.function) < std::tie(b.section, b.function);
  });
}

void UnwindTables::AddTable(const ElfObject& object, uint32_t number) {
  const absl::Span<char> span = object.BytesOf(object.sections()[number]);
  const absl::string_view bytes(span.data(), span.size());
  const RelocatedPlaces functions = PlacesNamedIn(object, number);
  for (size_t at = 0; at + 8 <= bytes.size();) {
    DwarfReader reader(bytes, at);
    const uint64_t length = reader.Number(4);
    const size_t begin = reader.at();
    if (length < 4 || length > bytes.size() - begin) return;
    at = begin + length;
    const uint64_t distance = reader.Number(4);
    if (distance == 0 || distance > begin) continue;  // A common entry.
    const auto function = functions.find(reader.at());
    if (function == functions.end()) continue;
    entries_.push_back({function->second.section, function->second.offset, bytes, begin - distance,
                        reader.at(), at});
  }
}

DetachedUnwindTable UnwindTables::Detach(uint32_t section, uint64_t offset, uint64_t size) const {
  Writer writer(size);
  auto entry = std::lower_bound(entries_.begin(), entries_.end(), std::tie(section, offset),
                                [](const Entry& entry, const std::tuple<uint32_t, uint64_t>& at) {
                                  return std::tie(entry.section, entry.function) < at;
                                });
  for (; entry != entries_.end() && entry->section == section && entry->function - offset < size;
       ++entry) {
    const absl::string_view bytes = entry->table.substr(0, entry->end);
    writer.Add(entry->table, entry->common_at, DwarfReader(bytes, entry->function_at), bytes,
               entry->function - offset);
  }
  return std::move(writer).Finish();
}

}  // namespace firstcall
