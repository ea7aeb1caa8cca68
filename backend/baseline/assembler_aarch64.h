// Encodes AArch64 instructions into a buffer (Arm Architecture Reference Manual for A-profile,
// C4 and C6 and C7).
//
// If no instruction can encode an address, the assembler computes it in kAddressScratch. If a value
// is no immediate, the assembler makes it in kValueScratch. FloatRm uses kVectorValueScratch, and
// AluMi may. Callers never pass these three registers to the methods of Assembler.
//
// The stack pointer may be: either side of Mov; the base of an address; the first operand of AluRr,
// AluRm and AluRi of kAdd, kSub or kCmp (then kAdd and kSub leave the flags unchanged); the first
// operand of AluRi of kAnd; an operand of AddWide and SubWide. Elsewhere its number means the zero
// register.
//
// Thread-compatible; reused from function to function to keep its memory.

#ifndef FIRSTCALL_BACKEND_BASELINE_ASSEMBLER_AARCH64_H_
#define FIRSTCALL_BACKEND_BASELINE_ASSEMBLER_AARCH64_H_

#include <cstdint>

#include "backend/baseline/assembler.h"
#include "backend/baseline/registers.h"
#include "backend/baseline/registers_aarch64.h"
#include "object/compiled_code.h"

namespace firstcall::baseline::aarch64 {

// The operation on the old value and the operand.
enum class AtomicOp : uint8_t {
  kAdd,
  kClear,  // old & ~operand
  kXor,
  kSet,  // old | operand
  kSignedMax,
  kSignedMin,
  kUnsignedMax,
  kUnsignedMin,
};

// Numbered as FRINT<x> encodes them.
enum class Rounding : uint8_t {
  kToNearestEven,
  kUp,
  kDown,
  kToZero,
  kAway,              // To the nearest, ties away from zero.
  kCurrentExact = 6,  // By the current mode. Raises the exception "inexact".
  kCurrent = 7,
};

enum class FloatTest : uint8_t { kEqual, kGreater, kGreaterEqual };

class AssemblerAArch64 final : public Assembler {
 public:
  // Must be true if the function may be larger than 1 MiB. Then conditional branches reach 128 MiB,
  // and references to the pool and to the code reach 4 GiB, by relocations. Must be set before a
  // function is emitted; Clear() keeps the setting.
  void set_is_large(bool is_large) { is_large_ = is_large; }

  bool Resolve(const CodeLayout& layout, CompiledCode& code) const override;

  // ---- Integers. kOr and kXor in registers leave the flags unchanged ----
  void AluRr(Alu alu, unsigned size, Register dst, Register src) override;
  void AluRm(Alu alu, unsigned size, Register dst, const Mem& src) override;
  void AluRi(Alu alu, unsigned size, Register dst, int32_t immediate) override;
  void AluMr(Alu alu, unsigned size, const Mem& dst, Register src) override;
  void AluMi(Alu alu, unsigned size, const Mem& dst, int32_t immediate) override;
  void CompareWithZero(unsigned size, Register reg) override;
  void TestRi(unsigned size, Register reg, int32_t bits) override;
  void ShiftRi(Shift shift, unsigned size, Register dst, uint8_t count) override;
  void ShiftRr(Shift shift, unsigned size, Register dst, Register count) override;
  void Negate(unsigned size, Register reg) override {
    Rrr(0x6b000000 | Wide(size), reg, kZero, reg);
  }
  void Not(unsigned size, Register reg) override { Rrr(0x2a200000 | Wide(size), reg, kZero, reg); }
  void MultiplyRr(unsigned size, Register dst, Register src) override {
    Multiply(size, dst, dst, src);
  }
  void MultiplyRm(unsigned size, Register dst, const Mem& src) override;
  void MultiplyRri(unsigned size, Register dst, Register src, int32_t immediate) override;
  void SwapBytes(unsigned size, Register reg) override {
    Rr(size == 8 ? 0xdac00c00 : 0x5ac00800, reg, reg);
  }
  void Set(Cond cond, Register dst) override {
    Emit(0x1a9f07e0 | (Code(cond) ^ 1) << 12 | Number(dst));
  }
  void Select(Cond cond, unsigned size, Register dst, Register src) override {
    SelectInto(size, cond, dst, src, dst);
  }

  void Multiply(unsigned size, Register dst, Register a, Register b) {
    MultiplyAdd(size, dst, a, b, kZero);
  }
  // MultiplyAdd: addend + a * b. MultiplySubtract: minuend - a * b.
  void MultiplyAdd(unsigned size, Register dst, Register a, Register b, Register addend) {
    Rrr(0x1b000000 | Wide(size) | Number(addend) << 10, dst, a, b);
  }
  void MultiplySubtract(unsigned size, Register dst, Register a, Register b, Register minuend) {
    Rrr(0x1b008000 | Wide(size) | Number(minuend) << 10, dst, a, b);
  }
  // The upper 8 bytes of the product of two 8-byte integers.
  void SignedMultiplyHigh(Register dst, Register a, Register b) { Rrr(0x9b407c00, dst, a, b); }
  void UnsignedMultiplyHigh(Register dst, Register a, Register b) { Rrr(0x9bc07c00, dst, a, b); }
  // The 8-byte product of two 4-byte integers.
  void SignedMultiplyLong(Register dst, Register a, Register b) { Rrr(0x9b207c00, dst, a, b); }
  void UnsignedMultiplyLong(Register dst, Register a, Register b) { Rrr(0x9ba07c00, dst, a, b); }
  // Division by zero gives 0.
  void SignedDivide(unsigned size, Register dst, Register a, Register b) {
    Rrr(0x1ac00c00 | Wide(size), dst, a, b);
  }
  void UnsignedDivide(unsigned size, Register dst, Register a, Register b) {
    Rrr(0x1ac00800 | Wide(size), dst, a, b);
  }
  // The lower half of high:low >> count.
  void Extract(unsigned size, Register dst, Register high, Register low, unsigned count) {
    Rrr((size == 8 ? 0x93c00000 : 0x13800000) | count << 10, dst, high, low);
  }
  void CountLeadingZeros(unsigned size, Register dst, Register src) {
    Rr(0x5ac01000 | Wide(size), dst, src);
  }
  void ReverseBits(unsigned size, Register dst, Register src) {
    Rr(0x5ac00000 | Wide(size), dst, src);
  }
  // Compares a with b shifted by `count`. `shift` is kShl, kShr or kSar.
  void CompareShifted(unsigned size, Register a, Register b, Shift shift, unsigned count) {
    const uint32_t type = shift == Shift::kShl ? 0 : shift == Shift::kShr ? 1 : 2;
    Rrr(0x6b000000 | Wide(size) | type << 22 | count << 10, kZero, a, b);
  }
  // Compares a with the lowest `from` bytes of b, extended.
  void CompareExtended(unsigned size, Register a, Register b, bool is_signed, unsigned from) {
    const uint32_t type = (is_signed ? 4 : 0) | Logarithm(from);
    Rrr(0x6b200000 | Wide(size) | type << 13, kZero, a, b);
  }
  void SelectInto(unsigned size, Cond cond, Register dst, Register if_true, Register if_false) {
    Rrr(0x1a800000 | Wide(size) | Code(cond) << 12, dst, if_true, if_false);
  }
  // src + value and src - value in 8 bytes; value < 2^24. The flags stay unchanged. If the result
  // would change nothing, emits no instruction.
  void AddWide(Register dst, Register src, uint32_t value) {
    AddPieces(0x91000000, dst, src, value);
  }
  void SubWide(Register dst, Register src, uint32_t value) {
    AddPieces(0xd1000000, dst, src, value);
  }

  // ---- Moves ----
  void Mov(unsigned size, Register dst, Register src) override {
    if (dst == kStackPointer || src == kStackPointer) return Rr(0x11000000 | Wide(size), dst, src);
    Rrr(0x2a000000 | Wide(size), dst, kZero, src);
  }
  void MovImmediate(Register dst, uint64_t value, bool may_change_flags) override;
  void Load(unsigned size, Register dst, const Mem& src) override;
  void LoadSigned(unsigned from, unsigned to, Register dst, const Mem& src) override;
  void Store(unsigned size, const Mem& dst, Register src) override;
  void StoreImmediate(unsigned size, const Mem& dst, int32_t value) override;
  void ZeroExtend(unsigned from, Register dst, Register src) override {
    if (from == 4) return Mov(4, dst, src);
    BitField(0x53000000, 4, dst, src, 0, 8 * from - 1);
  }
  void SignExtend(unsigned from, unsigned to, Register dst, Register src) override {
    BitField(0x13000000, to, dst, src, 0, 8 * from - 1);
  }
  void Lea(Register dst, const Mem& src) override;
  void Lea32(Register dst, const Mem& src) override;

  // Load and store two general registers, or the lowest 8 bytes of two vector registers, at
  // base + disp and base + disp + 8. `disp` is a multiple of 8 from -512 to 504.
  void LoadPair(Register a, Register b, Register base, int32_t disp) {
    Pair(IsVector(a) ? 0x6d400000 : 0xa9400000, a, b, base, disp);
  }
  void StorePair(Register a, Register b, Register base, int32_t disp) {
    Pair(IsVector(a) ? 0x6d000000 : 0xa9000000, a, b, base, disp);
  }

  // ---- Atomic accesses of 1, 2, 4 or 8 bytes at the address in `base` ----
  void LoadAcquire(unsigned size, Register dst, Register base) {
    Rr(0x08dffc00 | SizeField(size), dst, base);
  }
  void StoreRelease(unsigned size, Register src, Register base) {
    Rr(0x089ffc00 | SizeField(size), src, base);
  }
  // With acquire and release semantics. `status` becomes 0 if `src` was stored.
  void LoadExclusive(unsigned size, Register dst, Register base) {
    Rr(0x085ffc00 | SizeField(size), dst, base);
  }
  void StoreExclusive(unsigned size, Register status, Register src, Register base) {
    Rrr(0x0800fc00 | SizeField(size), src, base, status);
  }
  // The same of 16 bytes.
  void LoadExclusivePair(Register low, Register high, Register base) {
    Rr(0xc87f8000 | Number(high) << 10, low, base);
  }
  void StoreExclusivePair(Register status, Register low, Register high, Register base) {
    Rrr(0xc8208000 | Number(high) << 10, low, base, status);
  }
  // Armv8.1 instructions, sequentially consistent. Zero-extend the old value to at least 4 bytes.
  void Swap(unsigned size, Register old_dst, Register src, Register base) {
    Rrr(0x38e08000 | SizeField(size), old_dst, base, src);
  }
  void AtomicUpdate(AtomicOp op, unsigned size, Register old_dst, Register src, Register base) {
    Rrr(0x38e00000 | SizeField(size) | static_cast<uint32_t>(op) << 12, old_dst, base, src);
  }
  void CompareAndSwap(unsigned size, Register expected_and_old, Register src, Register base) {
    Rrr(0x08e0fc00 | SizeField(size), src, base, expected_and_old);
  }
  // A barrier among the threads of the program: orders all accesses or, if `loads_only`, earlier
  // loads with all later accesses.
  void DataBarrier(bool loads_only) { Emit(loads_only ? 0xd50339bf : 0xd5033bbf); }

  // ---- Vector registers ----
  void VectorMov(Register dst, Register src) override { Rrr(0x4ea01c00, dst, src, src); }
  void VectorZero(Register dst) override { Emit(0x6f00e400 | Number(dst)); }
  void VectorLoad(unsigned size, Register dst, const Mem& src) override;
  void VectorStore(unsigned size, const Mem& dst, Register src) override;
  void ToVector(unsigned size, Register dst, Register src) override {
    Rr(size == 8 ? 0x9e670000 : 0x1e270000, dst, src);
  }
  void FromVector(unsigned size, Register dst, Register src) override {
    Rr(size == 8 ? 0x9e660000 : 0x1e260000, dst, src);
  }
  void FloatRr(FloatOp op, FloatKind kind, Register dst, Register src) override;
  void FloatRm(FloatOp op, FloatKind kind, Register dst, const Mem& src) override;
  void LanesMultiplyAdd(FloatKind kind, Register dst, Register factor, Register summand) override;
  void ConvertFloat(bool to_double, Register dst, Register src) override {
    Rr(to_double ? 0x1e22c000 : 0x1e624000, dst, src);
  }
  void IntegerToFloat(unsigned size, bool is_double, Register dst, Register src) override {
    Rr(0x1e220000 | Wide(size) | Double(is_double), dst, src);
  }
  void HalfToFloat(Register dst, Register src) { Rr(0x1ee24000, dst, src); }
  void FloatToHalf(bool from_double, Register dst, Register src) {
    Rr(from_double ? 0x1e63c000 : 0x1e23c000, dst, src);
  }
  void FloatToInteger(unsigned size, bool is_double, Register dst, Register src) override {
    Rr(0x1e380000 | Wide(size) | Double(is_double), dst, src);
  }
  void UnsignedToFloat(unsigned size, bool is_double, Register dst, Register src) {
    Rr(0x1e230000 | Wide(size) | Double(is_double), dst, src);
  }
  void FloatToUnsigned(unsigned size, bool is_double, Register dst, Register src) {
    Rr(0x1e390000 | Wide(size) | Double(is_double), dst, src);
  }
  void LanesRr(LaneOp op, unsigned lane_size, Register dst, Register src) override;

  void FloatNegate(FloatKind kind, Register dst, Register src) {
    Rr(OfKind(kind, 0x1e214000, 0x6ea0f800), dst, src);
  }
  void FloatAbsolute(FloatKind kind, Register dst, Register src) {
    Rr(OfKind(kind, 0x1e20c000, 0x4ea0f800), dst, src);
  }
  void FloatSquareRoot(FloatKind kind, Register dst, Register src) {
    Rr(OfKind(kind, 0x1e21c000, 0x6ea1f800), dst, src);
  }
  // Rounds to an integral value, which stays a float or double.
  void FloatRound(Rounding rounding, bool is_double, Register dst, Register src) {
    Rr(0x1e244000 | Double(is_double) | static_cast<uint32_t>(rounding) << 15, dst, src);
  }
  // addend + a * b, rounded once.
  void FloatMultiplyAdd(bool is_double, Register dst, Register a, Register b, Register addend) {
    Rrr(0x1f000000 | Double(is_double) | Number(addend) << 10, dst, a, b);
  }
  // If one operand is a quiet NaN, the result is the other.
  void FloatMinimumNumber(bool is_double, Register dst, Register a, Register b) {
    Rrr(0x1e207800 | Double(is_double), dst, a, b);
  }
  void FloatMaximumNumber(bool is_double, Register dst, Register a, Register b) {
    Rrr(0x1e206800 | Double(is_double), dst, a, b);
  }
  // FCMP; FCMPE if any NaN raises an exception.
  void FloatCompare(bool is_double, Register a, Register b, bool is_signaling = false) {
    constexpr uint32_t kSignaling = 1 << 4;
    Emit(0x1e202000 | Double(is_double) | Number(b) << 16 | Number(a) << 5 |
         (is_signaling ? kSignaling : 0));
  }
  bool FloatImmediate(bool is_double, Register dst, uint64_t bits) override;

  // All bits of a lane become 1 if the test holds in the lane, otherwise 0.
  void VectorFloatCompare(FloatTest test, bool is_double, Register dst, Register a, Register b);
  void VectorNot(Register dst, Register src) { Rr(0x6e205800, dst, src); }
  // Where a bit of dst_mask is 1: the bit of if_true. Elsewhere: the bit of if_false.
  void VectorSelect(Register dst_mask, Register if_true, Register if_false) {
    Rrr(0x6e601c00, dst_mask, if_true, if_false);
  }
  // Counts the set bits in each of the lowest 8 bytes.
  void CountBits8(Register dst, Register src) { Rr(0x0e205800, dst, src); }
  // AddAcross: the sum of all lanes of 1, 2 or 4 bytes. AddAcross8: the sum of the lowest 8 bytes.
  void AddAcross(unsigned lane_size, Register dst, Register src) {
    Rr(0x4e31b800 | Lane(lane_size), dst, src);
  }
  void AddAcross8(Register dst, Register src) { Rr(0x0e31b800, dst, src); }
  // The sums of neighbouring lanes: first those of a, then those of b.
  void AddPairs(unsigned lane_size, Register dst, Register a, Register b) {
    Rrr(0x4e20bc00 | Lane(lane_size), dst, a, b);
  }
  // FromLane zero-extends the lane.
  void FromLane(unsigned lane_size, unsigned lane, Register dst_general, Register src) {
    Rr((lane_size == 8 ? 0x4e003c00 : 0x0e003c00) | LaneNumber(lane_size, lane), dst_general, src);
  }
  void ToLane(unsigned lane_size, unsigned lane, Register dst, Register src_general) {
    Rr(0x4e001c00 | LaneNumber(lane_size, lane), dst, src_general);
  }
  // The lower lanes of a and b alternately, a's first.
  void InterleaveLow(unsigned lane_size, Register dst, Register a, Register b) {
    Rrr(0x4e003800 | Lane(lane_size), dst, a, b);
  }

  // ---- Control flow ----
  void Jmp(uint32_t label) override;
  void Jcc(Cond cond, uint32_t label) override;
  void Nops(uint32_t bytes) override {
    for (uint32_t i = 0; i < bytes; i += 4) Emit(0xd503201f);
  }
  // Jumps if the 4 or 8 bytes of `reg` are not zero.
  void CompareBranchNonZero(unsigned size, Register reg, uint32_t label);
  // Removes the Jmp that was emitted last.
  void DropLastJump() {
    code_.AdvanceTo(code_.At(code_.size() - 4));
    fixups_.pop_back();
  }
  void JmpR(Register reg) override { Emit(0xd61f0000 | Number(reg) << 5); }
  // Calls the resolver of the thread-local symbol's descriptor, which changes x0 only: to the
  // variable's distance from the thread pointer.
  void CallDescriptor(uint32_t symbol);
  void AddThreadPointer(Register dst);
  void CallR(Register reg) override { Emit(0xd63f0000 | Number(reg) << 5); }
  void CallM(const Mem& mem) override;
  void CallSymbol(uint32_t symbol) override;
  void Ret() { Emit(0xd65f03c0); }
  void Trap() override { Emit(0xd4200020); }
  void Breakpoint() override { Emit(0xd43e0000); }
  void LandingMark() override { BranchTarget(/*call=*/false, /*jump=*/true); }
  // Marks a place to which indirect calls, indirect jumps or both may lead.
  void BranchTarget(bool call, bool jump) {
    Emit(0xd503241f | (call ? 0x40 : 0) | (jump ? 0x80 : 0));
  }
  // Sign and authenticate the link register, with the stack pointer as modifier.
  void SignReturnAddress() { Emit(0xd503233f); }
  void AuthenticateReturnAddress() { Emit(0xd50323bf); }
  void Nop() { Emit(0xd503201f); }

 private:
  static constexpr Register kZero = X(31);  // In other instructions: kStackPointer.

  static uint32_t Number(Register reg) { return reg & 31; }
  static uint32_t Wide(unsigned size) { return size == 8 ? 0x80000000 : 0; }
  static uint32_t Double(bool is_double) { return is_double ? 0x400000 : 0; }
  static uint32_t Logarithm(unsigned size) { return __builtin_ctz(size); }
  static uint32_t SizeField(unsigned size) { return Logarithm(size) << 30; }
  static uint32_t Lane(unsigned lane_size) { return Logarithm(lane_size) << 22; }
  static uint32_t LaneNumber(unsigned lane_size, unsigned lane) {
    return (2 * lane + 1) << (16 + Logarithm(lane_size));
  }
  static uint32_t OfKind(FloatKind kind, uint32_t scalar, uint32_t vector) {
    const bool is_double = kind == FloatKind::kDouble || kind == FloatKind::kDoubles;
    return (kind >= FloatKind::kFloats ? vector : scalar) | Double(is_double);
  }
  static uint32_t Code(Cond cond);

  void Emit(uint32_t word) { code_.Number(word, 4); }
  void Rr(uint32_t op, Register d, Register n) { Emit(op | Number(n) << 5 | Number(d)); }
  void Rrr(uint32_t op, Register d, Register n, Register m) {
    Emit(op | Number(m) << 16 | Number(n) << 5 | Number(d));
  }
  // Emits SBFM or UBFM.
  void BitField(uint32_t op, unsigned size, Register dst, Register src, unsigned immr,
                unsigned imms) {
    Rr(op | (size == 8 ? 0x80400000 : 0) | immr << 16 | imms << 10, dst, src);
  }
  void Pair(uint32_t op, Register a, Register b, Register base, int32_t disp) {
    Emit(op | (static_cast<uint32_t>(disp) >> 3 & 0x7f) << 15 | Number(b) << 10 |
         Number(base) << 5 | Number(a));
  }
  void Refer(RelativeTo kind, uint8_t form, uint32_t target, int32_t addend, uint32_t word);

  void Constant(Register dst, uint64_t value);
  bool AluEncodable(Alu alu, unsigned size, Register dst, int32_t immediate);
  void ResultFlags(Alu alu, unsigned size);
  void AddPieces(uint32_t op, Register dst, Register src, uint32_t value);
  void AddConstant(unsigned size, Register dst, Register src, int32_t value);
  void AddIndex(unsigned size, Register dst, const Mem& mem, Register base);
  void Sum(unsigned size, Register dst, const Mem& mem);
  void RelativeAddress(Register dst, const Mem& mem);

  bool IsLiteral(const Mem& mem) const;
  void Literal(uint32_t op, Register dst, const Mem& mem);
  void Access(uint32_t op, unsigned scale, Register data, const Mem& mem);
  uint32_t Address(const Mem& mem, unsigned scale);
  uint32_t FarAddress(Register base, int32_t disp, unsigned scale);
  uint32_t ComputedAddress(const Mem& mem, unsigned scale);

  bool is_large_ = false;
};

}  // namespace firstcall::baseline::aarch64

#endif  // FIRSTCALL_BACKEND_BASELINE_ASSEMBLER_AARCH64_H_
