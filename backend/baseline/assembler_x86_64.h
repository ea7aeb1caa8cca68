// Encodes x86-64 instructions into a buffer (Intel SDM volume 2).
//
// An instruction is one 32-bit constant, `Op`: its opcode byte, its map (one byte, 0F, 0F 38,
// 0F 3A), its mandatory prefix, REX.W, and whether its register operands are bytes. Two functions
// encode nearly all of them: Rr for register operands, Rm for a register and memory. The rest of
// the class names the instructions that the code generator uses.
//
// Thread-compatible.

#ifndef FIRSTCALL_BACKEND_BASELINE_ASSEMBLER_X86_64_H_
#define FIRSTCALL_BACKEND_BASELINE_ASSEMBLER_X86_64_H_

#include <cstdint>

#include "backend/baseline/assembler.h"
#include "backend/baseline/registers_x86_64.h"

namespace firstcall::baseline::x86_64 {

using Op = uint32_t;
inline constexpr Op k66 = 0x10000, kF3 = 0x20000, kF2 = 0x30000, kPrefixMask = 0x30000;
inline constexpr Op k0F = 0x40000, k0F38 = 0x80000, k0F3A = 0xc0000, kMapMask = 0xc0000;
inline constexpr Op kW = 0x100000;
// The operand in the reg field (kByteReg) or in the r/m field (kByteRm) is a byte register.
inline constexpr Op kByteReg = 0x200000, kByteRm = 0x400000;

// The /n (opcode extension) of F6 and F7.
enum class Unary : uint8_t { kNot = 2, kNeg, kMul, kImul, kDiv, kIdiv };

class AssemblerX86_64 final : public Assembler {
 public:
  bool Resolve(const CodeLayout& layout, CompiledCode& code) const override;

  // ---- Any instruction ----
  void Rr(Op op, Register reg, Register rm);
  // `immediate`: the number of immediate bytes that the caller appends to the instruction.
  void Rm(Op op, Register reg, const Mem& mem, unsigned immediate = 0);
  // As Rr and Rm, with an immediate byte.
  void RrI(Op op, Register reg, Register rm, uint8_t immediate) {
    Rr(op, reg, rm);
    Immediate(immediate, 1);
  }
  void RmI(Op op, Register reg, const Mem& mem, uint8_t immediate) {
    Rm(op, reg, mem, 1);
    Immediate(immediate, 1);
  }
  void Byte(uint8_t byte) { code_.Number(byte, 1); }

  // ---- Integers. `size` is the operation's size in bytes ----
  void AluRr(Alu alu, unsigned size, Register dst, Register src) override {
    Rr(Sized(static_cast<Op>(alu) * 8 + 2, size), dst, src);
  }
  void AluRm(Alu alu, unsigned size, Register dst, const Mem& src) override {
    Rm(Sized(static_cast<Op>(alu) * 8 + 2, size), dst, src);
  }
  void AluMr(Alu alu, unsigned size, const Mem& dst, Register src) override {
    Rm(Sized(static_cast<Op>(alu) * 8, size), src, dst);
  }
  void AluRi(Alu alu, unsigned size, Register dst, int32_t immediate) override;
  void AluMi(Alu alu, unsigned size, const Mem& dst, int32_t immediate) override;
  void TestRr(unsigned size, Register a, Register b) { Rr(Sized(0x84, size), a, b); }
  void CompareWithZero(unsigned size, Register reg) override { TestRr(size, reg, reg); }
  void TestRi(unsigned size, Register a, int32_t immediate) override;
  void ShiftRi(Shift shift, unsigned size, Register dst, uint8_t count) override;
  void ShiftRcl(Shift shift, unsigned size, Register dst) {
    Group(Sized(0xd2, size), static_cast<unsigned>(shift), dst);
  }
  void ShiftRr(Shift shift, unsigned size, Register dst, Register count) override;
  void Negate(unsigned size, Register reg) override { UnaryR(Unary::kNeg, size, reg); }
  void Not(unsigned size, Register reg) override { UnaryR(Unary::kNot, size, reg); }
  void UnaryR(Unary unary, unsigned size, Register operand) {
    Group(Sized(0xf6, size), static_cast<unsigned>(unary), operand);
  }
  void MultiplyRr(unsigned size, Register dst, Register src) override {
    Rr(Wide(k0F | 0xaf, size), dst, src);
  }
  void MultiplyRm(unsigned size, Register dst, const Mem& src) override {
    Rm(Wide(k0F | 0xaf, size), dst, src);
  }
  void MultiplyRri(unsigned size, Register dst, Register src, int32_t immediate) override;
  void Shld(unsigned size, Register dst, Register src, uint8_t count) {
    Rr(Wide(k0F | 0xa4, size), src, dst);
    Byte(count);
  }
  void Shrd(unsigned size, Register dst, Register src, uint8_t count) {
    Rr(Wide(k0F | 0xac, size), src, dst);
    Byte(count);
  }
  void ShldCl(unsigned size, Register dst, Register src) { Rr(Wide(k0F | 0xa5, size), src, dst); }
  void ShrdCl(unsigned size, Register dst, Register src) { Rr(Wide(k0F | 0xad, size), src, dst); }
  void SwapBytes(unsigned size, Register reg) override;
  void SignExtendAx(unsigned size) {  // CDQ, CQO: rax into rdx:rax.
    if (size == 8) Byte(0x48);
    Byte(0x99);
  }
  void Set(Cond cond, Register dst) override {
    Rr(k0F | kByteRm | 0x90 | static_cast<Op>(cond), kRax, dst);
  }
  void Select(Cond cond, unsigned size, Register dst, Register src) override {
    Rr(Wide(k0F | 0x40 | static_cast<Op>(cond), size), dst, src);
  }

  // ---- Moves ----
  // Moves 4 or 8 bytes between general registers.
  void Mov(unsigned size, Register dst, Register src) override { Rr(Wide(0x8b, size), dst, src); }
  // `value` may be any constant. Changes the flags if `may_change_flags` and the encoding is
  // shorter.
  void MovImmediate(Register dst, uint64_t value, bool may_change_flags) override;
  // A zero-extending load of 1, 2, 4 or 8 bytes.
  void Load(unsigned size, Register dst, const Mem& src) override;
  void LoadSigned(unsigned from, unsigned to, Register dst, const Mem& src) override;
  void Store(unsigned size, const Mem& dst, Register src) override {
    Rm(Sized(0x88, size), src, dst);
  }
  // Stores the sign-extended immediate.
  void StoreImmediate(unsigned size, const Mem& dst, int32_t value) override;
  // Zero-extends the lowest 1, 2 or 4 bytes.
  void ZeroExtend(unsigned from, Register dst, Register src) override;
  void SignExtend(unsigned from, unsigned to, Register dst, Register src) override;
  void Lea(Register dst, const Mem& src) override { Rm(kW | 0x8d, dst, src); }
  void Lea32(Register dst, const Mem& src) override { Rm(0x8d, dst, src); }
  void Push(Register reg);
  // Pushes 8 bytes, sign-extended.
  void PushImmediate(int32_t value);
  // Load, add and compare 8 bytes at an offset from the thread's control block, whose address is
  // that of the segment FS.
  void LoadFromThread(Register dst, int32_t offset) {
    Byte(0x64);
    Load(8, dst, Mem::At(kNoRegister, offset));
  }
  void AddFromThread(Register dst, int32_t offset) {
    Byte(0x64);
    AluRm(Alu::kAdd, 8, dst, Mem::At(kNoRegister, offset));
  }
  void CompareWithThread(Register reg, int32_t offset) {
    Byte(0x64);
    AluRm(Alu::kCmp, 8, reg, Mem::At(kNoRegister, offset));
  }
  void XchgM(unsigned size, const Mem& mem, Register reg) { Rm(Sized(0x86, size), reg, mem); }
  void Lock() { Byte(0xf0); }
  void Xadd(unsigned size, const Mem& mem, Register reg) { Rm(Sized(k0F | 0xc0, size), reg, mem); }
  void Cmpxchg(unsigned size, const Mem& mem, Register reg) {
    Rm(Sized(k0F | 0xb0, size), reg, mem);
  }
  // CMPXCHG16B: rdx:rax is what is expected, and rcx:rbx is what is written.
  void CmpxchgWide(const Mem& mem) { Rm(kW | k0F | 0xc7, static_cast<Register>(1), mem); }

  // ---- Vector registers. Moves of 2, 4, 8 or 16 bytes ----
  void VectorMov(Register dst, Register src) override { Rr(k0F | 0x28, dst, src); }  // MOVAPS
  // After a load of two bytes, the upper bytes of the register are unspecified.
  void VectorLoad(unsigned size, Register dst, const Mem& src) override {
    if (size == 2) return RmI(k66 | k0F | 0xc4, dst, src, 0);  // PINSRW
    Rm(size == 4 ? kF3 | k0F | 0x10 : size == 8 ? kF2 | k0F | 0x10 : k0F | 0x10, dst, src);
  }
  // A store of two bytes clobbers kScratch, which must not be part of the address.
  void VectorStore(unsigned size, const Mem& dst, Register src) override {
    if (size == 2) {
      FromVector(4, kScratch, src);
      return Store(2, dst, kScratch);
    }
    Rm(size == 4 ? kF3 | k0F | 0x11 : size == 8 ? kF2 | k0F | 0x11 : k0F | 0x11, src, dst);
  }
  // MOVD and MOVQ between general and vector registers.
  void ToVector(unsigned size, Register dst, Register src) override {
    Rr(Wide(k66 | k0F | 0x6e, size), dst, src);
  }
  void FromVector(unsigned size, Register dst, Register src) override {
    Rr(Wide(k66 | k0F | 0x7e, size), src, dst);
  }

  void VectorZero(Register dst) override;
  void FloatRr(FloatOp op, FloatKind kind, Register dst, Register src) override;
  void FloatRm(FloatOp op, FloatKind kind, Register dst, const Mem& src) override;
  void LanesMultiplyAdd(FloatKind kind, Register dst, Register factor, Register summand) override {
    FloatRr(FloatOp::kMul, kind, dst, factor);
    FloatRr(FloatOp::kAdd, kind, dst, summand);
  }
  void ConvertFloat(bool to_double, Register dst, Register src) override;
  // VCVTPH2PS and VCVTPS2PH, of all lanes (F16C). The latter rounds by the current mode.
  void HalfToFloat(Register dst, Register src) { Vex(0xe2, 0x13, dst, src); }
  void FloatToHalf(Register dst, Register src) {
    Vex(0xe3, 0x1d, src, dst);
    Byte(4);
  }
  void IntegerToFloat(unsigned size, bool is_double, Register dst, Register src) override;
  void FloatToInteger(unsigned size, bool is_double, Register dst, Register src) override;
  void LanesRr(LaneOp op, unsigned lane_size, Register dst, Register src) override;

  // ---- Control flow. Distances are filled in later, but those of short jumps back ----
  void Jmp(uint32_t label) override {
    if (ShortJump(0xeb, label)) return;
    Byte(0xe9);
    Distance(RelativeTo::kLabel, label, 0);
  }
  void Jcc(Cond cond, uint32_t label) override {
    if (ShortJump(0x70 | static_cast<uint8_t>(cond), label)) return;
    Byte(0x0f);
    Byte(0x80 | static_cast<uint8_t>(cond));
    Distance(RelativeTo::kLabel, label, 0);
  }
  void JmpR(Register reg) override { Group(0xff, 4, reg); }
  void CallR(Register reg) override { Group(0xff, 2, reg); }
  void CallM(const Mem& mem) override { Rm(0xff, static_cast<Register>(2), mem); }
  void CallSymbol(uint32_t symbol) override {
    Byte(0xe8);
    Distance(RelativeTo::kSymbol, symbol, 0);
  }
  void Leave() { Byte(0xc9); }
  void Ret() { Byte(0xc3); }
  void Trap() override {
    Byte(0x0f);
    Byte(0x0b);
  }
  void LandingMark() override { Immediate(0xfa1e0ff3, 4); }
  void Nops(uint32_t bytes) override;
  void Breakpoint() override { Byte(0xcc); }
  void Mfence() { Immediate(0xf0ae0f, 3); }
  void RepMovsb() { Immediate(0xa4f3, 2); }

  // The opcode for operands of `size` bytes, if `op` is the operation's opcode for bytes. The
  // operands in both fields have this size.
  static Op Sized(Op op, unsigned size) {
    switch (size) {
      case 1:
        return op | kByteReg | kByteRm;
      case 2:
        return (op + 1) | k66;
      case 4:
        return op + 1;
      default:
        return (op + 1) | kW;
    }
  }
  // The opcode for operands of `size` bytes, for an operation without a form for bytes.
  static Op Wide(Op op, unsigned size) { return size == 8 ? op | kW : size == 2 ? op | k66 : op; }

 private:
  // Jumps by an instruction of two bytes if `label` is known and near enough. Otherwise emits
  // nothing and returns false.
  bool ShortJump(uint8_t opcode, uint32_t label) {
    const uint32_t target = OffsetOf(label);
    if (target == UINT32_MAX) return false;
    const int64_t distance = int64_t{target} - static_cast<int64_t>(code_.size() + 2);
    if (distance != static_cast<int8_t>(distance)) return false;
    Byte(opcode);
    Byte(static_cast<uint8_t>(distance));
    return true;
  }
  void Group(Op op, unsigned extension, Register rm) {
    Rr(op & ~kByteReg, static_cast<Register>(extension), rm);
  }
  void Distance(RelativeTo kind, uint32_t target, unsigned immediate, int32_t disp = 0) {
    fixups_.push_back({static_cast<uint32_t>(code_.size()), kind, /*form=*/0, target,
                       disp - 4 - static_cast<int32_t>(immediate)});
    code_.Number(0, 4);
  }
  // An instruction of two vector registers of 16 bytes with the prefix VEX and 66. `map`: the byte
  // with the opcode's map and inverted bits of the registers' numbers, which all are set.
  void Vex(uint8_t map, uint8_t opcode, Register reg, Register rm);
  uint8_t* Prefixes(uint8_t* out, Op op, unsigned rex);
  uint8_t* Opcode(uint8_t* out, Op op);
};

}  // namespace firstcall::baseline::x86_64

#endif  // FIRSTCALL_BACKEND_BASELINE_ASSEMBLER_X86_64_H_
