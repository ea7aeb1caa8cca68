#include "baseline/unwind_rows.h"

#include <cstddef>
#include <cstring>
#include <initializer_list>

namespace firstcall::baseline {
namespace {

// DWARF 4, section 7.23. Some carry an operand in their low bits.
enum Cfa : uint8_t {
  kNop = 0x00,
  kAdvance1 = 0x02,
  kAdvance4 = 0x04,
  kOffsetExtended = 0x05,
  kRestoreExtended = 0x06,
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kDefCfa = 0x0c,
  kDefCfaRegister = 0x0d,
  kDefCfaOffset = 0x0e,
  kNegateReturnAddressState = 0x2d,  // DW_CFA_AARCH64_negate_ra_state
  kAdvance = 0x40,
  kOffset = 0x80,
  kRestoreRegister = 0xc0,
};

constexpr uint8_t kOperandLimit = 64;
constexpr unsigned kDataAlignment = 8;
constexpr uint8_t kAbsolutePointer = 0;  // DW_EH_PE_absptr

void AppendUnsigned(std::vector<uint8_t>& out, uint64_t value) {
  do {
    const uint8_t byte = value & 0x7f;
    value >>= 7;
    out.push_back(value == 0 ? byte : byte | 0x80);
  } while (value != 0);
}

class Table {
 public:
  explicit Table(std::vector<uint8_t>& out) : out_(out) {}

  void Bytes(std::initializer_list<uint8_t> bytes) { out_.insert(out_.end(), bytes); }
  void Number(uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) out_.push_back(static_cast<uint8_t>(value >> (8 * i)));
  }
  size_t Begin() {
    const size_t begin = out_.size();
    Number(0, 4);
    return begin;
  }
  // Fills the entry up to eight bytes and sets its length.
  void End(size_t begin) {
    while (out_.size() % 8 != 0) out_.push_back(kNop);
    const uint32_t length = static_cast<uint32_t>(out_.size() - begin - 4);
    std::memcpy(out_.data() + begin, &length, 4);
  }
  // What follows holds from `offset` in the function on.
  void AdvanceTo(uint32_t offset) {
    const uint32_t distance = offset - at_;
    at_ = offset;
    if (distance == 0) return;
    if (distance < 64) {
      Bytes({static_cast<uint8_t>(kAdvance | distance)});
    } else if (distance < 256) {
      Bytes({kAdvance1, static_cast<uint8_t>(distance)});
    } else {
      Bytes({kAdvance4});
      Number(distance, 4);
    }
  }
  void Unsigned(uint64_t value) { AppendUnsigned(out_, value); }
  size_t size() const { return out_.size(); }

 private:
  std::vector<uint8_t>& out_;
  uint32_t at_ = 0;
};

void WriteRow(const UnwindRow& row, Table& table) {
  using Kind = UnwindRow::Kind;
  switch (row.kind) {
    case Kind::kFrame:
      table.Bytes({kDefCfa, row.reg});
      return table.Unsigned(row.value);
    case Kind::kFrameOffset:
      table.Bytes({kDefCfaOffset});
      return table.Unsigned(row.value);
    case Kind::kFrameRegister:
      return table.Bytes({kDefCfaRegister, row.reg});
    case Kind::kSaved:
      if (row.reg < kOperandLimit) {
        table.Bytes({static_cast<uint8_t>(kOffset | row.reg)});
      } else {
        table.Bytes({kOffsetExtended, row.reg});
      }
      return table.Unsigned(row.value / kDataAlignment);
    case Kind::kRestored:
      if (row.reg < kOperandLimit) {
        return table.Bytes({static_cast<uint8_t>(kRestoreRegister | row.reg)});
      }
      return table.Bytes({kRestoreExtended, row.reg});
    case Kind::kRemember:
      return table.Bytes({kRememberState});
    case Kind::kRestore:
      return table.Bytes({kRestoreState});
    case Kind::kSignsReturnAddress:
      return table.Bytes({kNegateReturnAddressState});
  }
}

}  // namespace

void AppendUnwindTable(const UnwindConvention& convention, const UnwindTable& unwind,
                       uint32_t unwind_section, uint32_t code_symbol, CompiledCode& code) {
  Table table(code.sections[unwind_section].bytes);
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
    table.Bytes({11, kAbsolutePointer});
    address(unwind.personality, 0);
    table.Bytes({kAbsolutePointer, kAbsolutePointer});
  } else {
    table.Bytes({1, kAbsolutePointer});
  }
  table.Bytes({kDefCfa, convention.stack_pointer, convention.entry_distance});
  if (convention.is_return_address_saved) {
    table.Bytes({static_cast<uint8_t>(kOffset | convention.return_address), 1});
  }
  table.End(common);

  const size_t entry = table.Begin();
  table.Number(table.size() - common, 4);
  address(code_symbol, unwind.begin);
  table.Number(unwind.size, 8);
  if (unwind.has_exceptions) {
    table.Bytes({8});
    address(code_symbol, unwind.exception_table);
  } else {
    table.Bytes({0});
  }
  for (const UnwindRow& row : *unwind.rows) {
    table.AdvanceTo(row.offset - unwind.begin);
    WriteRow(row, table);
  }
  table.End(entry);
}

}  // namespace firstcall::baseline
