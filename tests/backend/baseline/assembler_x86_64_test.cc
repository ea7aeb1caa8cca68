#include "backend/baseline/assembler_x86_64.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "backend/baseline/opcodes_x86_64.h"
#include "gtest/gtest.h"
#include "tests/stubs/disassembler.h"

namespace firstcall::baseline::x86_64 {
namespace {

using Emit = std::function<void(AssemblerX86_64&)>;

// What LLVM's disassembler makes of what `emit` encodes, instructions separated by semicolons.
std::string Disassemble(const Emit& emit) {
  AssemblerX86_64 assembler;
  emit(assembler);
  std::vector<uint8_t> code(assembler.buffer().data(),
                            assembler.buffer().data() + assembler.size());
  firstcall::testing::Disassembler disassembler("x86_64-linux-gnu",
                                                "+popcnt,+lzcnt,+bmi,+sse4.2,+f16c");
  std::string text;
  for (const firstcall::testing::Instruction& instruction :
       disassembler.Range(code, 0, 0, code.size())) {
    text += (text.empty() ? "" : "; ") + disassembler.Text(instruction);
  }
  return text;
}

#define EXPECT_ENCODES(text, call) EXPECT_EQ(Disassemble([](AssemblerX86_64& a) { a.call; }), text)

Mem Indexed(Register base, Register index, uint8_t scale, int32_t disp) {
  Mem mem = Mem::At(base, disp);
  mem.index = index;
  mem.scale = scale;
  return mem;
}

TEST(AssemblerX86_64Test, EncodesEveryAddress) {
  EXPECT_ENCODES("movl (%rax), %ecx", Load(4, kRcx, Mem::At(kRax)));
  EXPECT_ENCODES("movl (%rbp), %ecx", Load(4, kRcx, Mem::At(kRbp)));
  EXPECT_ENCODES("movl (%r13), %ecx", Load(4, kRcx, Mem::At(kR13)));
  EXPECT_ENCODES("movl (%rsp), %ecx", Load(4, kRcx, Mem::At(kRsp)));
  EXPECT_ENCODES("movl (%r12), %r15d", Load(4, kR15, Mem::At(kR12)));
  EXPECT_ENCODES("movq -0x8(%rbp), %rdx", Load(8, kRdx, Mem::At(kRbp, -8)));
  EXPECT_ENCODES("movq -0x80(%rsp), %rdx", Load(8, kRdx, Mem::At(kRsp, -128)));
  EXPECT_ENCODES("movq 0x80(%rsp), %rdx", Load(8, kRdx, Mem::At(kRsp, 128)));
  EXPECT_ENCODES("movq 0x12345678(%r8), %r9", Load(8, kR9, Mem::At(kR8, 0x12345678)));
  EXPECT_ENCODES("movl (%rax,%rcx), %edx", Load(4, kRdx, Indexed(kRax, kRcx, 0, 0)));
  EXPECT_ENCODES("movl (%rbp,%r12,8), %edx", Load(4, kRdx, Indexed(kRbp, kR12, 3, 0)));
  EXPECT_ENCODES("movl 0x10(%r13,%r9,4), %edx", Load(4, kRdx, Indexed(kR13, kR9, 2, 16)));
  EXPECT_ENCODES("movl 0x10(,%r9,4), %edx", Load(4, kRdx, Indexed(kNoRegister, kR9, 2, 16)));
  EXPECT_ENCODES("movl 0x10, %edx", Load(4, kRdx, Indexed(kNoRegister, kNoRegister, 0, 16)));
  EXPECT_ENCODES("movl (%rip), %edx", Load(4, kRdx, Mem::Relative(RelativeTo::kSymbol, 0)));
}

TEST(AssemblerX86_64Test, RecordsWhatARelativeAddressRefersTo) {
  AssemblerX86_64 assembler;
  assembler.StoreImmediate(4, Mem::Relative(RelativeTo::kPool, 7, 5), 1);
  ASSERT_EQ(assembler.fixups().size(), 1u);
  EXPECT_EQ(assembler.fixups()[0].offset, 2u);
  EXPECT_EQ(assembler.fixups()[0].relative_to, RelativeTo::kPool);
  EXPECT_EQ(assembler.fixups()[0].target, 7u);
  EXPECT_EQ(assembler.fixups()[0].addend, 5 - 4 - 4);  // The next instruction is behind the 1.
}

TEST(AssemblerX86_64Test, EncodesConversionsOfHalf) {
  EXPECT_ENCODES("vcvtph2ps %xmm1, %xmm2", HalfToFloat(kXmm2, kXmm1));
  EXPECT_ENCODES("vcvtph2ps %xmm9, %xmm2", HalfToFloat(kXmm2, kXmm9));
  EXPECT_ENCODES("vcvtph2ps %xmm1, %xmm13", HalfToFloat(kXmm13, kXmm1));
  EXPECT_ENCODES("vcvtps2ph $0x4, %xmm1, %xmm2", FloatToHalf(kXmm2, kXmm1));
  EXPECT_ENCODES("vcvtps2ph $0x4, %xmm9, %xmm2", FloatToHalf(kXmm2, kXmm9));
  EXPECT_ENCODES("vcvtps2ph $0x4, %xmm1, %xmm13", FloatToHalf(kXmm13, kXmm1));
}

TEST(AssemblerX86_64Test, EncodesArithmetic) {
  EXPECT_ENCODES("addl %esi, %eax", AluRr(Alu::kAdd, 4, kRax, kRsi));
  EXPECT_ENCODES("subq %r8, %rax", AluRr(Alu::kSub, 8, kRax, kR8));
  EXPECT_ENCODES("xorb %sil, %dil", AluRr(Alu::kXor, 1, kRdi, kRsi));
  EXPECT_ENCODES("cmpw %r9w, %dx", AluRr(Alu::kCmp, 2, kRdx, kR9));
  EXPECT_ENCODES("andq 0x8(%rdi), %rax", AluRm(Alu::kAnd, 8, kRax, Mem::At(kRdi, 8)));
  EXPECT_ENCODES("cmpb 0x8(%rdi), %sil", AluRm(Alu::kCmp, 1, kRsi, Mem::At(kRdi, 8)));
  EXPECT_ENCODES("orl %ecx, (%r14)", AluMr(Alu::kOr, 4, Mem::At(kR14), kRcx));
  EXPECT_ENCODES("addb %dil, (%rax)", AluMr(Alu::kAdd, 1, Mem::At(kRax), kRdi));
  EXPECT_ENCODES("adcq $-0x1, %rbx", AluRi(Alu::kAdc, 8, kRbx, -1));
  EXPECT_ENCODES("sbbl $0x1000, %r10d", AluRi(Alu::kSbb, 4, kR10, 4096));
  EXPECT_ENCODES("cmpw $0x1000, %cx", AluRi(Alu::kCmp, 2, kRcx, 4096));
  EXPECT_ENCODES("cmpb $0x7f, %sil", AluRi(Alu::kCmp, 1, kRsi, 127));
  EXPECT_ENCODES("cmpb $0x7f, (%rsi)", AluMi(Alu::kCmp, 1, Mem::At(kRsi), 127));
  EXPECT_ENCODES("cmpw $0x3e8, (%rsi)", AluMi(Alu::kCmp, 2, Mem::At(kRsi), 1000));
  EXPECT_ENCODES("cmpq $0x3e8, (%rsi)", AluMi(Alu::kCmp, 8, Mem::At(kRsi), 1000));
  EXPECT_ENCODES("testq %rax, %rax", TestRr(8, kRax, kRax));
  EXPECT_ENCODES("testb $0x1, %sil", TestRi(1, kRsi, 1));
  EXPECT_ENCODES("testw $0x100, %ax", TestRi(2, kRax, 256));
  EXPECT_ENCODES("testq $0x100, %rax", TestRi(8, kRax, 256));
  EXPECT_ENCODES("imull %r9d, %eax", MultiplyRr(4, kRax, kR9));
  EXPECT_ENCODES("imulq (%r9), %rax", MultiplyRm(8, kRax, Mem::At(kR9)));
  EXPECT_ENCODES("imulq $0x64, %r8, %rax", MultiplyRri(8, kRax, kR8, 100));
  EXPECT_ENCODES("imull $0x3e8, %ecx, %eax", MultiplyRri(4, kRax, kRcx, 1000));
  EXPECT_ENCODES("negq %r12", Negate(8, kR12));
  EXPECT_ENCODES("notb %dil", Not(1, kRdi));
  EXPECT_ENCODES("mulq %rcx", UnaryR(Unary::kMul, 8, kRcx));
  EXPECT_ENCODES("divb %sil", UnaryR(Unary::kDiv, 1, kRsi));
  EXPECT_ENCODES("cltd", SignExtendAx(4));
  EXPECT_ENCODES("cqto", SignExtendAx(8));
  EXPECT_ENCODES("bswapl %ecx", SwapBytes(4, kRcx));
  EXPECT_ENCODES("bswapq %r9", SwapBytes(8, kR9));
}

TEST(AssemblerX86_64Test, EncodesShifts) {
  EXPECT_ENCODES("shll %eax", ShiftRi(Shift::kShl, 4, kRax, 1));
  EXPECT_ENCODES("shrq $0x3f, %r8", ShiftRi(Shift::kShr, 8, kR8, 63));
  EXPECT_ENCODES("sarb $0x3, %sil", ShiftRi(Shift::kSar, 1, kRsi, 3));
  EXPECT_ENCODES("rolw $0x3, %si", ShiftRi(Shift::kRol, 2, kRsi, 3));
  EXPECT_ENCODES("rorq %cl, %rsi", ShiftRcl(Shift::kRor, 8, kRsi));
  EXPECT_ENCODES("shldq $0x5, %rdx, %rax", Shld(8, kRax, kRdx, 5));
  EXPECT_ENCODES("shrdl $0x5, %r9d, %eax", Shrd(4, kRax, kR9, 5));
  EXPECT_ENCODES("shldq %cl, %rdx, %rax", ShldCl(8, kRax, kRdx));
  EXPECT_ENCODES("shrdq %cl, %rdx, %rax", ShrdCl(8, kRax, kRdx));
}

TEST(AssemblerX86_64Test, EncodesMoves) {
  EXPECT_ENCODES("movl %esi, %eax", Mov(4, kRax, kRsi));
  EXPECT_ENCODES("movq %r15, %rax", Mov(8, kRax, kR15));
  EXPECT_ENCODES("xorl %r9d, %r9d", MovImmediate(kR9, 0, true));
  EXPECT_ENCODES("movl $0x0, %r9d", MovImmediate(kR9, 0, false));
  EXPECT_ENCODES("movl $0xffffffff, %eax", MovImmediate(kRax, 0xffffffff, true));
  EXPECT_ENCODES("movq $-0x1, %rax", MovImmediate(kRax, ~uint64_t{0}, true));
  EXPECT_ENCODES("movq $-0x1, %r8", MovImmediate(kR8, ~uint64_t{0}, true));
  EXPECT_ENCODES("movabsq $0x123456789a, %r8", MovImmediate(kR8, 0x123456789a, true));
  EXPECT_ENCODES("movzbl (%rax), %ecx", Load(1, kRcx, Mem::At(kRax)));
  EXPECT_ENCODES("movzwl (%rax), %ecx", Load(2, kRcx, Mem::At(kRax)));
  EXPECT_ENCODES("movsbq (%rax), %rcx", LoadSigned(1, 8, kRcx, Mem::At(kRax)));
  EXPECT_ENCODES("movswl (%rax), %ecx", LoadSigned(2, 4, kRcx, Mem::At(kRax)));
  EXPECT_ENCODES("movslq (%rax), %rcx", LoadSigned(4, 8, kRcx, Mem::At(kRax)));
  EXPECT_ENCODES("movb %sil, (%rax)", Store(1, Mem::At(kRax), kRsi));
  EXPECT_ENCODES("movw %r10w, (%rax)", Store(2, Mem::At(kRax), kR10));
  EXPECT_ENCODES("movq %r10, (%rax)", Store(8, Mem::At(kRax), kR10));
  EXPECT_ENCODES("movb $-0x1, (%rsi)", StoreImmediate(1, Mem::At(kRsi), -1));
  EXPECT_ENCODES("movw $0x1234, (%rsi)", StoreImmediate(2, Mem::At(kRsi), 0x1234));
  EXPECT_ENCODES("movl $0x12345678, (%rsi)", StoreImmediate(4, Mem::At(kRsi), 0x12345678));
  EXPECT_ENCODES("movq $-0x1, (%r13)", StoreImmediate(8, Mem::At(kR13), -1));
  EXPECT_ENCODES("movzbl %sil, %ecx", ZeroExtend(1, kRcx, kRsi));
  EXPECT_ENCODES("movzwl %si, %ecx", ZeroExtend(2, kRcx, kRsi));
  EXPECT_ENCODES("movl %esi, %ecx", ZeroExtend(4, kRcx, kRsi));
  EXPECT_ENCODES("movsbl %dil, %ecx", SignExtend(1, 4, kRcx, kRdi));
  EXPECT_ENCODES("movslq %esi, %rcx", SignExtend(4, 8, kRcx, kRsi));
  EXPECT_ENCODES("leaq 0x8(%rax,%r8,2), %rcx", Lea(kRcx, Indexed(kRax, kR8, 1, 8)));
  EXPECT_ENCODES("leal 0x8(%rax,%r8,2), %ecx", Lea32(kRcx, Indexed(kRax, kR8, 1, 8)));
  EXPECT_ENCODES("pushq %r12", Push(kR12));
  EXPECT_ENCODES("sete %sil", Set(Cond::kE, kRsi));
  EXPECT_ENCODES("setp %r8b", Set(Cond::kP, kR8));
  EXPECT_ENCODES("cmovgeq %rsi, %rax", Select(Cond::kGe, 8, kRax, kRsi));
  EXPECT_ENCODES("cmovnel %r9d, %eax", Select(Cond::kNe, 4, kRax, kR9));
}

TEST(AssemblerX86_64Test, EncodesAtomicOperations) {
  EXPECT_ENCODES("lock; xaddl %ecx, (%rdi)", Lock(); a.Xadd(4, Mem::At(kRdi), kRcx));
  EXPECT_ENCODES("lock; cmpxchgb %sil, (%rdi)", Lock(); a.Cmpxchg(1, Mem::At(kRdi), kRsi));
  EXPECT_ENCODES("cmpxchg16b 0x10(%r9)", CmpxchgWide(Mem::At(kR9, 16)));
  EXPECT_ENCODES("movaps (%rdi), %xmm9", Rm(op::kMovaps, kXmm9, Mem::At(kRdi)));
  EXPECT_ENCODES("movaps %xmm9, (%rdi)", Rm(op::kMovapsStore, kXmm9, Mem::At(kRdi)));
  EXPECT_ENCODES("xchgq %rcx, (%rdi)", XchgM(8, Mem::At(kRdi), kRcx));
}

TEST(AssemblerX86_64Test, EncodesVectorMoves) {
  EXPECT_ENCODES("movaps %xmm9, %xmm1", VectorMov(kXmm1, kXmm9));
  EXPECT_ENCODES("movss (%rax), %xmm8", VectorLoad(4, kXmm8, Mem::At(kRax)));
  EXPECT_ENCODES("movsd (%rax), %xmm0", VectorLoad(8, kXmm0, Mem::At(kRax)));
  EXPECT_ENCODES("movups (%r8), %xmm0", VectorLoad(16, kXmm0, Mem::At(kR8)));
  EXPECT_ENCODES("movsd %xmm0, (%rax)", VectorStore(8, Mem::At(kRax), kXmm0));
  EXPECT_ENCODES("movups %xmm15, (%rax)", VectorStore(16, Mem::At(kRax), kXmm15));
  EXPECT_ENCODES("movq %rax, %xmm9", ToVector(8, kXmm9, kRax));
  EXPECT_ENCODES("movd %r8d, %xmm1", ToVector(4, kXmm1, kR8));
  EXPECT_ENCODES("movd %xmm1, %eax", FromVector(4, kRax, kXmm1));
  EXPECT_ENCODES("movq %xmm9, %r9", FromVector(8, kR9, kXmm9));
}

TEST(AssemblerX86_64Test, EncodesFloatingPoint) {
  using op::Packed, op::Scalar;
  EXPECT_ENCODES("addss %xmm9, %xmm1", Rr(Scalar(op::kAddF, false), kXmm1, kXmm9));
  EXPECT_ENCODES("addsd 0x8(%rax), %xmm9", Rm(Scalar(op::kAddF, true), kXmm9, Mem::At(kRax, 8)));
  EXPECT_ENCODES("addps %xmm9, %xmm1", Rr(Packed(op::kAddF, false), kXmm1, kXmm9));
  EXPECT_ENCODES("addpd %xmm9, %xmm1", Rr(Packed(op::kAddF, true), kXmm1, kXmm9));
  EXPECT_ENCODES("subsd %xmm2, %xmm1", Rr(Scalar(op::kSubF, true), kXmm1, kXmm2));
  EXPECT_ENCODES("mulss %xmm2, %xmm1", Rr(Scalar(op::kMulF, false), kXmm1, kXmm2));
  EXPECT_ENCODES("divpd %xmm2, %xmm1", Rr(Packed(op::kDivF, true), kXmm1, kXmm2));
  EXPECT_ENCODES("sqrtsd %xmm2, %xmm1", Rr(Scalar(op::kSqrtF, true), kXmm1, kXmm2));
  EXPECT_ENCODES("cvtsi2ss %r9d, %xmm1", Rr(Scalar(op::kCvtsi2F, false), kXmm1, kR9));
  EXPECT_ENCODES("cvtsi2sd %rax, %xmm1",
                 Rr(AssemblerX86_64::Wide(Scalar(op::kCvtsi2F, true), 8), kXmm1, kRax));
  EXPECT_ENCODES("cvttsd2si %xmm9, %eax", Rr(Scalar(op::kCvttF2si, true), kRax, kXmm9));
  EXPECT_ENCODES("cvttss2si %xmm1, %r8",
                 Rr(AssemblerX86_64::Wide(Scalar(op::kCvttF2si, false), 8), kR8, kXmm1));
  EXPECT_ENCODES("cvtss2sd %xmm2, %xmm1", Rr(Scalar(op::kCvtF, false), kXmm1, kXmm2));
  EXPECT_ENCODES("cvtsd2ss %xmm2, %xmm1", Rr(Scalar(op::kCvtF, true), kXmm1, kXmm2));
  EXPECT_ENCODES("ucomiss %xmm2, %xmm1", Rr(Packed(op::kUcomiF, false), kXmm1, kXmm2));
  EXPECT_ENCODES("ucomisd %xmm2, %xmm1", Rr(Packed(op::kUcomiF, true), kXmm1, kXmm2));
  EXPECT_ENCODES("comiss %xmm2, %xmm1", Rr(Packed(op::kComiF, false), kXmm1, kXmm2));
  EXPECT_ENCODES("comisd %xmm2, %xmm1", Rr(Packed(op::kComiF, true), kXmm1, kXmm2));
  EXPECT_ENCODES("cmpltps %xmm2, %xmm1", RrI(Packed(op::kCmpF, false), kXmm1, kXmm2, 1));
  EXPECT_ENCODES("cmpneqpd %xmm2, %xmm1", RrI(Packed(op::kCmpF, true), kXmm1, kXmm2, 4));
  EXPECT_ENCODES("movmskps %xmm9, %ecx", Rr(Packed(op::kMovmskF, false), kRcx, kXmm9));
  EXPECT_ENCODES("movmskpd %xmm1, %r9d", Rr(Packed(op::kMovmskF, true), kR9, kXmm1));
  EXPECT_ENCODES("andps %xmm2, %xmm1", Rr(op::kAndps, kXmm1, kXmm2));
  EXPECT_ENCODES("orps %xmm2, %xmm1", Rr(op::kOrps, kXmm1, kXmm2));
  EXPECT_ENCODES("xorps (%rax), %xmm1", Rm(op::kXorps, kXmm1, Mem::At(kRax)));
  EXPECT_ENCODES("movhlps %xmm2, %xmm1", Rr(op::kMovhlps, kXmm1, kXmm2));
  EXPECT_ENCODES("unpcklps %xmm2, %xmm1", Rr(op::kUnpcklps, kXmm1, kXmm2));
  EXPECT_ENCODES("roundss $0x9, %xmm2, %xmm1", RrI(op::kRoundss, kXmm1, kXmm2, 9));
  EXPECT_ENCODES("roundsd $0xa, %xmm2, %xmm9", RrI(op::kRoundsd, kXmm9, kXmm2, 10));
}

TEST(AssemblerX86_64Test, EncodesVectorsOfIntegers) {
  EXPECT_ENCODES("paddb %xmm9, %xmm1", Rr(op::kPadd[0], kXmm1, kXmm9));
  EXPECT_ENCODES("paddw %xmm2, %xmm1", Rr(op::kPadd[1], kXmm1, kXmm2));
  EXPECT_ENCODES("paddd %xmm2, %xmm1", Rr(op::kPadd[2], kXmm1, kXmm2));
  EXPECT_ENCODES("paddq %xmm2, %xmm1", Rr(op::kPadd[3], kXmm1, kXmm2));
  EXPECT_ENCODES("psubb %xmm2, %xmm1", Rr(op::kPsub[0], kXmm1, kXmm2));
  EXPECT_ENCODES("psubw %xmm2, %xmm1", Rr(op::kPsub[1], kXmm1, kXmm2));
  EXPECT_ENCODES("psubd %xmm2, %xmm1", Rr(op::kPsub[2], kXmm1, kXmm2));
  EXPECT_ENCODES("psubq %xmm2, %xmm1", Rr(op::kPsub[3], kXmm1, kXmm2));
  EXPECT_ENCODES("pand %xmm2, %xmm1", Rr(op::kPand, kXmm1, kXmm2));
  EXPECT_ENCODES("por %xmm2, %xmm1", Rr(op::kPor, kXmm1, kXmm2));
  EXPECT_ENCODES("pxor %xmm2, %xmm1", Rr(op::kPxor, kXmm1, kXmm2));
  EXPECT_ENCODES("packsswb %xmm2, %xmm1", Rr(op::kPacksswb, kXmm1, kXmm2));
  EXPECT_ENCODES("pmovmskb %xmm2, %ecx", Rr(op::kPmovmskb, kRcx, kXmm2));
  EXPECT_ENCODES("punpcklqdq %xmm2, %xmm1", Rr(op::kPunpcklqdq, kXmm1, kXmm2));
}

TEST(AssemblerX86_64Test, EncodesBitCounts) {
  EXPECT_ENCODES("bsfl %r9d, %eax", Rr(AssemblerX86_64::Wide(op::kBsf, 4), kRax, kR9));
  EXPECT_ENCODES("bsrq %rcx, %rax", Rr(AssemblerX86_64::Wide(op::kBsr, 8), kRax, kRcx));
  EXPECT_ENCODES("popcntq %rcx, %r8", Rr(AssemblerX86_64::Wide(op::kPopcnt, 8), kR8, kRcx));
}

TEST(AssemblerX86_64Test, EncodesControlFlow) {
  EXPECT_ENCODES("jmpq *%r11", JmpR(kR11));
  EXPECT_ENCODES("callq *%rax", CallR(kRax));
  EXPECT_ENCODES("callq *(%rip)", CallM(Mem::Relative(RelativeTo::kPool, 0)));
  EXPECT_ENCODES("jmp 0x0", Jmp(0));
  EXPECT_ENCODES("jle 0x0", Jcc(Cond::kLe, 0));
  EXPECT_ENCODES("callq 0x0", CallSymbol(0));
  EXPECT_ENCODES("leave; retq; ud2; endbr64", Leave(); a.Ret(); a.Trap(); a.LandingMark());
  EXPECT_ENCODES("int3; mfence", Breakpoint(); a.Mfence());
  EXPECT_ENCODES("rep movsb (%rsi), %es:(%rdi)", RepMovsb());
}

TEST(AssemblerX86_64Test, EncodesInstructionsThatDoNothing) {
  EXPECT_ENCODES("", Nops(0));
  EXPECT_ENCODES("nop", Nops(1));
  EXPECT_ENCODES("nop", Nops(2));
  for (uint32_t bytes = 0; bytes < 40; ++bytes) {
    AssemblerX86_64 assembler;
    assembler.Nops(bytes);
    EXPECT_EQ(assembler.size(), bytes);
    const std::string text = Disassemble([&](AssemblerX86_64& a) { a.Nops(bytes); });
    for (absl::string_view instruction : absl::StrSplit(text, "; ", absl::SkipEmpty())) {
      EXPECT_TRUE(absl::StartsWith(instruction, "nop") || instruction == "xchgw %ax, %ax") << text;
    }
  }
}

TEST(AssemblerX86_64Test, JumpsBackInTwoBytesWhereThatReaches) {
  const auto jump_over = [](uint32_t bytes) {
    const std::vector<uint32_t> labels = {0, UINT32_MAX};
    AssemblerX86_64 assembler;
    assembler.set_labels(&labels);
    assembler.Nops(bytes);
    assembler.Jcc(Cond::kLe, 0);
    return assembler.size() - bytes;
  };
  EXPECT_EQ(jump_over(0), 2u);
  EXPECT_EQ(jump_over(126), 2u);  // 128 bytes back from the next instruction.
  EXPECT_EQ(jump_over(127), 6u);
  // What is printed is the jump's own address plus the distance, which counts from the jump's end.
  EXPECT_EQ(Disassemble([](AssemblerX86_64& a) {
              const std::vector<uint32_t> labels = {0, UINT32_MAX};
              a.set_labels(&labels);
              a.Jmp(0);
              a.Jcc(Cond::kLe, 0);
              a.Jmp(1);
            }),
            "jmp 0xfffffffffffffffe; jle 0xfffffffffffffffe; jmp 0x4");
}

}  // namespace
}  // namespace firstcall::baseline::x86_64
