#include "direct/osr/address_uses.h"

#include <algorithm>
#include <vector>

#include "absl/types/span.h"
#include "ir/attributes.h"
#include "ir/constant.h"
#include "ir/global.h"
#include "ir/intrinsic.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::direct {
namespace {

using ir::IntrinsicId;
using ir::Opcode;

// If LLVM finds more uses than this, it gives up, and the address counts as stored.
constexpr uint32_t kMostUses = 100;

bool HasOnlyZeroIndices(const ir::Function& function, const ir::Instruction& element) {
  const absl::Span<const ir::Operand> indices = function.OperandsOf(element).subspan(1);
  return std::all_of(indices.begin(), indices.end(), [&](ir::Operand index) {
    const ir::Constant* const constant = function.ConstantOf(index);
    return constant != nullptr && constant->IsInteger() && constant->IsZero();
  });
}

bool IsUnused(const ir::Function& function, const ir::Instruction& instruction) {
  return instruction.value != ir::kNone && function.values[instruction.value].uses == 0;
}

class AddressWalk {
 public:
  AddressWalk(const ir::Function& function, const ir::Instruction& variable, UserLists& users)
      : function_(function), variable_(variable), users_(users) {}

  Stored Run() {
    Follow(variable_.value);
    while (!pending_.empty() && result_ != Stored::kYes) {
      const uint32_t value = pending_.back();
      pending_.pop_back();
      for (uint32_t user : users_.UsersOf(value)) LookAtUser(function_.instructions[user], value);
    }
    return result_;
  }

 private:
  // Each use is counted as often as LLVM counts it: once for each way that leads to the value.
  void Follow(uint32_t value) {
    uses_ += function_.values[value].uses;
    if (uses_ > kMostUses) return Note(Stored::kYes);
    if (std::find(seen_.begin(), seen_.end(), value) != seen_.end()) return;
    seen_.push_back(value);
    pending_.push_back(value);
  }

  void Note(Stored found) {
    if (result_ != Stored::kYes) result_ = found;
  }
  void NoteIf(bool is_stored) {
    if (is_stored) Note(Stored::kYes);
  }

  void LookAtUser(const ir::Instruction& user, uint32_t value) {
    const absl::Span<const ir::Operand> operands = function_.OperandsOf(user);
    const bool is_first = operands[0] == ir::Operand::Value(value);
    switch (user.opcode) {
      case Opcode::kCall:
      case Opcode::kInvoke:
        return LookAtCall(user, value);
      case Opcode::kLoad:
        return NoteIf(user.is_volatile);
      case Opcode::kVAArg:
        return;
      // The address may be stored, or only be stored to.
      case Opcode::kStore:
      case Opcode::kAtomicRmw:
      case Opcode::kCmpXchg:
        return NoteIf(user.is_volatile || IsAmong(operands.subspan(1), value));
      case Opcode::kBitCast:
      case Opcode::kGetElementPtr:
      case Opcode::kPhi:
      case Opcode::kSelect:
      case Opcode::kAddrSpaceCast:
        // LLVM follows the result once for each operand that is the value; the list of users has
        // the instruction as often.
        return Follow(user.value);
      case Opcode::kICmp:
        return LookAtComparison(operands[is_first ? 0 : 1], operands[is_first ? 1 : 0]);
      default:
        return Note(Stored::kYes);
    }
  }

  static bool IsAmong(absl::Span<const ir::Operand> operands, uint32_t value) {
    return std::find(operands.begin(), operands.end(), ir::Operand::Value(value)) != operands.end();
  }

  void LookAtComparison(ir::Operand compared, ir::Operand other) {
    const ir::Constant* const null = function_.ConstantOf(other);
    if (null == nullptr || null->kind != ir::ConstantKind::kNull || !null->type->IsPointer()) {
      return Note(Stored::kYes);
    }
    // Comparing a variable's own address with null says nothing, unless null is a valid address.
    if (function_.attributes().function.Has(ir::Attribute::kNullPointerIsValid)) {
      return Note(Stored::kYes);
    }
    const ir::Instruction* base = function_.DefinitionOf(compared);
    while (base != nullptr && IsCopyOfAddress(*base)) {
      base = function_.DefinitionOf(function_.OperandOf(*base, 0));
    }
    if (base == nullptr || base->IsCall()) return Note(Stored::kUnknown);
    NoteIf(base != &variable_ || !IsOneObject());
  }

  bool IsCopyOfAddress(const ir::Instruction& instruction) const {
    return instruction.opcode == Opcode::kBitCast ||
           (instruction.opcode == Opcode::kGetElementPtr &&
            HasOnlyZeroIndices(function_, instruction));
  }

  // Whether the variable is one element, of at least a byte.
  bool IsOneObject() const {
    const ir::Constant* const count = function_.ConstantOf(function_.OperandOf(variable_, 0));
    return count != nullptr && count->IsInteger() && count->LimitedTo(2) == 1 &&
           variable_.source_type->store_size != 0;
  }

  void LookAtCall(const ir::Instruction& call, uint32_t value) {
    const absl::Span<const ir::Operand> arguments = function_.ArgumentsOf(call);
    switch (function_.IntrinsicOf(call)) {
      case IntrinsicId::kLifetimeStart:
      case IntrinsicId::kLifetimeEnd:
        return;
      case IntrinsicId::kMemcpy:
      case IntrinsicId::kMemcpyInline:
      case IntrinsicId::kMemmove:
      case IntrinsicId::kMemset:
      case IntrinsicId::kMemsetInline: {
        const ir::Constant* const is_volatile = function_.ConstantOf(arguments[3]);
        return NoteIf(is_volatile == nullptr || !is_volatile->IsZero());
      }
      case IntrinsicId::kLaunderInvariantGroup:
      case IntrinsicId::kStripInvariantGroup:
        return Follow(call.value);
      case IntrinsicId::kNone:
        return LookAtArguments(call, value);
      default:
        // Some other intrinsics return their arguments.
        if (IsAmong(arguments, value)) Note(Stored::kUnknown);
    }
  }

  // Whether the call, or the function that the call names, accesses only some of the memory.
  bool HasMemory(const ir::Instruction& call) const {
    if (function_.CallOf(call).attributes->function.Has(ir::Attribute::kMemory)) return true;
    const ir::Global* const callee = function_.GlobalOf(function_.CalleeOf(call));
    return callee != nullptr && callee->IsFunction() &&
           callee->attributes()->function.Has(ir::Attribute::kMemory);
  }

  // What is only called is not passed.
  void LookAtArguments(const ir::Instruction& call, uint32_t value) {
    const absl::Span<const ir::Operand> arguments = function_.ArgumentsOf(call);
    const ir::Global* const callee = function_.CalledFunctionOf(call);
    const auto is_captured = [&](uint32_t argument) {
      return !function_.CallOf(call).attributes->OfParameter(argument).Has(
                 ir::Attribute::kNoCapture) &&
             (callee == nullptr ||
              !callee->attributes()->OfParameter(argument).Has(ir::Attribute::kNoCapture));
    };
    for (uint32_t i = 0; i < arguments.size(); ++i) {
      if (arguments[i] != ir::Operand::Value(value) || !is_captured(i)) continue;
      // The result may contain the address. If the callee accesses nothing but what it is passed,
      // LLVM counts the address as stored, unless the callee only reads.
      if (!call.type->IsVoid()) return Note(Stored::kYes);
      if (HasMemory(call)) Note(Stored::kUnknown);
      return;
    }
  }

  const ir::Function& function_;
  const ir::Instruction& variable_;
  UserLists& users_;
  Stored result_ = Stored::kNo;
  uint32_t uses_ = 0;
  std::vector<uint32_t> seen_, pending_;  // At most kMostUses.
};

}  // namespace

bool BeginsLifetime(const ir::Function& function, const ir::Instruction& instruction) {
  return instruction.opcode == Opcode::kCall &&
         function.IntrinsicOf(instruction) == IntrinsicId::kLifetimeStart;
}

bool IsLifetimeMark(const ir::Function& function, const ir::Instruction& instruction) {
  if (instruction.opcode != Opcode::kCall) return false;
  const IntrinsicId intrinsic = function.IntrinsicOf(instruction);
  return intrinsic == IntrinsicId::kLifetimeStart || intrinsic == IntrinsicId::kLifetimeEnd;
}

ir::Operand MarkedObject(const ir::Function& function, const ir::Instruction& mark) {
  return function.ArgumentsOf(mark).back();
}

bool IsStaticAlloca(const ir::Function& function, const ir::Instruction& instruction) {
  if (instruction.opcode != Opcode::kAlloca || instruction.block != 0 || instruction.is_inalloca) {
    return false;
  }
  const ir::Constant* const count = function.ConstantOf(function.OperandOf(instruction, 0));
  return count != nullptr && count->IsInteger();
}

bool IsAccess(const ir::Function& function, const ir::Instruction& variable,
              const ir::Instruction& user, uint32_t operand) {
  switch (user.opcode) {
    case Opcode::kLoad:
      return !user.is_volatile && user.type == variable.source_type;
    case Opcode::kStore:
      return operand == 0 && !user.is_volatile &&
             function.TypeOf(function.OperandOf(user, 1)) == variable.source_type;
    case Opcode::kCall:
      return IsLifetimeMark(function, user);
    case Opcode::kGetElementPtr:
      return IsUnused(function, user) && HasOnlyZeroIndices(function, user);
    case Opcode::kBitCast:
    case Opcode::kAddrSpaceCast:
      return IsUnused(function, user);
    default:
      return false;
  }
}

bool IsOnlyAccessed(const ir::Function& function, const ir::Instruction& variable,
                    UserLists& users) {
  for (uint32_t number : users.UsersOf(variable.value)) {
    const ir::Instruction& user = function.instructions[number];
    const absl::Span<const ir::Operand> operands = function.OperandsOf(user);
    for (uint32_t i = 0; i < operands.size(); ++i) {
      if (operands[i] == ir::Operand::Value(variable.value) &&
          !IsAccess(function, variable, user, i)) {
        return false;
      }
    }
  }
  return true;
}

Stored IsAddressStored(const ir::Function& function, const ir::Instruction& variable,
                       UserLists& users) {
  return AddressWalk(function, variable, users).Run();
}

}  // namespace firstcall::direct
