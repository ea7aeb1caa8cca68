// The instructions that the architecture-independent part of the code generator uses. Each
// architecture's assembler encodes them: as one instruction if the architecture has it, otherwise
// as a short sequence.
//
// Operations have two operands, as on x86-64; the result replaces the first. An operand in memory
// may be any Mem. If an assembler needs a register for a Mem's address or value, it uses a register
// of its own, which no other code uses. `size` is the operation's size in bytes. An operation on 4
// bytes clears the upper bytes of the result register.
//
// Flags: AluXx (kOr and kXor in registers only where Architecture::bitwise_sets_flags),
// CompareWithZero, TestRi and Negate set them. Moves, loads, stores, conversions and
// everything else on vector registers, Select, Set, Not and MovImmediate (unless it may change
// them) leave the flags unchanged. Other instructions may change the flags.
//
// Thread-compatible; reused from function to function to keep its memory. Tested with each
// architecture's assembler in tests/baseline/assembler_<architecture>_test.cc.

#ifndef FIRSTCALL_BACKEND_BASELINE_ASSEMBLER_H_
#define FIRSTCALL_BACKEND_BASELINE_ASSEMBLER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "backend/baseline/code_buffer.h"
#include "backend/baseline/registers.h"
#include "object/compiled_code.h"

namespace firstcall::baseline {

// The base of an operand's address, if the base is not a register.
enum class RelativeTo : uint8_t {
  kNothing,
  kLabel,
  kPool,        // The beginning of the pool (pool.h) plus `target`.
  kSymbol,      // A symbol within reach (LoweringOptions::is_near).
  kDescriptor,  // The descriptor of a thread-local variable, which the linker makes.
  kIncoming,    // The incoming arguments on the stack, if their distance from the frame
                // pointer is not known yet.
};

// An operand in memory: base + (index << scale) + disp. If `relative_to` is set: disp + the address
// of number `target` of that kind.
struct Mem {
  Register base = kNoRegister;
  Register index = kNoRegister;
  uint8_t scale = 0;  // The logarithm of the factor: 0 to 3.
  RelativeTo relative_to = RelativeTo::kNothing;
  int32_t disp = 0;
  uint32_t target = 0;

  static Mem At(Register base, int32_t disp = 0) {
    Mem mem;
    mem.base = base;
    mem.disp = disp;
    return mem;
  }
  static Mem Relative(RelativeTo kind, uint32_t target, int32_t disp = 0) {
    Mem mem;
    mem.relative_to = kind;
    mem.target = target;
    mem.disp = disp;
    return mem;
  }
  Mem Plus(int32_t distance) const {
    Mem mem = *this;
    mem.disp += distance;
    return mem;
  }
  // Whether the address is a register and nothing else.
  bool IsBase() const {
    return relative_to == RelativeTo::kNothing && index == kNoRegister && disp == 0;
  }
};

// A place in the code that has to be completed when the address of its target is known.
struct Fixup {
  uint32_t offset;
  RelativeTo relative_to;
  uint8_t form;  // The form of the instruction; each assembler defines its own.
  uint32_t target;
  int32_t addend;
};

// The layout of a function's finished code.
struct CodeLayout {
  uint32_t begin;                       // Offset of the function in the assembler's buffer.
  uint32_t pool;                        // Offset of the pool in the function.
  const std::vector<uint32_t>& labels;  // Their offsets in the assembler's buffer.
  int64_t incoming;  // Distance of the incoming arguments from the frame pointer.
};

// Numbered as x86-64 encodes them.
enum class Alu : uint8_t { kAdd, kOr, kAdc, kSbb, kAnd, kSub, kXor, kCmp };
enum class Shift : uint8_t { kRol = 0, kRor = 1, kShl = 4, kShr = 5, kSar = 7 };

// Conditions on the flags. Conditions that x86-64 has are numbered as x86-64 encodes them. A
// condition and its opposite differ in the lowest bit.
enum class Cond : uint8_t {
  kO,  // Signed overflow; on AArch64 also: floating-point numbers are unordered.
  kNo,
  kB,  // Unsigned less than, after a comparison or a subtraction.
  kAe,
  kE,
  kNe,
  kBe,
  kA,
  kS,  // The result is negative.
  kNs,
  kP,  // On x86-64 only: floating-point numbers are unordered.
  kNp,
  kL,
  kGe,
  kLe,
  kG,
};
constexpr Cond Negate(Cond cond) { return static_cast<Cond>(static_cast<uint8_t>(cond) ^ 1); }

enum class FloatOp : uint8_t { kAdd, kSub, kMul, kDiv };
// One float or double in the lowest bytes of a vector register, or a whole register of them.
enum class FloatKind : uint8_t { kFloat, kDouble, kFloats, kDoubles };
// Operations on all lanes of a vector register.
enum class LaneOp : uint8_t { kAdd, kSub, kAnd, kOr, kXor };

class Assembler {
 public:
  virtual ~Assembler() = default;

  void Clear() {
    code_.Clear();
    fixups_.clear();
  }
  size_t size() const { return code_.size(); }
  CodeBuffer& buffer() { return code_; }
  const std::vector<Fixup>& fixups() const { return fixups_; }
  void Immediate(int64_t value, unsigned bytes) { code_.Number(value, bytes); }
  // Says where the labels are (Labels::offsets), so that jumps back may be shorter. `labels` must
  // outlive the assembler's use.
  void set_labels(const std::vector<uint32_t>* labels) { labels_ = labels; }

  // Completes the function's code at the beginning of section 0 of `code`. Adds relocations for
  // what cannot be completed; symbol number n of the assembler is symbol n + 1 of `code`. False if
  // a target is out of reach.
  virtual bool Resolve(const CodeLayout& layout, CompiledCode& code) const = 0;

  // ---- Integers of 4 or 8 bytes ----
  // Where Architecture::has_narrow_operations, `size` may also be 1 or 2. Elsewhere, AluMr and
  // AluMi may have size 1 or 2: they update memory and set the flags for the result, and AluMi of
  // kCmp compares for equality. On all architectures, AluRm of kOr may have size 1 or 2; then it
  // leaves the bytes above unchanged. kCmp changes only the flags. kAdc and kSbb need the flags of
  // kAdd and kSub, or of a preceding kAdc and kSbb.
  virtual void AluRr(Alu alu, unsigned size, Register dst, Register src) = 0;
  virtual void AluRm(Alu alu, unsigned size, Register dst, const Mem& src) = 0;
  virtual void AluRi(Alu alu, unsigned size, Register dst, int32_t immediate) = 0;
  virtual void AluMr(Alu alu, unsigned size, const Mem& dst, Register src) = 0;
  virtual void AluMi(Alu alu, unsigned size, const Mem& dst, int32_t immediate) = 0;
  // Sets the flags as AluRi(Alu::kCmp, size, reg, 0) does. Where there are no narrow operations, a
  // size of 1 or 2 is valid only for kE and kNe.
  virtual void CompareWithZero(unsigned size, Register reg) = 0;
  // Sets the flags so that kE means: none of `bits` is set in `reg`. `size` is 1, 2, 4 or 8. Only
  // kE and kNe are valid.
  virtual void TestRi(unsigned size, Register reg, int32_t bits) = 0;
  virtual void ShiftRi(Shift shift, unsigned size, Register dst, uint8_t count) = 0;
  // Shifts by the count modulo 8 * size. If Architecture::shift_count is a register, `count` must
  // be that register.
  virtual void ShiftRr(Shift shift, unsigned size, Register dst, Register count) = 0;
  virtual void Negate(unsigned size, Register reg) = 0;
  virtual void Not(unsigned size, Register reg) = 0;
  virtual void MultiplyRr(unsigned size, Register dst, Register src) = 0;
  virtual void MultiplyRm(unsigned size, Register dst, const Mem& src) = 0;
  virtual void MultiplyRri(unsigned size, Register dst, Register src, int32_t immediate) = 0;
  virtual void SwapBytes(unsigned size, Register reg) = 0;
  // Sets the lowest byte to 1 or 0. The other bytes are unspecified.
  virtual void Set(Cond cond, Register dst) = 0;
  // dst = cond ? src : dst
  virtual void Select(Cond cond, unsigned size, Register dst, Register src) = 0;

  // ---- Moves ----
  // Moves 4 or 8 bytes between general registers.
  virtual void Mov(unsigned size, Register dst, Register src) = 0;
  // Moves the whole register to another one of its kind, unless both are the same.
  void MoveWhole(Register dst, Register src) {
    if (dst == src) return;
    IsVector(dst) ? VectorMov(dst, src) : Mov(8, dst, src);
  }
  // `value` may be any constant. Changes the flags only if `may_change_flags`.
  virtual void MovImmediate(Register dst, uint64_t value, bool may_change_flags) = 0;
  // A zero-extending load of 1, 2, 4 or 8 bytes.
  virtual void Load(unsigned size, Register dst, const Mem& src) = 0;
  virtual void LoadSigned(unsigned from, unsigned to, Register dst, const Mem& src) = 0;
  virtual void Store(unsigned size, const Mem& dst, Register src) = 0;
  // Stores the sign-extended immediate.
  virtual void StoreImmediate(unsigned size, const Mem& dst, int32_t value) = 0;
  // Zero-extends the lowest 1, 2 or 4 bytes.
  virtual void ZeroExtend(unsigned from, Register dst, Register src) = 0;
  virtual void SignExtend(unsigned from, unsigned to, Register dst, Register src) = 0;
  // Lea computes the address, Lea32 its lower 4 bytes.
  virtual void Lea(Register dst, const Mem& src) = 0;
  virtual void Lea32(Register dst, const Mem& src) = 0;

  // ---- Vector registers ----
  // Moves the whole register.
  virtual void VectorMov(Register dst, Register src) = 0;
  virtual void VectorZero(Register dst) = 0;
  // Loads 2, 4, 8 or 16 bytes. After a load of 2 bytes the bytes above are unspecified; after a
  // load of 4 or 8 they are zero.
  virtual void VectorLoad(unsigned size, Register dst, const Mem& src) = 0;
  // A store of 2 bytes may clobber Architecture::scratch, which must not be part of the address.
  virtual void VectorStore(unsigned size, const Mem& dst, Register src) = 0;
  // Loads the float or double with these bits in one instruction. If there is no such instruction:
  // returns false and emits nothing.
  virtual bool FloatImmediate(bool is_double, Register dst, uint64_t bits) {
    (void)is_double, (void)dst, (void)bits;
    return false;
  }
  // Move the lowest 4 or 8 bytes between a general and a vector register.
  virtual void ToVector(unsigned size, Register dst, Register src) = 0;
  virtual void FromVector(unsigned size, Register dst, Register src) = 0;
  virtual void FloatRr(FloatOp op, FloatKind kind, Register dst, Register src) = 0;
  // `kind` is kFloat or kDouble.
  virtual void FloatRm(FloatOp op, FloatKind kind, Register dst, const Mem& src) = 0;
  // dst * factor + summand for vectors of floats or doubles: fused exactly where llvm.fmuladd of
  // scalars is. May change the vector scratch register.
  virtual void LanesMultiplyAdd(FloatKind kind, Register dst, Register factor,
                                Register summand) = 0;
  // Converts a float to a double, or back.
  virtual void ConvertFloat(bool to_double, Register dst, Register src) = 0;
  // Convert a signed integer of `size` bytes, 4 or 8, to a float or a double, and back.
  // FloatToInteger truncates; if the result does not fit, it is unspecified.
  virtual void IntegerToFloat(unsigned size, bool is_double, Register dst, Register src) = 0;
  virtual void FloatToInteger(unsigned size, bool is_double, Register dst, Register src) = 0;
  // Operates on integers of `lane_size` bytes in all 16 bytes.
  virtual void LanesRr(LaneOp op, unsigned lane_size, Register dst, Register src) = 0;

  // ---- Control flow ----
  virtual void Jmp(uint32_t label) = 0;
  virtual void Jcc(Cond cond, uint32_t label) = 0;
  virtual void JmpR(Register reg) = 0;
  virtual void CallR(Register reg) = 0;
  // Calls the function whose address is in memory at `mem`.
  virtual void CallM(const Mem& mem) = 0;
  // Calls a symbol within reach.
  virtual void CallSymbol(uint32_t symbol) = 0;
  // Ends the program by a signal.
  virtual void Trap() = 0;
  virtual void Breakpoint() = 0;
  // Marks a place to which indirect jumps may lead, in code with branch protection.
  virtual void LandingMark() = 0;
  // Instructions that do nothing, `bytes` bytes of them: a multiple of an instruction's least size.
  virtual void Nops(uint32_t bytes) = 0;

 protected:
  // The offset of `label` in the buffer; UINT32_MAX if it is not known yet.
  uint32_t OffsetOf(uint32_t label) const {
    return labels_ == nullptr ? UINT32_MAX : (*labels_)[label];
  }

  CodeBuffer code_;
  std::vector<Fixup> fixups_;

 private:
  const std::vector<uint32_t>* labels_ = nullptr;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BACKEND_BASELINE_ASSEMBLER_H_
