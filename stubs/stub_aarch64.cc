// AArch64 stubs.
//
//   stub: bti  c
//         adrp x16, slot
//         ldr  x16, [x16, :lo12:slot]
//         br   x16
//
//   lead: bti  c
//         movz x17, #index
//         b    tail
//         brk
//
//   tail: adrp x16, context
//         ldr  x16, [x16, :lo12:context]
//         stp  x16, x17, [sp, #-16]!
//         adrp x16, reentry
//         ldr  x16, [x16, :lo12:reentry]
//         br   x16
//
//   counter: bti  c
//            adrp x16, cell
//            ldr  w17, [x16, :lo12:left]
//            subs w17, w17, #1
//            str  w17, [x16, :lo12:left]
//            b.lo lead
//            ldr  x16, [x16, :lo12:target]
//            br   x16
//   lead:    movz x17, #index
//            b    tail
//
// Left and target are in one page, because a cell is aligned to its size. Subtracting 1 borrows,
// which is the condition `lo`, only from 0. No function expects a value in the flags.
//
// x16 and x17 are the intra-procedure-call registers (AAPCS64, 6.1.1): a veneer may change them in
// any call, so no calling convention passes anything in them. Context and index still go through
// the stack, because the jump to the reentry needs a register, too. A branch through x16 or x17 may
// land on `bti c` (Arm Architecture Reference Manual, D8.4.5), as a call may.
//
// Encodings: Arm Architecture Reference Manual, C6.2.

#include "stubs/block_encoder.h"
#include "stubs/stub_architecture.h"
#include "stubs/unwind_table_writer.h"

#if defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>

extern "C" {
void firstcall_reentry_aarch64();
// Read by reentry_aarch64.S. Constant once the first stub is made.
__attribute__((visibility("hidden"))) uint32_t firstcall_reentry_has_sve = 0;
}
#endif

namespace firstcall {
namespace {

constexpr StubBlockLayout kLayout = {/*stub_size=*/16, /*tail_size=*/24};

constexpr CallCounterLayout kCounterLayout = {/*counter_size=*/40, kLayout.tail_size};

constexpr uint32_t kBtiC = 0xd503245f;
constexpr uint32_t kBrk = 0xd4200000;
constexpr uint32_t kBrX16 = 0xd61f0200;
constexpr uint32_t kPushX16AndX17 = 0xa9bf47f0;
constexpr uint32_t kX16 = 16, kX17 = 17;
constexpr uint32_t kLoadX16FromX16 = 0xf9400210;
constexpr uint32_t kLoadW17FromX16 = 0xb9400211;  // Both: with the offset in words << 10.
constexpr uint32_t kStoreW17ToX16 = 0xb9000211;
constexpr uint32_t kDecrementW17 = 0x71000631;
constexpr uint32_t kBranchOverTwoIfLower = 0x54000063;

// The offset in the tail from which on context and index are on the stack.
constexpr size_t kTailPushed = 12;

struct AArch64Encoder : BlockEncoder {
  // Loads the page address of `data_offset` of the block's data into x16, and returns the offset
  // within that page. Reach: 4 GiB to either side.
  uint32_t PageToX16(size_t data_offset) {
    const uint64_t word = (placement.data + data_offset).value();
    const uint64_t here = (placement.code + out.size()).value();
    const uint64_t pages = (word >> 12) - (here >> 12);
    const auto low = static_cast<uint32_t>(pages & 3);
    const auto high = static_cast<uint32_t>(pages >> 2 & 0x7ffff);
    out.Number32(0x90000000 | low << 29 | high << 5 | kX16);
    return static_cast<uint32_t>(word & 0xfff);
  }

  // Loads the 8 bytes at `data_offset` of the block's data into x16.
  void LoadToX16(size_t data_offset) {
    const uint32_t scaled = PageToX16(data_offset) / 8;
    out.Number32(kLoadX16FromX16 | scaled << 10);
  }

  void EncodeStub(size_t index) {
    out.Number32(kBtiC);
    LoadToX16(StubBlockLayout::SlotOffset(index));
    out.Number32(kBrX16);
  }

  // The index has 16 bits.
  void IndexToX17AndGoTo(size_t index, size_t tail_offset) {
    out.Number32(0xd2800000 | static_cast<uint32_t>(index & 0xffff) << 5 | kX17);
    const size_t distance = tail_offset - out.size();
    out.Number32(0x14000000 | static_cast<uint32_t>(distance / 4));
  }

  void EncodeLead(size_t index) {
    out.Number32(kBtiC);
    IndexToX17AndGoTo(index, kLayout.TailOffset(placement.count));
    out.Number32(kBrk);
  }

  void EncodeCounter(size_t index) {
    out.Number32(kBtiC);
    const uint32_t target = PageToX16(CallCounterLayout::CellOffset(index));
    const uint32_t left = (target + CallCounterLayout::kLeftOffset) / 4;
    out.Number32(kLoadW17FromX16 | left << 10);
    out.Number32(kDecrementW17);
    out.Number32(kStoreW17ToX16 | left << 10);
    out.Number32(kBranchOverTwoIfLower);
    out.Number32(kLoadX16FromX16 | target / 8 << 10);
    out.Number32(kBrX16);
    IndexToX17AndGoTo(index, kCounterLayout.TailOffset(placement.count));
  }

  void EncodeTail() {
    LoadToX16(StubBlockLayout::kContextOffset);
    out.Number32(kPushX16AndX17);
    LoadToX16(StubBlockLayout::kReentryOffset);
    out.Number32(kBrX16);
  }
};

// DWARF for the Arm 64-bit Architecture, 4.1. The return address stays in its register.
constexpr uint8_t kSp = 31, kX30 = 30;

// The unwind table of a block of stubs or of counters with that layout.
template <typename Layout>
std::vector<uint8_t> EncodeUnwindTable(const Layout& layout, const StubBlockPlacement& placement) {
  UnwindTableWriter table(kX30, {kCfaDefCfa, kSp, 0});
  table.Describe(placement.code, layout.CodeSize(placement.count));
  table.Advance(static_cast<uint32_t>(layout.TailOffset(placement.count) + kTailPushed));
  table.Instruction({kCfaDefCfaOffset, 16});
  return table.Finish();
}

std::vector<uint8_t> EncodeStubUnwindTable(const StubBlockPlacement& placement) {
  return EncodeUnwindTable(kLayout, placement);
}

std::vector<uint8_t> EncodeCounterUnwindTable(const StubBlockPlacement& placement) {
  return EncodeUnwindTable(kCounterLayout, placement);
}

// The two addresses lie behind the code, which loads them.
std::vector<uint8_t> EncodeForwarder(ExecutorAddress function, ExecutorAddress third) {
  ByteWriter out;
  out.Number32(kBtiC);
  out.Number32(0x58000062);  // ldr x2, third: 12 bytes from here.
  out.Number32(0x58000090);  // ldr x16, function: 16 bytes from here.
  out.Number32(kBrX16);
  out.Number64(third.value());
  out.Number64(function.value());
  return out.Take();
}

ExecutorAddress Reentry() {
#if defined(__aarch64__)
  firstcall_reentry_has_sve = (getauxval(AT_HWCAP) & HWCAP_SVE) != 0 ? 1 : 0;
  return ExecutorAddress::Of(reinterpret_cast<const void*>(&firstcall_reentry_aarch64));
#else
  return ExecutorAddress();
#endif
}

}  // namespace

const StubArchitecture& StubArchitectureAArch64() {
  static const StubArchitecture architecture = {"AArch64",
                                                kLayout,
                                                EncodeBlock<AArch64Encoder>,
                                                EncodeStubUnwindTable,
                                                kCounterLayout,
                                                EncodeCounters<AArch64Encoder>,
                                                EncodeCounterUnwindTable,
                                                EncodeForwarder,
                                                Reentry()};
  return architecture;
}

}  // namespace firstcall
