#include "seam/symbol_table.h"

#include <cstring>
#include <utility>

#include "base/coding.h"

namespace firstcall {
namespace {

// The number of symbols, that of buckets, that of details, the size of all names.
constexpr size_t kHeadSize = 16;

// Of each symbol. Its name ends, with a zero byte, where that of the next one begins.
struct Record {
  uint32_t name_offset;  // From the beginning of the names.
  uint32_t flags;
};
static_assert(sizeof(Record) == 8, "records are written as they are in memory");

static_assert(sizeof(SymbolDetails) == 24, "details are written as they are in memory");
// The flag of the symbols that have details. Most functions have none.
constexpr uint32_t kHasDetails = uint32_t{1} << 31;

constexpr size_t kBucketSize = 4;

// FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv). The last characters of a name change few of
// its bits, so it is multiplied by 2^64 divided by the golden ratio, which spreads them (Knuth, The
// Art of Computer Programming, 6.4).
uint32_t HashOf(absl::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : name) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return static_cast<uint32_t>((hash * 0x9e3779b97f4a7c15) >> 32);
}

// The hash table: the ordinal plus one in the lower bits of a bucket, as many as that takes, and
// bits of the hash in the others, which tell most other names from this one without a look at them;
// or zero: the bucket is empty.
class Buckets {
 public:
  Buckets(uint32_t symbols, uint32_t buckets) : count_(buckets) {
    while ((symbols >> ordinal_bits_) != 0 && ordinal_bits_ < 31) ++ordinal_bits_;
    ordinal_mask_ = (uint32_t{1} << ordinal_bits_) - 1;
  }

  // Half as many again as there are symbols, so that a search ends soon.
  static size_t CountFor(size_t symbols) { return symbols + symbols / 2 + 1; }

  // The upper bits of the hash choose the bucket; the lower ones are in it.
  uint32_t FirstFor(uint32_t hash) const {
    return static_cast<uint32_t>((uint64_t{hash} * count_) >> 32);
  }
  uint32_t After(uint32_t bucket) const { return bucket + 1 == count_ ? 0 : bucket + 1; }

  uint32_t Fill(uint32_t hash, uint32_t ordinal) const { return BitsOf(hash) | (ordinal + 1); }
  bool MayBe(uint32_t filled, uint32_t hash) const {
    return (filled & ~ordinal_mask_) == BitsOf(hash);
  }
  // The ordinal plus one.
  uint32_t OrdinalIn(uint32_t filled) const { return filled & ordinal_mask_; }

 private:
  uint32_t BitsOf(uint32_t hash) const { return hash << ordinal_bits_; }

  uint32_t count_;
  int ordinal_bits_ = 0;
  uint32_t ordinal_mask_ = 0;
};

// The bytes may lie anywhere, not only at multiples of a number's size.
template <typename T>
T Load(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

template <typename T>
void Store(const T& value, char* bytes) {
  std::memcpy(bytes, &value, sizeof(value));
}

// Searches `count` details, which are sorted by ordinals. The standard library's searches cannot
// read them, because they may lie at any address.
std::optional<SymbolDetails> FindDetails(const char* details, uint32_t count, uint32_t ordinal) {
  uint32_t first = 0;
  while (count != 0) {
    const uint32_t half = count / 2;
    const auto found = Load<SymbolDetails>(details + (first + half) * sizeof(SymbolDetails));
    if (found.ordinal == ordinal) return found;
    if (found.ordinal < ordinal) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return std::nullopt;
}

}  // namespace

// Sizes first, so that the bytes are written once, where they stay.
SymbolTable SymbolTable::Of(const SymbolList& symbols) {
  const auto count = static_cast<uint32_t>(symbols.size());
  const auto details_count = static_cast<uint32_t>(symbols.details().size());
  uint32_t names = 0;
  for (uint32_t i = 0; i < count; ++i) {
    names += static_cast<uint32_t>(symbols.NameAt(SymbolOrdinal{i}).size()) + 1;
  }
  SymbolTable table;
  table.count_ = count;
  table.bucket_count_ = static_cast<uint32_t>(Buckets::CountFor(count));
  table.details_count_ = details_count;
  const size_t size = kHeadSize + count * sizeof(Record) + details_count * sizeof(SymbolDetails) +
                      table.bucket_count_ * kBucketSize + names;
  table.bytes_ = ByteBuffer::Uninitialized(size);
  Encoder head;
  for (uint32_t number : {count, table.bucket_count_, details_count, names}) head.U32(number);
  std::memcpy(table.bytes_.data(), head.bytes().data(), kHeadSize);
  table.Write(symbols);
  return table;
}

void SymbolTable::Write(const SymbolList& symbols) {
  const Buckets all(count_, bucket_count_);
  // The same places as those of records(), and of what follows.
  char* const records = bytes_.data() + kHeadSize;
  char* const details = records + count_ * sizeof(Record);
  char* const buckets = details + details_count_ * sizeof(SymbolDetails);
  char* const names = buckets + bucket_count_ * kBucketSize;
  std::memset(buckets, 0, bucket_count_ * kBucketSize);
  uint32_t name_offset = 0;
  const SymbolDetails* detail = symbols.details().data();
  const SymbolDetails* const details_end = detail + details_count_;
  if (details_count_ != 0) std::memcpy(details, detail, details_count_ * sizeof(SymbolDetails));
  for (uint32_t i = 0; i < count_; ++i) {
    const absl::string_view name = symbols.NameAt(SymbolOrdinal{i});
    uint32_t flags = symbols.FlagsAt(SymbolOrdinal{i});
    if (detail != details_end && detail->ordinal == i) {
      ++detail;
      flags |= kHasDetails;
    }
    Store(Record{name_offset, flags}, records + i * sizeof(Record));
    char* const copy = names + name_offset;
    if (!name.empty()) std::memcpy(copy, name.data(), name.size());
    copy[name.size()] = 0;
    const uint32_t hash = HashOf(name);
    name_offset += static_cast<uint32_t>(name.size()) + 1;
    uint32_t bucket = all.FirstFor(hash);
    while (Load<uint32_t>(buckets + bucket * kBucketSize) != 0) bucket = all.After(bucket);
    Store(all.Fill(hash, i), buckets + bucket * kBucketSize);
  }
}

absl::StatusOr<SymbolTable> SymbolTable::Decode(ByteBuffer bytes, size_t begin) {
  SymbolTable table;
  table.bytes_ = std::move(bytes);
  table.begin_ = begin;
  if (begin > table.bytes_.size()) return absl::DataLossError("symbol table");
  Decoder head(table.bytes());
  const uint64_t count = head.U32();
  const uint64_t buckets = head.U32();
  const uint64_t details = head.U32();
  const uint64_t names = head.U32();
  if (!head.ok() || buckets <= count ||
      head.rest().size() != count * sizeof(Record) + details * sizeof(SymbolDetails) +
                                buckets * kBucketSize + names) {
    return absl::DataLossError("symbol table");
  }
  table.count_ = static_cast<uint32_t>(count);
  table.bucket_count_ = static_cast<uint32_t>(buckets);
  table.details_count_ = static_cast<uint32_t>(details);
  return table;
}

const char* SymbolTable::records() const { return bytes_.data() + begin_ + kHeadSize; }

const char* SymbolTable::details() const { return records() + count_ * sizeof(Record); }

const char* SymbolTable::buckets() const {
  return details() + details_count_ * sizeof(SymbolDetails);
}

absl::string_view SymbolTable::NameOf(uint32_t ordinal) const {
  const absl::string_view names =
      bytes().substr(static_cast<size_t>(buckets() - bytes().data()) + bucket_count_ * kBucketSize);
  const auto name_offset = [&](uint32_t symbol) {
    return Load<Record>(records() + symbol * sizeof(Record)).name_offset;
  };
  const size_t begin = name_offset(ordinal);
  const size_t end = ordinal + 1 < count_ ? name_offset(ordinal + 1) : names.size();
  return begin < end && end <= names.size() ? names.substr(begin, end - begin - 1)
                                            : absl::string_view();
}

Symbol SymbolTable::at(SymbolOrdinal ordinal) const {
  Symbol symbol;
  symbol.name = NameOf(ordinal.value);
  symbol.base = ordinal;
  const auto flags = Load<Record>(records() + ordinal.value * sizeof(Record)).flags;
  SetSymbolFlags(flags, symbol);
  if ((flags & kHasDetails) == 0) return symbol;
  if (const auto found = FindDetails(details(), details_count_, ordinal.value)) {
    if (found->base < count_) symbol.base.value = found->base;
    symbol.offset = found->offset;
    symbol.size = found->size;
  }
  return symbol;
}

std::optional<SymbolOrdinal> SymbolTable::Find(absl::string_view name) const {
  if (count_ == 0) return std::nullopt;
  const Buckets all(count_, bucket_count_);
  const uint32_t hash = HashOf(name);
  for (uint32_t i = 0, bucket = all.FirstFor(hash); i < bucket_count_;
       ++i, bucket = all.After(bucket)) {
    const auto filled = Load<uint32_t>(buckets() + bucket * kBucketSize);
    const uint32_t found = all.OrdinalIn(filled);
    if (found == 0 || found > count_) return std::nullopt;
    if (all.MayBe(filled, hash) && NameOf(found - 1) == name) return SymbolOrdinal{found - 1};
  }
  return std::nullopt;
}

}  // namespace firstcall
