#include "code/symbol_table.h"

#include <cstring>
#include <utility>
#include <vector>

#include "base/coding.h"

namespace firstcall {
namespace {

// The number of symbols, that of buckets, the size of all names.
constexpr size_t kHeadSize = 12;
struct Record {
  uint32_t name_offset;  // From the beginning of the names.
  uint32_t name_size;
  uint32_t flags;
  uint32_t base;
  int64_t offset;
  uint64_t size;
};
constexpr size_t kRecordSize = sizeof(Record);
static_assert(kRecordSize == 32, "records are written as they are in memory");

// The ordinal plus one, or zero: the bucket is empty.
constexpr size_t kBucketSize = 4;

// A symbol's kind (8 bits) and, from bit 8 on, its properties.
uint32_t FlagsOf(const Symbol& symbol) {
  uint32_t flags = static_cast<uint32_t>(symbol.kind);
  uint32_t bit = 1 << 8;
  for (bool flag : {symbol.is_definition, symbol.is_local, symbol.is_weak, symbol.is_common,
                    symbol.is_thread_local, symbol.is_hidden, symbol.has_aliases, symbol.has_prefix,
                    symbol.is_computed}) {
    if (flag) flags |= bit;
    bit <<= 1;
  }
  return flags;
}

void SetFlags(uint32_t flags, Symbol& symbol) {
  symbol.kind = static_cast<SymbolKind>(flags & 0xff);
  uint32_t bit = 1 << 8;
  for (bool* flag : {&symbol.is_definition, &symbol.is_local, &symbol.is_weak, &symbol.is_common,
                     &symbol.is_thread_local, &symbol.is_hidden, &symbol.has_aliases,
                     &symbol.has_prefix, &symbol.is_computed}) {
    *flag = (flags & bit) != 0;
    bit <<= 1;
  }
}

// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv), whose upper half goes into the lower one,
// which is what chooses a bucket.
uint32_t HashOf(absl::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return static_cast<uint32_t>(hash ^ (hash >> 32));
}

// The bytes may lie anywhere, not only at multiples of a number's size.
template <typename T>
T Load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

uint32_t SizeOfNames(absl::Span<const Symbol> symbols) {
  size_t size = 0;
  for (const Symbol& symbol : symbols) size += symbol.name.size() + 1;
  return static_cast<uint32_t>(size);
}

// At most half of the buckets are used, so that most searches end at the first.
uint32_t BucketsFor(size_t count) {
  uint32_t buckets = 2;
  while (buckets < 2 * count) buckets *= 2;
  return buckets;
}

}  // namespace

SymbolTable SymbolTable::Of(absl::Span<const Symbol> symbols) {
  std::vector<uint32_t> buckets(BucketsFor(symbols.size()), 0);
  const uint32_t mask = static_cast<uint32_t>(buckets.size()) - 1;
  Encoder encoder;
  encoder.U32(static_cast<uint32_t>(symbols.size()));
  encoder.U32(static_cast<uint32_t>(buckets.size()));
  encoder.U32(SizeOfNames(symbols));
  uint32_t names = 0;
  for (size_t i = 0; i < symbols.size(); ++i) {
    const Symbol& symbol = symbols[i];
    const auto name_size = static_cast<uint32_t>(symbol.name.size());
    const Record record = {names,         name_size,  FlagsOf(symbol), symbol.base.value,
                           symbol.offset, symbol.size};
    encoder.Raw({reinterpret_cast<const char*>(&record), sizeof(record)});
    names += name_size + 1;
    uint32_t bucket = HashOf(symbol.name) & mask;
    while (buckets[bucket] != 0) bucket = (bucket + 1) & mask;
    buckets[bucket] = static_cast<uint32_t>(i) + 1;
  }
  encoder.Raw({reinterpret_cast<const char*>(buckets.data()), buckets.size() * kBucketSize});
  for (const Symbol& symbol : symbols) {
    encoder.Raw(symbol.name);
    encoder.U8(0);
  }
  SymbolTable table;
  table.count_ = static_cast<uint32_t>(symbols.size());
  table.bucket_count_ = mask + 1;
  table.bytes_ = std::move(encoder).Take();
  return table;
}

absl::StatusOr<SymbolTable> SymbolTable::Decode(ByteBuffer bytes, size_t begin) {
  SymbolTable table;
  table.bytes_ = std::move(bytes);
  table.begin_ = begin;
  if (begin > table.bytes_.size()) return absl::DataLossError("symbol table");
  Decoder head(table.bytes());
  const uint64_t count = head.U32();
  const uint64_t buckets = head.U32();
  const uint64_t names = head.U32();
  const bool is_power_of_two = buckets != 0 && (buckets & (buckets - 1)) == 0;
  if (!head.ok() || !is_power_of_two || buckets <= count ||
      head.rest().size() != count * kRecordSize + buckets * kBucketSize + names) {
    return absl::DataLossError("symbol table");
  }
  table.count_ = static_cast<uint32_t>(count);
  table.bucket_count_ = static_cast<uint32_t>(buckets);
  return table;
}

absl::string_view SymbolTable::NameAt(size_t offset, size_t size) const {
  const absl::string_view names =
      bytes().substr(kHeadSize + count_ * kRecordSize + bucket_count_ * kBucketSize);
  return offset > names.size() ? absl::string_view() : names.substr(offset, size);
}

Symbol SymbolTable::at(SymbolOrdinal ordinal) const {
  const auto record =
      Load<Record>(bytes_.data() + begin_ + kHeadSize + ordinal.value * kRecordSize);
  Symbol symbol;
  symbol.name = NameAt(record.name_offset, record.name_size);
  SetFlags(record.flags, symbol);
  symbol.base.value = record.base < count_ ? record.base : ordinal.value;
  symbol.offset = record.offset;
  symbol.size = record.size;
  return symbol;
}

std::optional<SymbolOrdinal> SymbolTable::Find(absl::string_view name) const {
  const char* const records = bytes_.data() + begin_ + kHeadSize;
  const char* const buckets = records + count_ * kRecordSize;
  const uint32_t mask = bucket_count_ - 1;
  for (uint32_t i = 0, bucket = HashOf(name) & mask; i < bucket_count_;
       ++i, bucket = (bucket + 1) & mask) {
    const auto found = Load<uint32_t>(buckets + bucket * kBucketSize);
    if (found == 0 || found > count_) return std::nullopt;
    const auto record = Load<Record>(records + (found - 1) * kRecordSize);
    if (NameAt(record.name_offset, record.name_size) == name) return SymbolOrdinal{found - 1};
  }
  return std::nullopt;
}

}  // namespace firstcall
