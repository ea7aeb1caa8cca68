// The instructions that the shared part of the code generator uses, which each architecture's
// assembler encodes: one instruction if the architecture has it, otherwise a short sequence.
//
// Operations have two operands, of which the first is the result, as on x86-64. An operand in
// memory may be any Mem; an assembler that needs a register for its address or its value has one
// that nobody else uses. `size` is that of the operation in bytes; the upper bytes of a register in
// which 4 bytes were computed are zero.
//
// Flags: AluXx (kOr and kXor in registers only where Architecture::bitwise_sets_flags),
// CompareWithZero, TestRi and Negate set them. Moves, loads, stores, conversions and
// everything else on vector registers, Select, Set, Not and MovImmediate (see there) leave them
// alone. Others may change them.
//
// Thread-compatible; kept from function to function for its memory. Tested with each architecture's
// assembler in tests/baseline/assembler_<architecture>_test.cc.

#ifndef FIRSTCALL_BASELINE_ASSEMBLER_H_
#define FIRSTCALL_BASELINE_ASSEMBLER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "baseline/code_buffer.h"
#include "baseline/registers.h"
#include "code/compiled_code.h"

namespace firstcall::baseline {

// What the address of an operand is relative to, if that is no register.
enum class RelativeTo : uint8_t {
  kNothing,
  kLabel,
  kPool,      // The beginning of the pool (pool.h) plus `target`.
  kSymbol,    // Within reach: see LoweringOptions::is_near.
  kIncoming,  // The arguments on the stack; only where no register knows where they are.
};

// An operand in memory: base + index << scale + disp; or, if `relative_to` is set, the place number
// `target` of that kind + disp.
struct Mem {
  Register base = kNoRegister;
  Register index = kNoRegister;
  uint8_t scale = 0;  // The logarithm: 0 to 3.
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
  // Whether it is a register and nothing else.
  bool IsBase() const {
    return relative_to == RelativeTo::kNothing && index == kNoRegister && disp == 0;
  }
};

// A place in the code that has to be completed when its target has a place.
struct Fixup {
  uint32_t offset;
  RelativeTo relative_to;
  uint8_t form;  // What is there; each assembler has its own.
  uint32_t target;
  int32_t addend;
};

// Where everything of a function has come to lie.
struct CodeLayout {
  uint32_t begin;                       // Of the function in the assembler's buffer.
  uint32_t pool;                        // Of the pool in the function.
  const std::vector<uint32_t>& labels;  // In the assembler's buffer.
  int64_t incoming;                     // The arguments on the stack: from the frame pointer.
};

// Numbered as x86-64 encodes them.
enum class Alu : uint8_t { kAdd, kOr, kAdc, kSbb, kAnd, kSub, kXor, kCmp };
enum class Shift : uint8_t { kRol = 0, kRor = 1, kShl = 4, kShr = 5, kSar = 7 };

// What flags say. Numbered as x86-64 encodes them, as far as it has them; a condition and its
// opposite differ in the lowest bit.
enum class Cond : uint8_t {
  kO,  // Signed overflow; on AArch64 also: floating-point numbers are unordered.
  kNo,
  kB,  // Below, of unsigned numbers: after a comparison or a subtraction.
  kAe,
  kE,
  kNe,
  kBe,
  kA,
  kS,  // The result is negative.
  kNs,
  kP,  // Of x86-64 only: unordered.
  kNp,
  kL,
  kGe,
  kLe,
  kG,
};
constexpr Cond Negate(Cond cond) { return static_cast<Cond>(static_cast<uint8_t>(cond) ^ 1); }

enum class FloatOp : uint8_t { kAdd, kSub, kMul, kDiv };
// One float or double in the lowest bytes of a vector register, or as many as fit it.
enum class FloatKind : uint8_t { kFloat, kDouble, kFloats, kDoubles };
// Of all lanes of a vector register.
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

  // Completes the function's code, which is the beginning of section 0, or adds relocations there:
  // symbol number n of the assembler is n + 1 there. False if something is out of reach.
  virtual bool Resolve(const CodeLayout& layout, CompiledCode& code) const = 0;

  // ---- Integers of 4 or 8 bytes. ----
  // Of 1 or 2, where Architecture::has_narrow_operations; elsewhere AluMr and AluMi update memory
  // of these sizes, too, and set the flags of the result, and AluMi compares for equality.
  // Everywhere AluRm of kOr may have 1 or 2, and leaves the bytes above as they are. kCmp changes
  // flags only. kAdc and kSbb need the flags of kAdd and kSub, or of themselves.
  virtual void AluRr(Alu alu, unsigned size, Register dst, Register src) = 0;
  virtual void AluRm(Alu alu, unsigned size, Register dst, const Mem& src) = 0;
  virtual void AluRi(Alu alu, unsigned size, Register dst, int32_t immediate) = 0;
  virtual void AluMr(Alu alu, unsigned size, const Mem& dst, Register src) = 0;
  virtual void AluMi(Alu alu, unsigned size, const Mem& dst, int32_t immediate) = 0;
  // Sets the flags as AluRi(Alu::kCmp, size, reg, 0) does. Of 1 or 2 bytes where there are no
  // narrow operations: for kE and kNe.
  virtual void CompareWithZero(unsigned size, Register reg) = 0;
  // For kE and kNe: whether none of these bits is set, in 1, 2, 4 or 8 bytes.
  virtual void TestRi(unsigned size, Register reg, int32_t bits) = 0;
  virtual void ShiftRi(Shift shift, unsigned size, Register dst, uint8_t count) = 0;
  // By the count modulo 8 * size. `count` must be Architecture::shift_count, if that is one.
  virtual void ShiftRr(Shift shift, unsigned size, Register dst, Register count) = 0;
  virtual void Negate(unsigned size, Register reg) = 0;
  virtual void Not(unsigned size, Register reg) = 0;
  virtual void MultiplyRr(unsigned size, Register dst, Register src) = 0;
  virtual void MultiplyRm(unsigned size, Register dst, const Mem& src) = 0;
  virtual void MultiplyRri(unsigned size, Register dst, Register src, int32_t immediate) = 0;
  virtual void SwapBytes(unsigned size, Register reg) = 0;
  // The lowest byte becomes 1 or 0; the others are unspecified.
  virtual void Set(Cond cond, Register dst) = 0;
  // dst = cond ? src : dst
  virtual void Select(Cond cond, unsigned size, Register dst, Register src) = 0;

  // ---- Moves ----
  // Of 4 or 8 bytes between general registers.
  virtual void Mov(unsigned size, Register dst, Register src) = 0;
  // Any constant; changes the flags only if `may_change_flags`.
  virtual void MovImmediate(Register dst, uint64_t value, bool may_change_flags) = 0;
  // A zero-extending load of 1, 2, 4 or 8 bytes.
  virtual void Load(unsigned size, Register dst, const Mem& src) = 0;
  virtual void LoadSigned(unsigned from, unsigned to, Register dst, const Mem& src) = 0;
  virtual void Store(unsigned size, const Mem& dst, Register src) = 0;
  // Of the sign-extended immediate.
  virtual void StoreImmediate(unsigned size, const Mem& dst, int32_t value) = 0;
  // Of the lowest 1, 2 or 4 bytes.
  virtual void ZeroExtend(unsigned from, Register dst, Register src) = 0;
  virtual void SignExtend(unsigned from, unsigned to, Register dst, Register src) = 0;
  // The address, or its lower half.
  virtual void Lea(Register dst, const Mem& src) = 0;
  virtual void Lea32(Register dst, const Mem& src) = 0;

  // ---- Vector registers ----
  // The whole register.
  virtual void VectorMov(Register dst, Register src) = 0;
  virtual void VectorZero(Register dst) = 0;
  // Of 2, 4, 8 or 16 bytes. Those above 2 are unspecified, those above 4 and 8 zero.
  virtual void VectorLoad(unsigned size, Register dst, const Mem& src) = 0;
  // Of 2 bytes perhaps by way of Architecture::scratch, which must not be part of the address.
  virtual void VectorStore(unsigned size, const Mem& dst, Register src) = 0;
  // The float or double with these bits, in one instruction; false, and nothing, if there is none.
  virtual bool FloatImmediate(bool is_double, Register dst, uint64_t bits) {
    (void)is_double, (void)dst, (void)bits;
    return false;
  }
  // The lowest 4 or 8 bytes, between a general and a vector register.
  virtual void ToVector(unsigned size, Register dst, Register src) = 0;
  virtual void FromVector(unsigned size, Register dst, Register src) = 0;
  virtual void FloatRr(FloatOp op, FloatKind kind, Register dst, Register src) = 0;
  // Of one number.
  virtual void FloatRm(FloatOp op, FloatKind kind, Register dst, const Mem& src) = 0;
  // From a float to a double, or back.
  virtual void ConvertFloat(bool to_double, Register dst, Register src) = 0;
  // A signed integer of `size` bytes, 4 or 8, to and from (by truncation; unspecified if it does
  // not fit) a float or a double.
  virtual void IntegerToFloat(unsigned size, bool is_double, Register dst, Register src) = 0;
  virtual void FloatToInteger(unsigned size, bool is_double, Register dst, Register src) = 0;
  // Of integers of `lane_size` bytes in all 16.
  virtual void LanesRr(LaneOp op, unsigned lane_size, Register dst, Register src) = 0;

  // ---- Control flow ----
  virtual void Jmp(uint32_t label) = 0;
  virtual void Jcc(Cond cond, uint32_t label) = 0;
  virtual void JmpR(Register reg) = 0;
  virtual void CallR(Register reg) = 0;
  // Of a function whose address is in memory.
  virtual void CallM(const Mem& mem) = 0;
  // Of a symbol within reach.
  virtual void CallSymbol(uint32_t symbol) = 0;
  // Ends the program by a signal.
  virtual void Trap() = 0;
  virtual void Breakpoint() = 0;
  // Where indirect jumps may lead, in code that is protected.
  virtual void LandingMark() = 0;

 protected:
  CodeBuffer code_;
  std::vector<Fixup> fixups_;
};

}  // namespace firstcall::baseline

#endif  // FIRSTCALL_BASELINE_ASSEMBLER_H_
