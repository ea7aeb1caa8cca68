#include "backend/baseline/analysis.h"

#include <algorithm>

#include "backend/baseline/argument_places.h"
#include "backend/baseline/constants.h"
#include "backend/baseline/memory_update.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace firstcall::baseline {
namespace {

constexpr uint32_t kMostInstructions = 2000000;
constexpr uint32_t kMostDepth = 4;

bool IsStaticAlloca(const llvm::Instruction& instruction) {
  const auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
  return alloca != nullptr && alloca->isStaticAlloca();
}

// Whether this is an integer operation whose operand in memory may be either of the two.
bool IsSwappable(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
      return instruction.getType()->isIntegerTy() &&
             instruction.getType()->getIntegerBitWidth() <= 64;
    default:
      return false;
  }
}

// Whether the result takes the first operand's register, if that operand dies here.
bool IsMadeInPlace(const llvm::Instruction& instruction) {
  switch (instruction.getOpcode()) {
    case llvm::Instruction::Add:
    case llvm::Instruction::Sub:
    case llvm::Instruction::And:
    case llvm::Instruction::Or:
    case llvm::Instruction::Xor:
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
    case llvm::Instruction::FNeg:
    case llvm::Instruction::Trunc:
    case llvm::Instruction::PtrToInt:
    case llvm::Instruction::IntToPtr:
    case llvm::Instruction::BitCast:
    case llvm::Instruction::GetElementPtr:
      return true;
    default:
      return false;
  }
}

// Makes the value's life reach to `block`.
void Cover(ValuePart& value, uint32_t block) {
  value.first_block = std::min(value.first_block, block);
  value.last_block = std::max(value.last_block, block);
}

}  // namespace

Refusal Analysis::Run(const llvm::Function& function, const CoverageOptions& options) {
  Refusal refusal = RefusalOf(function, architecture_);
  if (refusal != Refusal::kNone) return refusal;
  order_.Compute(function);
  refusal = NumberValues(function, options);
  if (refusal != Refusal::kNone) return refusal;
  for (uint32_t block = 0; block < order_.blocks().size(); ++block) CountUses(block);
  CollectWhatDies();
  fixed_ = 0;
  if (!options.has_few_registers) {
    RegisterSet reserved = swift_registers_;
    if (returns_error_) reserved |= SetOf(architecture_.swift_error);
    fixed_ = fixer_.Fix(values_, weights_, facts_, reserved);
  }
  return Refusal::kNone;
}

uint32_t Analysis::AddValue(const llvm::Value& value, uint32_t block) {
  const PartList list = PartsOf(value.getType());
  if (list.count == 0) return kNone;
  const uint32_t number = values_.size();
  numbers_.Insert(&value, number);
  for (unsigned i = 0; i < list.count; ++i) {
    ValuePart& part = values_.emplace_back();
    part.is_vector = list.parts[i].is_vector;
    part.bytes = list.parts[i].bytes;
    part.index = static_cast<uint8_t>(i);
    weights_.push_back(0);
  }
  values_[number].parts = static_cast<uint8_t>(list.count);
  values_[number].first_block = values_[number].last_block = block;
  return number;
}

Refusal Analysis::NumberValues(const llvm::Function& function, const CoverageOptions& options) {
  numbers_.Clear();
  values_.clear();
  weights_.clear();
  facts_.assign(order_.blocks().size(), BlockFacts());
  label_tables_.clear();
  has_call_ = has_dynamic_alloca_ = returns_error_ = false;
  swift_registers_ = 0;
  uint32_t instructions = 0;
  for (const llvm::Argument& argument : function.args()) {
    const uint32_t value = AddValue(argument, 0);
    if (value == kNone && !argument.use_empty()) return Refusal::kType;
    // A byval argument is the address of a place in the caller's frame. Like an alloca's, this
    // address is recomputed and not kept.
    if (argument.hasByValAttr()) values_[value].is_alloca = values_[value].is_incoming = true;
    // For a swifterror argument, the contents of a variable are passed. The variable is in this
    // frame.
    if (argument.hasSwiftErrorAttr()) values_[value].is_alloca = returns_error_ = true;
  }
  // The address of a block that is never reached may be used, but the block gets no code.
  for (const llvm::BasicBlock& block : function) {
    if (block.hasAddressTaken() && order_.NumberOf(&block) == kNone) return Refusal::kBlockAddress;
  }
  unsigned indirect_branches = 0;
  bool has_landing_pads = false, has_labels_with_phis = false, has_labels = false;
  for (uint32_t number = 0; number < order_.blocks().size(); ++number) {
    const llvm::BasicBlock& block = *order_.blocks()[number].block;
    if (block.hasAddressTaken()) {
      has_labels = true;
      has_labels_with_phis |= llvm::isa<llvm::PHINode>(block.front());
    }
    if (llvm::isa<llvm::IndirectBrInst>(block.getTerminator())) ++indirect_branches;
    has_landing_pads |= block.isLandingPad();
    for (const llvm::Instruction& instruction : *order_.blocks()[number].block) {
      if (Refusal refusal = RefusalOf(instruction, architecture_, options);
          refusal != Refusal::kNone) {
        return refusal;
      }
      ++instructions;
      if (MayCall(instruction)) facts_[number].has_call = has_call_ = true;
      if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        swift_registers_ |= SwiftRegistersOf(*call, architecture_);
      }
      if (instruction.getType()->isVoidTy()) continue;
      const uint32_t value = AddValue(instruction, number);
      // A result that is no register's, such as an empty structure, must not be needed.
      if (value == kNone) {
        if (!instruction.use_empty() && !instruction.getType()->isTokenTy()) return Refusal::kType;
        continue;
      }
      values_[value].is_phi = llvm::isa<llvm::PHINode>(instruction);
      values_[value].is_alloca = IsStaticAlloca(instruction);
      if (llvm::isa<llvm::AllocaInst>(instruction) && !values_[value].is_alloca) {
        has_dynamic_alloca_ = true;
      }
    }
  }
  if (has_labels && !KeepsItsLabels(function, label_tables_)) return Refusal::kBlockAddress;
  // The moves for phis stand behind the branch.
  if (has_labels_with_phis && indirect_branches > 1) return Refusal::kBlockAddress;
  // A landing pad could not tell where rsp was.
  if (has_landing_pads && has_dynamic_alloca_) return Refusal::kException;
  return instructions > kMostInstructions ? Refusal::kSize : Refusal::kNone;
}

void Analysis::CountUses(uint32_t number) {
  const llvm::BasicBlock& block = *order_.blocks()[number].block;
  uint32_t position = 0;    // Of the instruction, counted from the end of the block.
  uint32_t next_write = 0;  // Of the nearest one behind it that may write to memory.
  wishes_.clear();
  for (auto it = block.rbegin(); it != block.rend(); ++it, ++position) {
    const llvm::Instruction& instruction = *it;
    if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
      CountPhiUses(*phi);
      continue;
    }
    if (const uint32_t value = NumberOf(&instruction); value != PointerMap::kMissing) {
      ValuePart& part = values_[value];
      // The operation of an update in memory, which is computed where that ends.
      if (!part.is_deferred) part.position = position;
      // Its wish is decided.
      if (part.wish != kNoRegister) {
        wishes_.erase(std::find(wishes_.begin(), wishes_.end(), value));
        if (part.parts == 1 && IsMadeInPlace(instruction)) {
          Wish(instruction.getOperand(0), part.wish, number);
        }
      }
      if (!part.is_deferred && instruction.hasOneUse() && IsDeferrable(instruction, next_write)) {
        part.is_deferred = true;
        const auto* user = llvm::cast<llvm::Instruction>(*instruction.user_begin());
        const uint32_t of_user = NumberOf(user);
        part.position = of_user == PointerMap::kMissing ? 0 : values_[of_user].position;
      }
    }
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      DeferUpdate(*store, position);
    }
    const bool may_call = facts_[number].has_call && MayCall(instruction);
    if (instruction.mayWriteToMemory() || may_call) next_write = position;
    // What is computed before a call is not kept in a register for what comes after it.
    if (may_call) {
      for (uint32_t part : wishes_) values_[part].wish = kNoRegister;
      wishes_.clear();
    }
    if (llvm::isa<llvm::CallBase, llvm::ReturnInst>(instruction)) {
      WishForPlaces(instruction, number);
    }
    for (const llvm::Use& operand : instruction.operands()) CountUse(operand.get(), number);
  }
}

void Analysis::WishForPlaces(const llvm::Instruction& instruction, uint32_t block) {
  if (const auto* result = llvm::dyn_cast<llvm::ReturnInst>(&instruction)) {
    const llvm::Value* value = result->getReturnValue();
    if (value == nullptr) return;
    const PartList list = PartsOf(value->getType());
    ResultPlaces places(architecture_.ConventionOf(result->getFunction()->getCallingConv()));
    if (list.count == 1) {
      Wish(value, places.Next(list.parts[0].is_vector, list.parts[0].bytes), block);
    }
    return;
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) return;
  ArgumentPlaces places(architecture_.ConventionOf(call->getCallingConv()));
  const bool may_pass_by_value = MayPassByValue(*call);
  const OwnRegisters own(*call, architecture_, swift_registers_);
  for (unsigned i = 0; i < call->arg_size(); ++i) {
    const llvm::Value* value = call->getArgOperand(i);
    if (may_pass_by_value && call->isByValArgument(i)) continue;
    if (own.Of(i) != kNoRegister) continue;
    const PartList list = PartsOf(value->getType());
    places.ForEachPart(*value->getType(), list, [&](unsigned, const ArgumentPlace& place) {
      if (list.count == 1 && place.reg != kNoRegister) Wish(value, place.reg, block);
    });
  }
}

void Analysis::Wish(const llvm::Value* value, Register reg, uint32_t block) {
  const uint32_t number = NumberOf(value);
  if (number == PointerMap::kMissing) return;
  ValuePart& part = values_[number];
  // Only what is used once: for others it would be moved away again.
  if (part.first_block != block || part.is_phi || part.is_alloca || part.uses != 0 ||
      part.parts != 1 || part.is_vector != IsVector(reg) || !llvm::isa<llvm::Instruction>(value) ||
      !value->hasOneUse()) {
    return;
  }
  part.wish = reg;
  wishes_.push_back(number);
}

void Analysis::CountUse(const llvm::Value* operand, uint32_t block) {
  const uint32_t number = NumberOf(operand);
  if (number == PointerMap::kMissing) return;
  ValuePart& value = values_[number];
  ++value.uses;
  const uint32_t depth = std::min(order_.blocks()[block].depth, kMostDepth);
  weights_[number] += 1u << (3 * depth);
  ExtendLife(value, block);
}

void Analysis::CountPhiUses(const llvm::PHINode& phi) {
  ValuePart& own = values_[NumberOf(&phi)];
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    const uint32_t predecessor = order_.NumberOf(phi.getIncomingBlock(i));
    if (predecessor == kNone) continue;
    // It is written at the end of the predecessor.
    Cover(own, predecessor);
    CountUse(phi.getIncomingValue(i), predecessor);
  }
  if (order_.has_irreducible_loop()) {
    own.first_block = 0;
    own.last_block = order_.blocks().size() - 1;
  }
}

void Analysis::ExtendLife(ValuePart& value, uint32_t block) {
  if (value.first_block == block && value.last_block == block) return;
  if (order_.has_irreducible_loop()) {
    value.first_block = 0;
    value.last_block = order_.blocks().size() - 1;
    return;
  }
  Cover(value, block);
  // Through every loop around the use that the definition is not in, the value is needed again.
  // (first_block is where a value is defined, or the first that writes a phi.)
  uint32_t loop = order_.blocks()[block].loop;
  while (loop != kNone) {
    const Loop& around = order_.loops()[loop];
    if (around.first_block <= value.first_block && value.first_block <= around.last_block) break;
    value.last_block = std::max(value.last_block, around.last_block);
    loop = around.parent;
  }
}

void Analysis::DeferUpdate(const llvm::StoreInst& store, uint32_t position) {
  const MemoryUpdate update = UpdateEndingIn(store);
  if (update.load == nullptr) return;
  ValuePart& result = values_[NumberOf(update.operation)];
  result.is_deferred = true;
  result.position = position;
}

bool Analysis::IsDeferrable(const llvm::Instruction& instruction, uint32_t next_write) {
  const auto* user = llvm::cast<llvm::Instruction>(*instruction.user_begin());
  if (user->getParent() != instruction.getParent() || llvm::isa<llvm::PHINode>(user)) return false;
  switch (instruction.getOpcode()) {
    case llvm::Instruction::ICmp:
    case llvm::Instruction::FCmp:
      if (instruction.getType()->isVectorTy()) return false;
      if (llvm::isa<llvm::BranchInst>(user)) return true;
      if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(user)) {
        return select->getCondition() == &instruction && !select->getType()->isVectorTy();
      }
      return false;
    case llvm::Instruction::GetElementPtr:
      if (instruction.getType()->isVectorTy()) return false;
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) return !load->isAtomic();
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        return !store->isAtomic() && store->getPointerOperand() == &instruction &&
               store->getValueOperand() != &instruction;
      }
      return false;
    case llvm::Instruction::Load: {
      const auto& load = llvm::cast<llvm::LoadInst>(instruction);
      if (!load.isSimple()) return false;
      const llvm::Type* type = load.getType();
      // Nothing that may write stands between the load and where its user is computed.
      const auto is_before_writes = [&] {
        const uint32_t of_user = NumberOf(user);
        return of_user != PointerMap::kMissing && next_write <= values_[of_user].position;
      };
      if (llvm::isa<llvm::ZExtInst>(user) || llvm::isa<llvm::SExtInst>(user)) {
        return (type->isIntegerTy(8) || type->isIntegerTy(16) || type->isIntegerTy(32)) &&
               user->getType()->isIntegerTy() && user->getType()->getIntegerBitWidth() <= 64 &&
               is_before_writes();
      }
      if (const auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(user);
          operation != nullptr && values_[NumberOf(operation)].is_deferred) {
        return UpdateBeginningWith(load).operation == operation && is_before_writes();
      }
      const bool is_compared = llvm::isa<llvm::ICmpInst>(user);
      if (!(type->isIntegerTy(32) || type->isIntegerTy(64) || type->isFloatTy() ||
            type->isDoubleTy() ||
            (is_compared &&
             (type->isPointerTy() || type->isIntegerTy(8) || type->isIntegerTy(16))))) {
        return false;
      }
      if (!llvm::isa<llvm::BinaryOperator>(user) && !llvm::isa<llvm::CmpInst>(user)) return false;
      switch (user->getOpcode()) {
        case llvm::Instruction::Add:
        case llvm::Instruction::And:
        case llvm::Instruction::Or:
        case llvm::Instruction::Xor:
        case llvm::Instruction::Mul:
        case llvm::Instruction::FAdd:
        case llvm::Instruction::FMul:
        case llvm::Instruction::Sub:
        case llvm::Instruction::FSub:
        case llvm::Instruction::FDiv:
        case llvm::Instruction::ICmp:
        case llvm::Instruction::FCmp:
          break;
        default:
          return false;
      }
      // The other operand may be a load that was found to be computed late first.
      const llvm::Value* other = user->getOperand(user->getOperand(0) == &instruction ? 1 : 0);
      if (user->getOperand(0) == &instruction && !llvm::isa<llvm::ICmpInst>(user) &&
          !(IsSwappable(*user) && !llvm::isa<llvm::Constant>(other))) {
        return false;
      }
      if (const uint32_t number = NumberOf(other);
          number != PointerMap::kMissing && values_[number].is_deferred) {
        return false;
      }
      return is_before_writes();
    }
    default:
      return false;
  }
}

void Analysis::CollectWhatDies() {
  for (uint32_t number = 0; number < values_.size(); number += values_[number].parts) {
    ValuePart& value = values_[number];
    if (value.first_block == value.last_block || value.is_alloca) continue;
    uint32_t& list = facts_[value.last_block].first_to_die;
    value.next_to_die = list;
    list = number;
  }
}

}  // namespace firstcall::baseline
