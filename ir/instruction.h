// An instruction of a function in flat arrays (function.h).

#ifndef FIRSTCALL_IR_INSTRUCTION_H_
#define FIRSTCALL_IR_INSTRUCTION_H_

#include <cstdint>

#include "ir/attributes.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::ir {

// A call: of kCall, kInvoke and kCallBr.
struct Call {
  const Type* function_type = nullptr;
  const AttributeList* attributes = nullptr;  // Never null.
  CallingConvention convention = kConventionC;
  bool is_tail = false;
  bool is_must_tail = false;
  bool is_no_tail = false;
  bool has_bundles = false;  // Whose operands are left out.
  uint32_t argument_count = 0;
};

struct Instruction {
  Opcode opcode = Opcode::kUnreachable;
  // What it means depends on the opcode: Predicate of kICmp and kFCmp; AtomicOperation of
  // kAtomicRmw.
  uint8_t code = 0;
  bool is_volatile : 1;
  bool is_inbounds : 1;     // kGetElementPtr.
  bool is_cleanup : 1;      // kLandingPad.
  bool is_inalloca : 1;     // kAlloca.
  bool is_swift_error : 1;  // kAlloca.
  bool no_signed_wrap : 1;
  bool no_unsigned_wrap : 1;
  bool is_exact : 1;
  bool is_weak : 1;  // kCmpXchg.
  // Has metadata that code generation must heed ("pcsections", "make.implicit", "annotation"s of
  // it).
  bool has_unknown : 1;
  bool is_singlethread : 1;  // The scope of an atomic instruction is a single thread.
  // The scope of an atomic instruction is neither a single thread nor the system.
  bool has_other_scope : 1;
  // A computation of a constrained intrinsic, of which the code generator has made this instruction
  // (backend/baseline/strict_floats.h): the modes of rounding and the exceptions that others set
  // and read are its operands and results. No reader sets it.
  bool is_strict : 1;
  // Of a strict kFCmp: any NaN among the operands raises an exception.
  bool is_signaling : 1;
  uint8_t ordering : 3;          // Ordering; of kCmpXchg on success.
  uint8_t failure_ordering : 3;  // Of kCmpXchg.
  uint8_t fast_math = 0;         // The flags of bitcode 19: 0 if there are none.
  uint8_t alignment_log = 0;     // kLoad, kStore, kAlloca, kAtomicRmw, kCmpXchg.
  const Type* type = nullptr;    // Of the result; void if there is none.
  // kAlloca: the type of one element. kGetElementPtr: the type that is indexed.
  const Type* source_type = nullptr;
  uint32_t value = kNone;  // The number of the result; kNone if it has none.
  uint32_t block = 0;
  // A part of Function::operands:
  //   kRet: the result, if there is one. kBr: the condition, if there is one. kSwitch: the
  //   condition, then the values of the cases. kIndirectBr: the address. kStore: the pointer, then
  //   the value. kCall, kInvoke, kCallBr: the arguments, then what is called. kPhi: the incoming
  //   values. kLandingPad: the clauses. kSelect: condition, value if true, value if false.
  //   kCmpXchg: pointer, expected, new. kAtomicRmw: pointer, value. kAlloca: the number of
  //   elements. kGetElementPtr: the base, then the indices. kShuffleVector: two vectors, then the
  //   mask, a constant vector of i32. Others: as LangRef lists them.
  uint32_t first_operand = 0;
  uint32_t operand_count = 0;
  // A part of Function::targets, numbers of blocks:
  //   kBr: the target if true (or the only one), then the one if false. kSwitch: the default, then
  //   the targets of the cases. kInvoke: the normal one, then the landing pad. kIndirectBr: all.
  //   kPhi: the incoming blocks. kCallBr: the fallthrough, then the others.
  // kExtractValue, kInsertValue: the indices. kLandingPad: for each clause, 0 (catch) or 1
  // (filter).
  uint32_t first_target = 0;
  uint32_t target_count = 0;
  uint32_t call = kNone;  // The number in Function::calls.

  Instruction()
      : is_volatile(false),
        is_inbounds(false),
        is_cleanup(false),
        is_inalloca(false),
        is_swift_error(false),
        no_signed_wrap(false),
        no_unsigned_wrap(false),
        is_exact(false),
        is_weak(false),
        has_unknown(false),
        is_singlethread(false),
        has_other_scope(false),
        is_strict(false),
        is_signaling(false),
        ordering(0),
        failure_ordering(0) {}

  Predicate predicate() const { return static_cast<Predicate>(code); }
  AtomicOperation operation() const { return static_cast<AtomicOperation>(code); }
  Ordering atomic_ordering() const { return static_cast<Ordering>(ordering); }
  bool IsAtomic() const { return ordering != 0; }
  // Of a load or a store: neither atomic nor volatile.
  bool IsSimple() const { return ordering == 0 && !is_volatile; }
  bool IsCall() const {
    return opcode == Opcode::kCall || opcode == Opcode::kInvoke || opcode == Opcode::kCallBr;
  }
  uint64_t alignment() const { return uint64_t{1} << alignment_log; }
};

}  // namespace firstcall::ir

#endif  // FIRSTCALL_IR_INSTRUCTION_H_
