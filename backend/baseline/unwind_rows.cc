#include "backend/baseline/unwind_rows.h"

#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "backend/baseline/dwarf.h"
#include "backend/baseline/leb128.h"

namespace firstcall::baseline {
namespace {

constexpr uint8_t kOperandLimit = 64;
constexpr unsigned kDataAlignment = 8;

// The most bytes of the two entries but for their rows, and of a row with the advance to its place.
constexpr size_t kMostBesidesRows = 128, kMostBytesOfRow = 8 + kMostLeb128Bytes;

// Appends to a list of bytes, whose end is known once the table is destroyed.
class Table {
 public:
  Table(std::vector<uint8_t>& out, size_t row_count) : out_(out), size_(out.size()) {
    out_.resize(size_ + kMostBesidesRows + row_count * kMostBytesOfRow);
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;
  ~Table() { out_.resize(size_); }

  void Bytes(std::initializer_list<uint8_t> bytes) {
    std::memcpy(&out_[size_], bytes.begin(), bytes.size());
    size_ += bytes.size();
  }
  // Of `size` bytes, at most 8.
  void Number(uint64_t value, unsigned size) {
    std::memcpy(&out_[size_], &value, size);
    size_ += size;
  }
  size_t Begin() {
    const size_t begin = size_;
    Number(0, 4);
    return begin;
  }
  // Fills the entry up to eight bytes and sets its length.
  void End(size_t begin) {
    while (size_ % 8 != 0) Bytes({dwarf::kNop});
    const uint32_t length = static_cast<uint32_t>(size_ - begin - 4);
    std::memcpy(&out_[begin], &length, 4);
  }
  // What follows holds from `offset` in the function on.
  void AdvanceTo(uint32_t offset) {
    const uint32_t distance = offset - at_;
    at_ = offset;
    if (distance == 0) return;
    if (distance < 64) {
      Bytes({static_cast<uint8_t>(dwarf::kAdvanceLocation | distance)});
    } else if (distance < 256) {
      Bytes({dwarf::kAdvanceLocation1, static_cast<uint8_t>(distance)});
    } else {
      Bytes({dwarf::kAdvanceLocation4});
      Number(distance, 4);
    }
  }
  void Unsigned(uint64_t value) {
    uint8_t* const begin = &out_[size_];
    size_ += static_cast<size_t>(PutUnsignedLeb128(value, begin) - begin);
  }
  size_t size() const { return size_; }

 private:
  std::vector<uint8_t>& out_;
  size_t size_;
  uint32_t at_ = 0;
};

void WriteRow(const UnwindRow& row, Table& table) {
  using Kind = UnwindRow::Kind;
  switch (row.kind) {
    case Kind::kFrame:
      table.Bytes({dwarf::kDefineFrame, row.reg});
      return table.Unsigned(row.value);
    case Kind::kFrameOffset:
      table.Bytes({dwarf::kDefineFrameOffset});
      return table.Unsigned(row.value);
    case Kind::kFrameRegister:
      return table.Bytes({dwarf::kDefineFrameRegister, row.reg});
    case Kind::kSaved:
      if (row.reg < kOperandLimit) {
        table.Bytes({static_cast<uint8_t>(dwarf::kOffset | row.reg)});
      } else {
        table.Bytes({dwarf::kOffsetExtended, row.reg});
      }
      return table.Unsigned(row.value / kDataAlignment);
    case Kind::kRestored:
      if (row.reg < kOperandLimit) {
        return table.Bytes({static_cast<uint8_t>(dwarf::kRestore | row.reg)});
      }
      return table.Bytes({dwarf::kRestoreExtended, row.reg});
    case Kind::kRemember:
      return table.Bytes({dwarf::kRememberState});
    case Kind::kRestore:
      return table.Bytes({dwarf::kRestoreState});
    case Kind::kSignsReturnAddress:
      return table.Bytes({dwarf::kAArch64NegateReturnAddressState});
  }
}

}  // namespace

void AppendUnwindTable(const UnwindConvention& convention, const UnwindTable& unwind,
                       uint32_t unwind_section, uint32_t code_symbol, CompiledCode& code) {
  Table table(code.sections[unwind_section].bytes, unwind.rows->size());
  const auto address = [&](uint32_t symbol, int64_t addend) {
    code.relocations.push_back({unwind_section, static_cast<uint32_t>(table.size()), symbol,
                                RelocationKind::kAbsolute64, addend});
    table.Number(0, 8);
  };
  const size_t common = table.Begin();
  table.Number(0, 4);  // It is a common entry.
  table.Bytes({1});
  if (unwind.has_exceptions) {
    table.Bytes({'z', 'P', 'L', 'R', 0});
  } else {
    table.Bytes({'z', 'R', 0});
  }
  table.Bytes({1, /*-kDataAlignment=*/0x78, convention.return_address});
  if (unwind.has_exceptions) {
    table.Bytes({11, dwarf::kAbsolutePointer});
    address(unwind.personality, 0);
    table.Bytes({dwarf::kAbsolutePointer, dwarf::kAbsolutePointer});
  } else {
    table.Bytes({1, dwarf::kAbsolutePointer});
  }
  table.Bytes({dwarf::kDefineFrame, convention.stack_pointer, convention.entry_distance});
  if (convention.is_return_address_saved) {
    table.Bytes({static_cast<uint8_t>(dwarf::kOffset | convention.return_address), 1});
  }
  table.End(common);

  const size_t entry = table.Begin();
  table.Number(table.size() - common, 4);
  address(code_symbol, 0);
  table.Number(unwind.size, 8);
  if (unwind.has_exceptions) {
    table.Bytes({8});
    address(code_symbol, unwind.exception_table);
  } else {
    table.Bytes({0});
  }
  for (const UnwindRow& row : *unwind.rows) {
    table.AdvanceTo(row.offset);
    WriteRow(row, table);
  }
  table.End(entry);
}

}  // namespace firstcall::baseline
