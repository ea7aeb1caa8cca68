// x86-64 stubs.
//
//   stub:  endbr64                   lead:  endbr64               tail:  push context(%rip)
//          jmp   *slot(%rip)                push  $index                 jmp  *reentry(%rip)
//          int3 ...                         jmp   tail
//
// Encodings: Intel SDM volume 2 (ENDBR64 F3 0F 1E FA; JMP r/m64 FF /4; PUSH imm32 68; PUSH r/m64
// FF /6; JMP rel32 E9). The index goes by way of the stack, because preserve_none passes an
// argument even in r11.

#include "stubs/byte_writer.h"
#include "stubs/stub_architecture.h"

#if defined(__x86_64__)
extern "C" void firstcall_reentry_x86_64();
#endif

namespace firstcall {
namespace {

constexpr StubBlockLayout kLayout = {/*stub_size=*/16, /*tail_size=*/12};
constexpr uint8_t kInt3 = 0xcc;

// Offsets within a lead and within the tail behind the instruction that pushes.
constexpr uint8_t kLeadPushed = 9;
constexpr uint8_t kTailPushed = 6;

class BlockEncoder {
 public:
  explicit BlockEncoder(const StubBlockPlacement& placement) : placement_(placement) {}

  std::vector<uint8_t> Encode() {
    const size_t count = placement_.count;
    for (size_t i = 0; i < count; ++i) EncodeStub(i);
    for (size_t i = 0; i < count; ++i) EncodeLead(i);
    EncodeTail();
    return out_.Take();
  }

 private:
  void EndBranch() { out_.Bytes({0xf3, 0x0f, 0x1e, 0xfa}); }

  // The displacement operand of an instruction that ends with it, addressing the block's data.
  void DataOperand(size_t data_offset) {
    const ExecutorAddress next = placement_.code + out_.size() + 4;
    out_.Number32(static_cast<uint64_t>(placement_.data + data_offset - next));
  }

  void EncodeStub(size_t index) {
    EndBranch();
    out_.Bytes({0xff, 0x25});
    DataOperand(StubBlockLayout::SlotOffset(index));
    out_.PadTo(kLayout.StubOffset(index + 1), kInt3);
  }

  void EncodeLead(size_t index) {
    EndBranch();
    out_.Bytes({0x68});
    out_.Number32(index);
    out_.Bytes({0xe9});
    out_.Number32(kLayout.TailOffset(placement_.count) - (out_.size() + 4));
    out_.PadTo(kLayout.LeadOffset(placement_.count, index + 1), kInt3);
  }

  void EncodeTail() {
    out_.Bytes({0xff, 0x35});
    DataOperand(StubBlockLayout::kContextOffset);
    out_.Bytes({0xff, 0x25});
    DataOperand(StubBlockLayout::kReentryOffset);
  }

  const StubBlockPlacement& placement_;
  ByteWriter out_;
};

// DWARF constants (DWARF 4, section 7.24; register numbers of the x86-64 psABI, figure 3.36).
constexpr uint8_t kRsp = 7, kReturnAddress = 16;
constexpr uint8_t kDefCfa = 0x0c, kDefCfaOffset = 0x0e, kDefCfaExpression = 0x0f;
constexpr uint8_t kAdvanceLoc4 = 0x04, kOffset = 0x80, kAdvanceLoc = 0x40;

// Completes the entry whose length field stands at `begin`: fills up to eight bytes, sets the
// length.
void EndEntry(ByteWriter& out, size_t begin) {
  out.PadTo((out.size() + 7) / 8 * 8, /*DW_CFA_nop=*/0);
  out.Patch32(begin, static_cast<uint32_t>(out.size() - begin - 4));
}

// Starts an FDE of the CIE at offset 0; addresses are absolute. Returns where it begins.
size_t BeginFde(ByteWriter& out, ExecutorAddress begin, size_t size) {
  const size_t entry = out.size();
  out.Number32(0);
  out.Number32(out.size());  // Distance from this field back to the CIE.
  out.Number64(begin.value());
  out.Number64(size);
  out.Bytes({0});  // No augmentation data.
  return entry;
}

std::vector<uint8_t> EncodeUnwindTable(const StubBlockPlacement& placement) {
  ByteWriter out;
  out.Number32(0);
  out.Number32(0);  // A CIE.
  out.Bytes({1, 'z', 'R', 0});
  out.Bytes({1, 0x78, kReturnAddress});  // Code alignment 1, data alignment -8.
  out.Bytes({1, /*DW_EH_PE_absptr=*/0});
  out.Bytes({kDefCfa, kRsp, 8, kOffset | kReturnAddress, 1});
  EndEntry(out, 0);

  const size_t stubs_size = kLayout.LeadOffset(placement.count, 0);
  EndEntry(out, BeginFde(out, placement.code, stubs_size));

  const size_t leads_size = kLayout.TailOffset(placement.count) - stubs_size;
  const size_t fde = BeginFde(out, placement.code + stubs_size, leads_size + kLayout.tail_size);
  // In a lead, CFA = rsp + 8 + (rip % 16 >= kLeadPushed ? 8 : 0): breg7 8, breg16 0, lit15, and,
  // lit9, ge, lit3, shl, plus. The blocks are aligned to 16 bytes.
  static_assert(kLeadPushed == 9, "the expression below says 9");
  out.Bytes({kDefCfaExpression, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x39, 0x2a, 0x33, 0x24, 0x22});
  out.Bytes({kAdvanceLoc4});
  out.Number32(leads_size);
  out.Bytes({kDefCfa, kRsp, 16, kAdvanceLoc | kTailPushed, kDefCfaOffset, 24});
  EndEntry(out, fde);
  out.Number32(0);
  return out.Take();
}

std::vector<uint8_t> EncodeBlock(const StubBlockPlacement& placement) {
  return BlockEncoder(placement).Encode();
}

ExecutorAddress Reentry() {
#if defined(__x86_64__)
  return ExecutorAddress::Of(reinterpret_cast<const void*>(&firstcall_reentry_x86_64));
#else
  return ExecutorAddress();
#endif
}

}  // namespace

const StubArchitecture& StubArchitectureX86_64() {
  static const StubArchitecture architecture = {"x86-64", kLayout, EncodeBlock, EncodeUnwindTable,
                                                Reentry()};
  return architecture;
}

}  // namespace firstcall
