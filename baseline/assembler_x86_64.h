// Encodes x86-64 instructions into a buffer (Intel SDM volume 2).
//
// An instruction is one 32-bit constant, `Op`: its opcode byte, its map (one byte, 0F, 0F 38,
// 0F 3A), its mandatory prefix, REX.W, and whether its register operands are bytes. Two functions
// encode nearly all of them: Rr for register operands, Rm for a register and memory. The rest of
// the class names the instructions that the code generator uses.
//
// Thread-compatible.

#ifndef FIRSTCALL_BASELINE_ASSEMBLER_X86_64_H_
#define FIRSTCALL_BASELINE_ASSEMBLER_X86_64_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "baseline/code_buffer.h"
#include "baseline/registers_x86_64.h"

namespace firstcall::baseline {

using Op = uint32_t;
inline constexpr Op k66 = 0x10000, kF3 = 0x20000, kF2 = 0x30000, kPrefixMask = 0x30000;
inline constexpr Op k0F = 0x40000, k0F38 = 0x80000, k0F3A = 0xc0000, kMapMask = 0xc0000;
inline constexpr Op kW = 0x100000;
// The operand in the reg field, in the r/m field, is a byte register.
inline constexpr Op kByteReg = 0x200000, kByteRm = 0x400000;

// What an address that is relative to the next instruction refers to.
enum class RipTarget : uint8_t { kNone, kLabel, kPool, kSymbol };

// An operand in memory: base + index << scale + disp; or, if `rip` is set, the place number
// `target` of that kind + disp.
struct Mem {
  Register base = kNoRegister;
  Register index = kNoRegister;
  uint8_t scale = 0;  // The logarithm: 0 to 3.
  RipTarget rip = RipTarget::kNone;
  int32_t disp = 0;
  uint32_t target = 0;

  static Mem At(Register base, int32_t disp = 0) {
    Mem mem;
    mem.base = base;
    mem.disp = disp;
    return mem;
  }
  static Mem Rip(RipTarget kind, uint32_t target, int32_t disp = 0) {
    Mem mem;
    mem.rip = kind;
    mem.target = target;
    mem.disp = disp;
    return mem;
  }
  Mem Plus(int32_t distance) const {
    Mem mem = *this;
    mem.disp += distance;
    return mem;
  }
};

// A four-byte distance in the code that has to be filled in, when its target has a place.
struct RipFixup {
  uint32_t offset;  // Of the four bytes.
  RipTarget kind;
  uint32_t target;
  int32_t addend;  // To be added to target - offset.
};

// The /n of the opcodes 80, 81, 83, and bits 3 to 5 of the others' first bytes.
enum class Alu : uint8_t { kAdd, kOr, kAdc, kSbb, kAnd, kSub, kXor, kCmp };
// The /n of C0, C1, D0 to D3.
enum class Shift : uint8_t { kRol = 0, kRor = 1, kShl = 4, kShr = 5, kSar = 7 };
// The /n of F6 and F7.
enum class Unary : uint8_t { kNot = 2, kNeg, kMul, kImul, kDiv, kIdiv };

// The low four bits of Jcc, SETcc, CMOVcc.
enum class Cond : uint8_t {
  kO,
  kNo,
  kB,
  kAe,
  kE,
  kNe,
  kBe,
  kA,
  kS,
  kNs,
  kP,
  kNp,
  kL,
  kGe,
  kLe,
  kG,
};
constexpr Cond Negate(Cond cond) { return static_cast<Cond>(static_cast<uint8_t>(cond) ^ 1); }

class AssemblerX86_64 {
 public:
  void Clear() {
    code_.Clear();
    fixups_.clear();
  }
  size_t size() const { return code_.size(); }
  CodeBuffer& buffer() { return code_; }
  const std::vector<RipFixup>& fixups() const { return fixups_; }

  // ---- Any instruction ----
  void Rr(Op op, Register reg, Register rm);
  // `immediate` bytes of the instruction follow, which the caller appends.
  void Rm(Op op, Register reg, const Mem& mem, unsigned immediate = 0);
  // The same, with an immediate byte.
  void RrI(Op op, Register reg, Register rm, uint8_t immediate) {
    Rr(op, reg, rm);
    Immediate(immediate, 1);
  }
  void RmI(Op op, Register reg, const Mem& mem, uint8_t immediate) {
    Rm(op, reg, mem, 1);
    Immediate(immediate, 1);
  }
  void Byte(uint8_t byte) { code_.Number(byte, 1); }
  void Immediate(int64_t value, unsigned bytes) { code_.Number(value, bytes); }

  // ---- Integers; `size` is that of the operation in bytes ----
  void AluRr(Alu alu, unsigned size, Register dst, Register src) {
    Rr(Sized(static_cast<Op>(alu) * 8 + 2, size), dst, src);
  }
  void AluRm(Alu alu, unsigned size, Register dst, const Mem& src) {
    Rm(Sized(static_cast<Op>(alu) * 8 + 2, size), dst, src);
  }
  void AluMr(Alu alu, unsigned size, const Mem& dst, Register src) {
    Rm(Sized(static_cast<Op>(alu) * 8, size), src, dst);
  }
  void AluRi(Alu alu, unsigned size, Register dst, int32_t immediate);
  void AluMi(Alu alu, unsigned size, const Mem& dst, int32_t immediate);
  void TestRr(unsigned size, Register a, Register b) { Rr(Sized(0x84, size), a, b); }
  void TestRi(unsigned size, Register a, int32_t immediate);
  void ShiftRi(Shift shift, unsigned size, Register dst, uint8_t count);
  void ShiftRcl(Shift shift, unsigned size, Register dst) {
    Group(Sized(0xd2, size), static_cast<unsigned>(shift), dst);
  }
  void UnaryR(Unary unary, unsigned size, Register operand) {
    Group(Sized(0xf6, size), static_cast<unsigned>(unary), operand);
  }
  void UnaryM(Unary unary, unsigned size, const Mem& operand) {
    Rm(Sized(0xf6, size), static_cast<Register>(unary), operand);
  }
  void ImulRr(unsigned size, Register dst, Register src) { Rr(Wide(k0F | 0xaf, size), dst, src); }
  void ImulRm(unsigned size, Register dst, const Mem& src) { Rm(Wide(k0F | 0xaf, size), dst, src); }
  void ImulRri(unsigned size, Register dst, Register src, int32_t immediate);
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
  void Bswap(unsigned size, Register reg);
  void SignExtendAx(unsigned size) {  // CWD, CDQ, CQO: of eax into edx:eax.
    if (size == 8) Byte(0x48);
    Byte(0x99);
  }
  void Setcc(Cond cond, Register dst) {
    Rr(k0F | kByteRm | 0x90 | static_cast<Op>(cond), kRax, dst);
  }
  void Cmov(Cond cond, unsigned size, Register dst, Register src) {
    Rr(Wide(k0F | 0x40 | static_cast<Op>(cond), size), dst, src);
  }

  // ---- Moves ----
  // Of 4 or 8 bytes between general registers.
  void Mov(unsigned size, Register dst, Register src) { Rr(Wide(0x8b, size), dst, src); }
  // Any constant; changes the flags if `may_change_flags` and that is shorter.
  void MovImmediate(Register dst, uint64_t value, bool may_change_flags);
  // A zero-extending load of 1, 2, 4 or 8 bytes.
  void Load(unsigned size, Register dst, const Mem& src);
  void LoadSigned(unsigned from, unsigned to, Register dst, const Mem& src);
  void Store(unsigned size, const Mem& dst, Register src) { Rm(Sized(0x88, size), src, dst); }
  // Of the sign-extended immediate.
  void StoreImmediate(unsigned size, const Mem& dst, int32_t value);
  // Of the lowest 1, 2 or 4 bytes.
  void ZeroExtend(unsigned from, Register dst, Register src);
  void SignExtend(unsigned from, unsigned to, Register dst, Register src);
  void Lea(Register dst, const Mem& src) { Rm(kW | 0x8d, dst, src); }
  void Lea32(Register dst, const Mem& src) { Rm(0x8d, dst, src); }
  void Push(Register reg);
  void Pop(Register reg);
  void Xchg(unsigned size, Register a, Register b) { Rr(Sized(0x86, size), a, b); }
  void XchgM(unsigned size, const Mem& mem, Register reg) { Rm(Sized(0x86, size), reg, mem); }
  void Lock() { Byte(0xf0); }
  void Xadd(unsigned size, const Mem& mem, Register reg) { Rm(Sized(k0F | 0xc0, size), reg, mem); }
  void Cmpxchg(unsigned size, const Mem& mem, Register reg) {
    Rm(Sized(k0F | 0xb0, size), reg, mem);
  }

  // ---- Vector registers. Moves of 4, 8 or 16 bytes ----
  void VectorMov(Register dst, Register src) { Rr(k0F | 0x28, dst, src); }  // MOVAPS
  // Of two bytes, the upper ones are unspecified.
  void VectorLoad(unsigned size, Register dst, const Mem& src) {
    if (size == 2) return RmI(k66 | k0F | 0xc4, dst, src, 0);  // PINSRW
    Rm(size == 4 ? kF3 | k0F | 0x10 : size == 8 ? kF2 | k0F | 0x10 : k0F | 0x10, dst, src);
  }
  // Of two bytes, by way of kScratch, which must not be part of the address.
  void VectorStore(unsigned size, const Mem& dst, Register src) {
    if (size == 2) {
      FromVector(4, kScratch, src);
      return Store(2, dst, kScratch);
    }
    Rm(size == 4 ? kF3 | k0F | 0x11 : size == 8 ? kF2 | k0F | 0x11 : k0F | 0x11, src, dst);
  }
  // MOVD, MOVQ between the files.
  void ToVector(unsigned size, Register dst, Register src) {
    Rr(Wide(k66 | k0F | 0x6e, size), dst, src);
  }
  void FromVector(unsigned size, Register dst, Register src) {
    Rr(Wide(k66 | k0F | 0x7e, size), src, dst);
  }

  // ---- Control flow. Distances are filled in later ----
  void Jmp(uint32_t label) {
    Byte(0xe9);
    Distance(RipTarget::kLabel, label, 0);
  }
  void Jcc(Cond cond, uint32_t label) {
    Byte(0x0f);
    Byte(0x80 | static_cast<uint8_t>(cond));
    Distance(RipTarget::kLabel, label, 0);
  }
  void JmpR(Register reg) { Group(0xff, 4, reg); }
  void CallR(Register reg) { Group(0xff, 2, reg); }
  void CallM(const Mem& mem) { Rm(0xff, static_cast<Register>(2), mem); }
  void CallSymbol(uint32_t symbol) {
    Byte(0xe8);
    Distance(RipTarget::kSymbol, symbol, 0);
  }
  void Leave() { Byte(0xc9); }
  void Ret() { Byte(0xc3); }
  void Ud2() {
    Byte(0x0f);
    Byte(0x0b);
  }
  void Endbr() { Immediate(0xfa1e0ff3, 4); }
  void Int3() { Byte(0xcc); }
  void Mfence() { Immediate(0xf0ae0f, 3); }
  void RepMovsb() { Immediate(0xa4f3, 2); }

  // Of the operation on bytes, words, dwords, qwords whose opcode for bytes is `op`; the operands
  // in both fields are of this size.
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
  // Of one that has no form for bytes.
  static Op Wide(Op op, unsigned size) { return size == 8 ? op | kW : size == 2 ? op | k66 : op; }

 private:
  void Group(Op op, unsigned extension, Register rm) {
    Rr(op & ~kByteReg, static_cast<Register>(extension), rm);
  }
  void Distance(RipTarget kind, uint32_t target, unsigned immediate, int32_t disp = 0) {
    fixups_.push_back({static_cast<uint32_t>(code_.size()), kind, target,
                       disp - 4 - static_cast<int32_t>(immediate)});
    code_.Number(0, 4);
  }
  uint8_t* Prefixes(uint8_t* out, Op op, unsigned rex);
  uint8_t* Opcode(uint8_t* out, Op op);

  CodeBuffer code_;
  std::vector<RipFixup> fixups_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_ASSEMBLER_X86_64_H_
