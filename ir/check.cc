// Most uses of a value stand behind its definition in the same block, or the definition is in the
// entry block: only the others need the tree of dominators, which is computed for the first of
// them. Each block is checked in two passes, because both are faster than one that does both.

#include "ir/check.h"

#include <array>
#include <cstddef>
#include <string>

#include "absl/base/attributes.h"
#include "absl/strings/str_cat.h"
#include "ir/check_call.h"
#include "ir/check_memory.h"
#include "ir/check_operation.h"
#include "ir/names.h"
#include "ir/type_rules.h"

namespace firstcall::ir {
namespace {

constexpr uint32_t kAny = UINT32_MAX;

// How many operands and targets the instructions of an opcode have. What this leaves open, the
// check of the opcode decides.
struct Arity {
  uint32_t least_operands;
  uint32_t further_operands;  // How many more there may be.
  uint32_t most_targets;
  bool is_void;  // The instruction has no result.
};

constexpr Arity Exactly(uint32_t operands) { return {operands, 0, 0, false}; }
constexpr Arity AtLeast(uint32_t operands) { return {operands, kAny - operands, kAny, false}; }

constexpr Arity ArityOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kRet:
      return {0, 1, 0, true};
    case Opcode::kBr:
      return {0, 1, 2, true};
    case Opcode::kSwitch:
      return {1, kAny - 1, kAny, true};
    case Opcode::kIndirectBr:
      return {1, 0, kAny, true};
    case Opcode::kResume:
      return {1, 0, 0, true};
    case Opcode::kUnreachable:
    case Opcode::kFence:
      return {0, 0, 0, true};
    case Opcode::kStore:
      return {2, 0, 0, true};
    case Opcode::kInvoke:
    case Opcode::kCallBr:
      return AtLeast(1);
    case Opcode::kCall:
    case Opcode::kGetElementPtr:
      return {1, kAny - 1, 0, false};
    case Opcode::kExtractValue:
      return {1, 0, kAny, false};
    case Opcode::kInsertValue:
      return {2, 0, kAny, false};
    case Opcode::kPhi:
    case Opcode::kLandingPad:
    case Opcode::kCleanupRet:
    case Opcode::kCatchRet:
    case Opcode::kCatchSwitch:
    case Opcode::kCleanupPad:
    case Opcode::kCatchPad:
      return AtLeast(0);
    case Opcode::kCmpXchg:
    case Opcode::kSelect:
    case Opcode::kInsertElement:
    case Opcode::kShuffleVector:
      return Exactly(3);
    case Opcode::kAtomicRmw:
    case Opcode::kICmp:
    case Opcode::kFCmp:
    case Opcode::kExtractElement:
      return Exactly(2);
    default:
      // Two of binary operations (ir::IsBinary), one of all others.
      return Exactly(opcode >= Opcode::kAdd && opcode <= Opcode::kXor ? 2 : 1);
  }
}

constexpr int kOpcodeCount = static_cast<int>(Opcode::kFreeze) + 1;

constexpr std::array<Arity, kOpcodeCount> MakeArityTable() {
  std::array<Arity, kOpcodeCount> table = {};
  for (int i = 0; i < kOpcodeCount; ++i) table[i] = ArityOf(static_cast<Opcode>(i));
  return table;
}

constexpr std::array<Arity, kOpcodeCount> kArities = MakeArityTable();

// Whether the numbers of operands and of targets, and whether there is a result, are right.
bool HasArity(const Instruction& instruction) {
  const Arity& arity = kArities[static_cast<size_t>(instruction.opcode)];
  // Of too few operands, the difference is larger than any other.
  return instruction.operand_count - arity.least_operands <= arity.further_operands &&
         instruction.target_count <= arity.most_targets &&
         !(arity.is_void && instruction.value != kNone);
}

}  // namespace

absl::Status Checker::Check(const Function& function) {
  function_ = &function;
  scope_.emplace(function);
  flow_.Begin(function);
  current_ = faulty_constant_ = kNone;
  value_count_ = function.argument_count();
  entry_value_count_ = 0;
  exception_type_ = nullptr;
  pads_.clear();
  const Fault fault = CheckBody();
  if (!fault) return absl::OkStatus();
  std::string place = absl::StrCat("checking function '", function.global().name, "'");
  if (faulty_constant_ != kNone) {
    absl::StrAppend(&place, ": constant ", faulty_constant_);
  } else if (current_ != kNone) {
    const Instruction& instruction = function.instructions[current_];
    absl::StrAppend(&place, ": block ", instruction.block, ", instruction ", current_, " (",
                    NameOf(instruction.opcode), ")");
  }
  return fault.At(place);
}

Fault Checker::CheckBody() {
  if (Fault fault = CheckArguments()) return fault;
  if (Fault fault = CheckOwnConstants()) return fault;
  for (uint32_t number = 0; number < function_->blocks.size(); ++number) {
    if (Fault fault = CheckBlock(number)) return fault;
  }
  return pads_.empty() ? Fault() : CheckEdgesToPads();
}

Fault Checker::CheckArguments() const {
  const Global& global = function_->global();
  if (!global.IsFunction() || global.is_declaration()) {
    return Fault::Invalid("it is no defined function");
  }
  const absl::Span<const Type* const> parameters = global.value_type()->parameters();
  if (function_->argument_count() != parameters.size()) {
    return Fault::Invalid("the number of arguments is not that of the type");
  }
  for (uint32_t i = 0; i < parameters.size(); ++i) {
    if (function_->values[i].type != parameters[i]) {
      return Fault::Invalid("an argument has another type than the parameter");
    }
  }
  return {};
}

Fault Checker::CheckOwnConstants() {
  const Module& module = function_->module();
  const auto shared = static_cast<uint32_t>(module.constants().size());
  if (Fault fault = constants_.Check(function_->constants, shared, *scope_)) {
    faulty_constant_ = constants_.faulty();
    return fault;
  }
  const auto check = [&](const Constant& constant, uint32_t number) {
    if (constant.kind != ConstantKind::kBlockAddress ||
        constant.global != function_->global_number()) {
      return Fault();
    }
    const Fault fault = CheckBlockAddress(constant);
    if (fault) faulty_constant_ = number;
    return fault;
  };
  for (uint32_t number : module.block_addresses()) {
    if (Fault fault = check(module.constants()[number], number)) return fault;
  }
  for (uint32_t i = 0; i < function_->constants.size(); ++i) {
    if (Fault fault = check(function_->constants[i], shared + i)) return fault;
  }
  return {};
}

Fault Checker::CheckBlockAddress(const Constant& constant) const {
  if (constant.block() == 0 || constant.block() >= function_->blocks.size()) {
    return Fault::Invalid("the address of a block that has none");
  }
  return function_->blocks[constant.block()].has_address_taken
             ? Fault()
             : Fault::Invalid("the address of a block whose address is said not to be taken");
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline Fault Checker::CheckInstruction(
    const Instruction& instruction) {
  switch (instruction.opcode) {
    case Opcode::kLoad:
      return CheckLoad(instruction, OperandsOf(instruction), *scope_);
    case Opcode::kStore:
      return CheckStore(instruction, OperandsOf(instruction), *scope_);
    case Opcode::kBr:
      return CheckBranch(instruction);
    case Opcode::kAlloca:
      return CheckAlloca(instruction, OperandsOf(instruction), *scope_);
    case Opcode::kGetElementPtr:
      return CheckElementAddress(*instruction.type, *instruction.source_type,
                                 OperandsOf(instruction), *scope_);
    case Opcode::kCall:
      return CheckCall(*function_, instruction, *scope_);
    case Opcode::kICmp:
    case Opcode::kFCmp:
      return CheckComparison(instruction, OperandsOf(instruction), *scope_);
    default:
      return IsTerminator(instruction.opcode) ? CheckTerminator(instruction)
                                              : CheckOthers(instruction);
  }
}

Fault Checker::CheckBlock(uint32_t number) {
  const Block& block = function_->blocks[number];
  const Instruction* const instructions = function_->instructions.data();
  const uint32_t begin = block.first_instruction, end = begin + block.instruction_count;
  behind_phis_ = begin;
  while (instructions[behind_phis_].opcode == Opcode::kPhi) ++behind_phis_;
  if (behind_phis_ != begin) {
    if (Fault fault = CheckPhis(number, begin, behind_phis_)) return fault;
  }
  for (uint32_t i = behind_phis_; i < end; ++i) {
    current_ = i;
    if (!HasArity(instructions[i])) {
      return Fault::Invalid("a wrong number of operands, of targets or of results");
    }
    if (Fault fault = CheckInstruction(instructions[i])) return fault;
  }
  return CheckUses(begin, end);
}

// What computes values from values, and what is rare.
Fault Checker::CheckOthers(const Instruction& instruction) {
  const Opcode opcode = instruction.opcode;
  const Type& type = *instruction.type;
  const absl::Span<const Operand> operands = OperandsOf(instruction);
  if (IsBinary(opcode)) return CheckBinary(opcode, type, operands, *scope_);
  if (IsCast(opcode)) return CheckCast(opcode, *scope_->TypeOf(operands[0]), type);
  switch (opcode) {
    case Opcode::kFNeg:
    case Opcode::kFreeze:
      if (scope_->TypeOf(operands[0]) != &type) {
        return Fault::Invalid("the result has another type than the operand");
      }
      if (opcode == Opcode::kFreeze) {
        return HasPlainValues(type) ? Fault() : Fault::Unknown("a freeze of such values");
      }
      return HasFloats(type) ? Fault() : Fault::Invalid("the operand is no floating-point number");
    case Opcode::kSelect:
      return CheckSelect(type, operands, *scope_);
    case Opcode::kExtractElement:
    case Opcode::kInsertElement:
    case Opcode::kShuffleVector:
      return CheckVectorOperation(opcode, type, operands, *scope_);
    case Opcode::kExtractValue:
    case Opcode::kInsertValue:
      return CheckMemberAccess(opcode, type, operands, function_->TargetsOf(instruction), *scope_);
    case Opcode::kFence:
      return CheckFence(instruction);
    case Opcode::kCmpXchg:
      return CheckCompareExchange(instruction, operands, *scope_);
    case Opcode::kAtomicRmw:
      return CheckAtomicUpdate(instruction, operands, *scope_);
    case Opcode::kVAArg:
      return CheckVariadicArgument(instruction, operands, *scope_);
    case Opcode::kLandingPad:
      return CheckLandingPad(instruction);
    case Opcode::kPhi:
      return Fault::Invalid("a phi behind another instruction");
    default:
      return Fault::Unknown("pads of Windows' exceptions");
  }
}

Fault Checker::CheckUses(uint32_t begin, uint32_t end) {
  const Instruction* const instructions = function_->instructions.data();
  const Operand* const operands = function_->operands.data();
  const uint32_t of_entry = entry_value_count_;
  const uint32_t first = begin == 0 ? 0 : value_count_;    // Of the block; also the arguments.
  uint32_t count = value_count_ + (behind_phis_ - begin);  // All before the instruction.
  const Instruction* const behind = instructions + end;
  for (const Instruction* user = instructions + behind_phis_; user != behind; ++user) {
    const Operand* const last = operands + user->first_operand + user->operand_count;
    for (const Operand* operand = last - user->operand_count; operand != last; ++operand) {
      if (!operand->IsValue()) continue;
      const uint32_t value = operand->number();
      if (value - first < count - first || value < of_entry) continue;
      if (!IsDefinedBefore(value, *user)) return NotDefined();
    }
    if (user->value != kNone) ++count;
  }
  // An invoke's result is there behind one of its edges only.
  if (begin == 0) entry_value_count_ = behind[-1].value == kNone ? count : count - 1;
  value_count_ = count;
  return {};
}

// Not in line, for the loop to be fast.
ABSL_ATTRIBUTE_NOINLINE bool Checker::IsDefinedBefore(uint32_t value, const Instruction& user) {
  const uint32_t definition = function_->values[value].instruction;
  const Instruction& source = function_->instructions[definition];
  if (source.opcode != Opcode::kInvoke && source.block != user.block &&
      flow_.Dominates(source.block, user.block)) {
    return true;
  }
  current_ = function_->NumberOf(user);
  return IsAvailable(definition, user.block);
}

Fault Checker::NotDefined() {
  return Fault::Invalid("an operand is not defined on every way to its use");
}

bool Checker::IsAvailable(uint32_t definition, uint32_t block) {
  if (!flow_.IsReachable(block)) return true;
  const Instruction& instruction = function_->instructions[definition];
  if (instruction.opcode == Opcode::kInvoke) {
    // The invoke itself may be checked later.
    return instruction.target_count == 0 ||
           flow_.EdgeDominates(instruction.block, function_->TargetsOf(instruction)[0], block);
  }
  return instruction.block != block && flow_.Dominates(instruction.block, block);
}

}  // namespace firstcall::ir
