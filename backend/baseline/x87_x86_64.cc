#include "backend/baseline/x87_x86_64.h"

#include <cstdint>

#include "backend/baseline/calls.h"
#include "backend/baseline/library_functions.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/registers_x86_64.h"

namespace firstcall::baseline::x86_64 {
namespace {

using ir::IntrinsicId;
using ir::Opcode;

// An x87 instruction with an operand in memory: its opcode byte, and the number in the reg field.
struct X87 {
  Op op;
  unsigned extension;
};
constexpr X87 kFld32{0xd9, 0}, kFld64{0xdd, 0}, kFld80{0xdb, 5};
constexpr X87 kFstp32{0xd9, 3}, kFstp64{0xdd, 3}, kFstp80{0xdb, 7};
constexpr X87 kFild64{0xdf, 5}, kFadd32{0xd8, 0};
constexpr X87 kFistp16{0xdf, 3}, kFistp32{0xdb, 3}, kFistp64{0xdf, 7};
constexpr X87 kFldcw{0xd9, 5}, kFnstcw{0xd9, 7};

// Those without, as two bytes, the first one lowest.
constexpr uint16_t kFaddp = 0xc1de, kFmulp = 0xc9de, kFsubp = 0xe9de, kFdivp = 0xf9de;
constexpr uint16_t kFucomip = 0xe9df, kFcomip = 0xf1df, kFstpTop = 0xd8dd, kFsqrt = 0xfad9;

// 2^64 and 2^63 as floats.
constexpr uint32_t kTwoTo64 = 0x5f800000, kTwoTo63 = 0x5f000000;

// 16 bytes of the frame for as long as an instruction is compiled.
class Place {
 public:
  explicit Place(FunctionCode& code) : code_(code), slot_(code.frame.AllocateSlot(16)) {}
  ~Place() { code_.frame.FreeSlot(slot_, 16); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  Mem mem(int32_t offset = 0) const { return code_.frame.At(slot_ + offset); }

 private:
  FunctionCode& code_;
  const int32_t slot_;
};

class X87Lowering {
 public:
  X87Lowering(FunctionCode& code, AssemblerX86_64& native)
      : code_(code), native_(native), place_(code) {}

  void Lower(const ir::Instruction& instruction);
  void Compare(ir::Operand left, ir::Operand right, bool is_signaling) {
    Push(right);
    Push(left);
    Emit(is_signaling ? kFcomip : kFucomip);
    Emit(kFstpTop);
  }
  bool LowerIntrinsic(const ir::Instruction& intrinsic);
  void Push(ir::Operand value);
  void PopInto(const ir::Instruction& result);
  void Drop() { Emit(kFstpTop); }

 private:
  void Emit(X87 instruction, const Mem& mem) {
    native_.Rm(instruction.op, static_cast<Register>(instruction.extension), mem);
  }
  void Emit(uint16_t instruction) {
    native_.Byte(static_cast<uint8_t>(instruction));
    native_.Byte(static_cast<uint8_t>(instruction >> 8));
  }
  Mem Float(uint32_t bits) {
    return Mem::Relative(RelativeTo::kPool, code_.pool.Constant(bits, 0, 4));
  }

  void PushFloat(ir::Operand value);
  void PushInteger(ir::Operand value, bool is_signed);
  // `bits`: 16, 32 or 64. Numbers that do not fit raise an exception.
  void PopInteger(Register dst, unsigned bits = 64);
  void Truncate(const ir::Instruction& cast);
  void TruncateUnsigned(const ir::Instruction& cast);
  // Changes the sign: `mask` is combined with the upper part.
  void ChangeSign(const ir::Instruction& result, Alu alu, int32_t mask);
  void CopySign(const ir::Instruction& result);
  void Combine(const ir::Instruction& result, uint16_t instruction) {
    Push(OperandAt(code_, result, 0));
    Push(OperandAt(code_, result, 1));
    Emit(instruction);
    PopInto(result);
  }

  FunctionCode& code_;
  AssemblerX86_64& native_;
  const Place place_;
};

void X87Lowering::Push(ir::Operand value) {
  if (const ir::Constant* constant = ConstantOf(code_, value)) {
    const uint64_t low = PartOf(code_, *constant, 0).low;
    const uint64_t high = PartOf(code_, *constant, 1).low;
    return Emit(kFld80,
                Mem::Relative(RelativeTo::kPool, code_.pool.Constant(low, high & 0xffff, 16)));
  }
  for (unsigned part = 0; part < 2; ++part) {
    const Register reg = In(code_, value, part);
    native_.Store(part == 0 ? 8 : 2, place_.mem(part == 0 ? 0 : 8), reg);
    code_.locations.registers().Unpin(reg);
  }
  Emit(kFld80, place_.mem());
}

void X87Lowering::PopInto(const ir::Instruction& result) {
  Emit(kFstp80, place_.mem());
  code_.locations.registers().UnpinAll();
  native_.Load(8, Define(code_, result, 0), place_.mem());
  native_.Load(2, Define(code_, result, 1), place_.mem(8));
}

void X87Lowering::PushFloat(ir::Operand value) {
  const bool is_double = TypeOf(code_, value)->IsDouble();
  native_.VectorStore(is_double ? 8 : 4, place_.mem(), In(code_, value));
  Emit(is_double ? kFld64 : kFld32, place_.mem());
}

void X87Lowering::PushInteger(ir::Operand value, bool is_signed) {
  const Register integer = InExtended(code_, value, is_signed, 8);
  native_.Store(8, place_.mem(), integer);
  Emit(kFild64, place_.mem());
  if (is_signed || BitsOf(TypeOf(code_, value)) < 64) return;
  const uint32_t done = code_.labels.New();
  native_.CompareWithZero(8, integer);
  native_.Jcc(Cond::kNs, done);
  Emit(kFadd32, Float(kTwoTo64));
  code_.labels.Bind(done);
}

// The conversion rounds as the control word says, so that says truncation meanwhile.
void X87Lowering::PopInteger(Register dst, unsigned bits) {
  constexpr int32_t kTruncates = 0x0c00;
  Emit(kFnstcw, place_.mem(8));
  native_.Load(2, kScratch, place_.mem(8));
  native_.AluRi(Alu::kOr, 4, kScratch, kTruncates);
  native_.Store(2, place_.mem(10), kScratch);
  Emit(kFldcw, place_.mem(10));
  Emit(bits == 16 ? kFistp16 : bits == 32 ? kFistp32 : kFistp64, place_.mem());
  Emit(kFldcw, place_.mem(8));
  native_.Load(bits / 8, dst, place_.mem());
}

void X87Lowering::Truncate(const ir::Instruction& cast) {
  const ir::Operand source = OperandAt(code_, cast, 0);
  const bool is_signed = cast.opcode == Opcode::kFPToSI;
  const unsigned bits = BitsOf(cast.type);
  if (bits > 64)
    return CallLibrary(code_, is_signed ? "__fixxfti" : "__fixunsxfti", cast, {source});
  if (!is_signed && bits == 64) return TruncateUnsigned(cast);
  Push(source);
  code_.locations.registers().UnpinAll();
  // Where exceptions are observed, one is raised for the numbers for which LLVM's code raises it:
  // they do not fit the least of these sizes that has all integers of the result's type.
  const unsigned needed = is_signed ? bits : bits + 1;
  PopInteger(Define(code_, cast), !cast.is_strict ? 64
                                  : needed <= 16  ? 16
                                  : needed <= 32  ? 32
                                                  : 64);
}

// 2^63 is subtracted from numbers that are not less, and put back as the highest bit.
void X87Lowering::TruncateUnsigned(const ir::Instruction& cast) {
  Push(OperandAt(code_, cast, 0));
  code_.locations.registers().UnpinAll();
  const Register dst = Define(code_, cast);
  const Register upper = code_.locations.Temporary(false);
  const uint32_t is_small = code_.labels.New();
  native_.MovImmediate(upper, 0, true);
  Emit(kFld32, Float(kTwoTo63));
  constexpr uint16_t kFucomi = 0xe9db;
  Emit(kFucomi);  // Compares 2^63 with the number.
  const uint32_t is_large = code_.labels.New();
  native_.Jcc(Cond::kBe, is_large);
  Emit(kFstpTop);
  native_.Jmp(is_small);
  code_.labels.Bind(is_large);
  Emit(kFsubp);
  native_.MovImmediate(upper, uint64_t{1} << 63, true);
  code_.labels.Bind(is_small);
  PopInteger(dst);
  native_.AluRr(Alu::kXor, 8, dst, upper);
}

void X87Lowering::ChangeSign(const ir::Instruction& result, Alu alu, int32_t mask) {
  const ir::Operand value = OperandAt(code_, result, 0);
  DefineFrom(code_, result, value, 0, 0);
  native_.AluRi(alu, 4, DefineFrom(code_, result, value, 1, 1), mask);
}

void X87Lowering::CopySign(const ir::Instruction& result) {
  const Register sign = Copy(code_, OperandAt(code_, result, 1), 1);
  native_.AluRi(Alu::kAnd, 4, sign, 0x8000);
  const ir::Operand value = OperandAt(code_, result, 0);
  DefineFrom(code_, result, value, 0, 0);
  const Register upper = DefineFrom(code_, result, value, 1, 1);
  native_.AluRi(Alu::kAnd, 4, upper, 0x7fff);
  native_.AluRr(Alu::kOr, 4, upper, sign);
}

void X87Lowering::Lower(const ir::Instruction& instruction) {
  const ir::Operand first = OperandAt(code_, instruction, 0);
  switch (instruction.opcode) {
    case Opcode::kFAdd:
      return Combine(instruction, kFaddp);
    case Opcode::kFSub:
      return Combine(instruction, kFsubp);
    case Opcode::kFMul:
      return Combine(instruction, kFmulp);
    case Opcode::kFDiv:
      return Combine(instruction, kFdivp);
    case Opcode::kFNeg:
      return ChangeSign(instruction, Alu::kXor, 0x8000);
    case Opcode::kFPExt:
      PushFloat(first);
      return PopInto(instruction);
    case Opcode::kFPTrunc: {
      Push(first);
      const bool is_double = instruction.type->IsDouble();
      Emit(is_double ? kFstp64 : kFstp32, place_.mem());
      return native_.VectorLoad(is_double ? 8 : 4, Define(code_, instruction), place_.mem());
    }
    case Opcode::kSIToFP:
    case Opcode::kUIToFP: {
      const bool is_signed = instruction.opcode == Opcode::kSIToFP;
      if (BitsOf(TypeOf(code_, first)) > 64) {
        return CallLibrary(code_, is_signed ? "__floattixf" : "__floatuntixf", instruction,
                           {first});
      }
      PushInteger(first, is_signed);
      return PopInto(instruction);
    }
    case Opcode::kFPToSI:
    case Opcode::kFPToUI:
      return Truncate(instruction);
    default:
      return CallLibrary(code_, "fmodl", instruction, {first, OperandAt(code_, instruction, 1)});
  }
}

bool X87Lowering::LowerIntrinsic(const ir::Instruction& intrinsic) {
  switch (code_.function->IntrinsicOf(intrinsic)) {
    case IntrinsicId::kFabs:
      ChangeSign(intrinsic, Alu::kAnd, 0x7fff);
      return true;
    case IntrinsicId::kCopysign:
      CopySign(intrinsic);
      return true;
    case IntrinsicId::kSqrt:
      Push(OperandAt(code_, intrinsic, 0));
      Emit(kFsqrt);
      PopInto(intrinsic);
      return true;
    case IntrinsicId::kFmuladd:
      Push(OperandAt(code_, intrinsic, 0));
      Push(OperandAt(code_, intrinsic, 1));
      Emit(kFmulp);
      Push(OperandAt(code_, intrinsic, 2));
      Emit(kFaddp);
      PopInto(intrinsic);
      return true;
    default:
      return false;
  }
}

}  // namespace

void LowerX87(FunctionCode& code, AssemblerX86_64& native, const ir::Instruction& instruction) {
  X87Lowering(code, native).Lower(instruction);
}

void EmitX87Compare(FunctionCode& code, AssemblerX86_64& native, ir::Operand left,
                    ir::Operand right, bool is_signaling) {
  X87Lowering(code, native).Compare(left, right, is_signaling);
}

bool EmitX87Intrinsic(FunctionCode& code, AssemblerX86_64& native,
                      const ir::Instruction& intrinsic) {
  return X87Lowering(code, native).LowerIntrinsic(intrinsic);
}

void DefineX87Result(FunctionCode& code, AssemblerX86_64& native, const ir::Instruction& call) {
  X87Lowering lowering(code, native);
  if (NumberOf(code, call) == kNone) {
    lowering.Drop();
  } else {
    lowering.PopInto(call);
  }
}

void ReturnX87(FunctionCode& code, AssemblerX86_64& native, ir::Operand value) {
  X87Lowering(code, native).Push(value);
}

}  // namespace firstcall::baseline::x86_64
