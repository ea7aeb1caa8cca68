// x86-64 stubs.
//
//   stub:  endbr64                   lead:  endbr64               tail:  push context(%rip)
//          jmp   *slot(%rip)                push  $index                 jmp  *reentry(%rip)
//          int3 ...                         jmp   tail
//
//   counter:  endbr64
//             subl  $1, left(%rip)
//             jc    lead
//             jmp   *target(%rip)
//   lead:     push  $index
//             jmp   tail
//             int3 ...
//
//   forwarder:  endbr64
//               mov   $third, %rdx
//               mov   $function, %rax
//               jmp   *%rax
//
// Subtracting 1 sets the carry flag only if 0 was left. (DEC would be shorter, but does not change
// that flag.)
//
// Encodings: Intel SDM volume 2 (ENDBR64 F3 0F 1E FA; JMP r/m64 FF /4; PUSH imm32 68; PUSH r/m64
// FF /6; JMP rel32 E9; SUB r/m32, imm8 83 /5; JC rel8 72; MOV r64, imm64 B8+r).
// No function expects a value in the flags. The index goes through the stack, because preserve_none
// passes an argument even in r11.

#include "stubs/block_encoder.h"
#include "stubs/stub_architecture.h"
#include "stubs/unwind_table_writer.h"

#if defined(__x86_64__)
#include <cpuid.h>

extern "C" {
void firstcall_reentry_x86_64();
// Read by reentry_x86_64.S. Constant once the first stub has been made.
__attribute__((visibility("hidden"))) uint64_t firstcall_reentry_save_size = 512;  // FXSAVE's.
__attribute__((visibility("hidden"))) uint32_t firstcall_reentry_save_mask = 0;
}
#endif

namespace firstcall {
namespace {

constexpr StubBlockLayout kLayout = {/*stub_size=*/16, /*tail_size=*/12};
constexpr CallCounterLayout kCounterLayout = {/*counter_size=*/32, kLayout.tail_size};
constexpr uint8_t kInt3 = 0xcc;

// Offsets, in a lead, a counter and the tail, of the end of the instruction that pushes.
constexpr uint8_t kLeadPushed = 9;
constexpr uint8_t kCounterPushed = 24;
constexpr uint8_t kTailPushed = 6;

struct X86_64Encoder : BlockEncoder {
  void EndBranch() { out.Bytes({0xf3, 0x0f, 0x1e, 0xfa}); }

  // The displacement operand, addressing the block's data, of an instruction that has `size_behind`
  // bytes after the operand.
  void DataOperand(size_t data_offset, size_t size_behind = 0) {
    const ExecutorAddress next = placement.code + out.size() + 4 + size_behind;
    out.Number32(static_cast<uint64_t>(placement.data + data_offset - next));
  }

  void PushIndexAndGoTo(size_t index, size_t tail_offset) {
    out.Bytes({0x68});
    out.Number32(index);
    out.Bytes({0xe9});
    out.Number32(tail_offset - (out.size() + 4));
  }

  void EncodeStub(size_t index) {
    EndBranch();
    out.Bytes({0xff, 0x25});
    DataOperand(StubBlockLayout::SlotOffset(index));
    out.PadTo(kLayout.StubOffset(index + 1), kInt3);
  }

  void EncodeLead(size_t index) {
    EndBranch();
    PushIndexAndGoTo(index, kLayout.TailOffset(placement.count));
    out.PadTo(kLayout.LeadOffset(placement.count, index + 1), kInt3);
  }

  void EncodeTail() {
    out.Bytes({0xff, 0x35});
    DataOperand(StubBlockLayout::kContextOffset);
    out.Bytes({0xff, 0x25});
    DataOperand(StubBlockLayout::kReentryOffset);
  }

  void EncodeCounter(size_t index) {
    EndBranch();
    out.Bytes({0x83, 0x2d});
    DataOperand(CallCounterLayout::CellOffset(index) + CallCounterLayout::kLeftOffset,
                /*size_behind=*/1);
    out.Bytes({1});
    out.Bytes({0x72, /*size of the jump that follows=*/6});
    out.Bytes({0xff, 0x25});
    DataOperand(CallCounterLayout::CellOffset(index));
    PushIndexAndGoTo(index, kCounterLayout.TailOffset(placement.count));
    out.PadTo(kCounterLayout.CounterOffset(index + 1), kInt3);
  }
};

// Register numbers of the x86-64 psABI, figure 3.36.
constexpr uint8_t kRsp = 7, kReturnAddress = 16;

// The rule that holds where only the return address is on the stack.
UnwindTableWriter BeginUnwindTable() {
  return UnwindTableWriter(kReturnAddress, {kCfaDefCfa, kRsp, 8, kCfaOffset | kReturnAddress, 1});
}

// Describes `size` bytes of code from `begin` on, which consist of pieces of `piece_size` bytes,
// and the tail behind them. `piece_size` is a power of 2, at most 32, and `begin` is aligned to it.
// In each piece the index is on the stack from `pushed_offset` on.
void DescribePiecesAndTail(ExecutorAddress begin, size_t size, uint8_t piece_size,
                           uint8_t pushed_offset, UnwindTableWriter& table) {
  table.Describe(begin, size + kLayout.tail_size);
  // In a piece, CFA = rsp + 8 + (rip % piece_size >= pushed_offset ? 8 : 0): breg7 8, breg16 0,
  // lit<piece_size - 1>, and, lit<pushed_offset>, ge, lit3, shl, plus.
  constexpr uint8_t kLit0 = 0x30;
  const auto lit = [](uint32_t value) { return static_cast<uint8_t>(kLit0 + value); };
  table.Instruction({kCfaDefCfaExpression, 11, 0x77, 8, 0x80, 0, lit(piece_size - 1u), 0x1a,
                     lit(pushed_offset), 0x2a, lit(3), 0x24, 0x22});
  table.Advance(static_cast<uint32_t>(size));
  table.Instruction({kCfaDefCfa, kRsp, 16, kCfaAdvanceLoc | kTailPushed, kCfaDefCfaOffset, 24});
}

std::vector<uint8_t> EncodeCounterUnwindTable(const StubBlockPlacement& placement) {
  UnwindTableWriter table = BeginUnwindTable();
  DescribePiecesAndTail(placement.code, kCounterLayout.TailOffset(placement.count),
                        kCounterLayout.counter_size, kCounterPushed, table);
  return table.Finish();
}

std::vector<uint8_t> EncodeUnwindTable(const StubBlockPlacement& placement) {
  UnwindTableWriter table = BeginUnwindTable();
  const size_t stubs_size = kLayout.LeadOffset(placement.count, 0);
  table.Describe(placement.code, stubs_size);

  DescribePiecesAndTail(placement.code + stubs_size,
                        kLayout.TailOffset(placement.count) - stubs_size, kLayout.stub_size,
                        kLeadPushed, table);
  return table.Finish();
}

std::vector<uint8_t> EncodeForwarder(ExecutorAddress function, ExecutorAddress third) {
  X86_64Encoder encoder{{StubBlockPlacement(), {}}};
  encoder.EndBranch();
  ByteWriter& out = encoder.out;
  out.Bytes({0x48, 0xba});
  out.Number64(third.value());
  out.Bytes({0x48, 0xb8});
  out.Number64(function.value());
  out.Bytes({0xff, 0xe0});
  return out.Take();
}

#if defined(__x86_64__)
// The state components of XSAVE (Intel SDM volume 1, 13.1) that can hold an argument: x87, SSE,
// AVX, the three of AVX-512, APX. MPX, PKRU and the AMX tiles are left out: no calling convention
// uses them.
constexpr uint32_t kArgumentComponents =
    1u << 0 | 1u << 1 | 1u << 2 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 19;
constexpr uint64_t kLegacyAndHeaderSize = 512 + 64;

uint32_t EnabledComponents() {
  uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

// Uses the standard layout (not the compacted one), in which each component has a fixed place (SDM
// volume 1, 13.4.3).
void MeasureSaveArea() {
  uint32_t eax, ebx, ecx, edx;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & bit_OSXSAVE) == 0) return;
  const uint32_t mask = EnabledComponents() & kArgumentComponents;
  uint64_t size = kLegacyAndHeaderSize;
  for (uint32_t component = 2; component < 32; ++component) {
    if ((mask & (1u << component)) == 0) continue;
    __cpuid_count(0xd, component, eax, ebx, ecx, edx);
    const uint64_t end = uint64_t{ebx} + eax;  // Its offset and its size.
    if (end > size) size = end;
  }
  firstcall_reentry_save_size = size;
  firstcall_reentry_save_mask = mask;
}
#endif

ExecutorAddress Reentry() {
#if defined(__x86_64__)
  MeasureSaveArea();
  return ExecutorAddress::Of(reinterpret_cast<const void*>(&firstcall_reentry_x86_64));
#else
  return ExecutorAddress();
#endif
}

}  // namespace

const StubArchitecture& StubArchitectureX86_64() {
  static const StubArchitecture architecture = {"x86-64",
                                                kLayout,
                                                EncodeBlock<X86_64Encoder>,
                                                EncodeUnwindTable,
                                                kCounterLayout,
                                                EncodeCounters<X86_64Encoder>,
                                                EncodeCounterUnwindTable,
                                                EncodeForwarder,
                                                Reentry()};
  return architecture;
}

}  // namespace firstcall
