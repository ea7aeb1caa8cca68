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
  kRememberState = 0x0a,
  kRestoreState = 0x0b,
  kDefCfa = 0x0c,
  kDefCfaRegister = 0x0d,
  kDefCfaOffset = 0x0e,
  kAdvance = 0x40,
  kOffset = 0x80,
};

// psABI, figure 3.36.
constexpr uint8_t kDwarfNumber[] = {0, 2, 1, 3, 7, 6, 4, 5, 8, 9, 10, 11, 12, 13, 14, 15};
constexpr uint8_t kDwarfRbp = 6, kDwarfRsp = 7, kReturnAddress = 16;
constexpr uint8_t kAbsolutePointer = 0;  // DW_EH_PE_absptr

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
  size_t size() const { return out_.size(); }

 private:
  std::vector<uint8_t>& out_;
  uint32_t at_ = 0;
};

void WriteProlog(const UnwindRows& rows, Table& table) {
  uint32_t at = rows.frame_begin + 1;  // push rbp
  table.AdvanceTo(at);
  table.Bytes({kDefCfaOffset, 16, kOffset | kDwarfRbp, 2});
  at += 3;  // mov rbp, rsp
  table.AdvanceTo(at);
  table.Bytes({kDefCfaRegister, kDwarfRbp});
  uint8_t place = 2;
  for (unsigned reg = 0; reg < 16; ++reg) {
    if ((rows.saved_registers >> reg & 1) == 0) continue;
    at += reg < 8 ? 1 : 2;
    table.AdvanceTo(at);
    table.Bytes({static_cast<uint8_t>(kOffset | kDwarfNumber[reg]), ++place});
  }
}

}  // namespace

void AppendUnwindTable(const UnwindRows& rows, uint32_t code_section, uint32_t unwind_section,
                       uint32_t code_symbol, CompiledCode& code) {
  (void)code_section;
  Table table(code.sections[unwind_section].bytes);
  const auto address = [&](uint32_t symbol, int64_t addend) {
    code.relocations.push_back({unwind_section, static_cast<uint32_t>(table.size()), symbol,
                                RelocationKind::kAbsolute64, addend});
    table.Number(0, 8);
  };
  const size_t common = table.Begin();
  table.Number(0, 4);  // It is a common entry.
  table.Bytes({1});
  if (rows.has_exceptions) {
    table.Bytes({'z', 'P', 'L', 'R', 0});
  } else {
    table.Bytes({'z', 'R', 0});
  }
  table.Bytes({1, /*-8=*/0x78, kReturnAddress});
  if (rows.has_exceptions) {
    table.Bytes({11, kAbsolutePointer});
    address(rows.personality, 0);
    table.Bytes({kAbsolutePointer, kAbsolutePointer});
  } else {
    table.Bytes({1, kAbsolutePointer});
  }
  table.Bytes({kDefCfa, kDwarfRsp, 8, kOffset | kReturnAddress, 1});
  table.End(common);

  const size_t entry = table.Begin();
  table.Number(table.size() - common, 4);
  address(code_symbol, rows.begin);
  table.Number(rows.size, 8);
  if (rows.has_exceptions) {
    table.Bytes({8});
    address(code_symbol, rows.exception_table);
  } else {
    table.Bytes({0});
  }
  WriteProlog(rows, table);
  for (const auto& [begin, end] : rows.epilogues) {
    table.AdvanceTo(begin);
    table.Bytes({kRememberState, kDefCfa, kDwarfRsp, 8});
    table.AdvanceTo(end);
    table.Bytes({kRestoreState});
  }
  table.End(entry);
}

}  // namespace firstcall::baseline
