#include "backend/baseline/unwind_rows.h"

#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/LEB128.h"

namespace firstcall::baseline {
namespace {

namespace dwarf = llvm::dwarf;

constexpr uint8_t kOperandLimit = 64;
constexpr unsigned kDataAlignment = 8;

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
    while (out_.size() % 8 != 0) out_.push_back(dwarf::DW_CFA_nop);
    const uint32_t length = static_cast<uint32_t>(out_.size() - begin - 4);
    std::memcpy(out_.data() + begin, &length, 4);
  }
  // What follows holds from `offset` in the function on.
  void AdvanceTo(uint32_t offset) {
    const uint32_t distance = offset - at_;
    at_ = offset;
    if (distance == 0) return;
    if (distance < 64) {
      Bytes({static_cast<uint8_t>(dwarf::DW_CFA_advance_loc | distance)});
    } else if (distance < 256) {
      Bytes({dwarf::DW_CFA_advance_loc1, static_cast<uint8_t>(distance)});
    } else {
      Bytes({dwarf::DW_CFA_advance_loc4});
      Number(distance, 4);
    }
  }
  void Unsigned(uint64_t value) {
    uint8_t bytes[10];
    out_.insert(out_.end(), bytes, bytes + llvm::encodeULEB128(value, bytes));
  }
  size_t size() const { return out_.size(); }

 private:
  std::vector<uint8_t>& out_;
  uint32_t at_ = 0;
};

void WriteRow(const UnwindRow& row, Table& table) {
  using Kind = UnwindRow::Kind;
  switch (row.kind) {
    case Kind::kFrame:
      table.Bytes({dwarf::DW_CFA_def_cfa, row.reg});
      return table.Unsigned(row.value);
    case Kind::kFrameOffset:
      table.Bytes({dwarf::DW_CFA_def_cfa_offset});
      return table.Unsigned(row.value);
    case Kind::kFrameRegister:
      return table.Bytes({dwarf::DW_CFA_def_cfa_register, row.reg});
    case Kind::kSaved:
      if (row.reg < kOperandLimit) {
        table.Bytes({static_cast<uint8_t>(dwarf::DW_CFA_offset | row.reg)});
      } else {
        table.Bytes({dwarf::DW_CFA_offset_extended, row.reg});
      }
      return table.Unsigned(row.value / kDataAlignment);
    case Kind::kRestored:
      if (row.reg < kOperandLimit) {
        return table.Bytes({static_cast<uint8_t>(dwarf::DW_CFA_restore | row.reg)});
      }
      return table.Bytes({dwarf::DW_CFA_restore_extended, row.reg});
    case Kind::kRemember:
      return table.Bytes({dwarf::DW_CFA_remember_state});
    case Kind::kRestore:
      return table.Bytes({dwarf::DW_CFA_restore_state});
    case Kind::kSignsReturnAddress:
      return table.Bytes({dwarf::DW_CFA_AARCH64_negate_ra_state});
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
    table.Bytes({11, dwarf::DW_EH_PE_absptr});
    address(unwind.personality, 0);
    table.Bytes({dwarf::DW_EH_PE_absptr, dwarf::DW_EH_PE_absptr});
  } else {
    table.Bytes({1, dwarf::DW_EH_PE_absptr});
  }
  table.Bytes({dwarf::DW_CFA_def_cfa, convention.stack_pointer, convention.entry_distance});
  if (convention.is_return_address_saved) {
    table.Bytes({static_cast<uint8_t>(dwarf::DW_CFA_offset | convention.return_address), 1});
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
