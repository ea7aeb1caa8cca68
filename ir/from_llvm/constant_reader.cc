#include "ir/from_llvm/constant_reader.h"

#include <string>
#include <utility>

#include "base/assembly_text.h"
#include "base/string_ref.h"
#include "ir/from_llvm/opcodes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/Casting.h"

namespace firstcall::ir {

void ConstantReader::Begin(Module& module) {
  module_ = &module;
  function_ = nullptr;
  of_function_ = nullptr;
  of_module_.Clear();
  blocks_.Clear();
}

void ConstantReader::AddGlobal(const llvm::GlobalValue& global) {
  std::vector<Constant>& constants = module_->mutable_constants();
  Constant& address = constants.emplace_back();
  address.kind = ConstantKind::kGlobal;
  address.type = types_.TypeOf(global.getType());
  address.global = static_cast<uint32_t>(constants.size() - 1);
  of_module_.Insert(&global, Operand::Constant(address.global));
}

void ConstantReader::BeginFunction(Function& function, OperandMap& operands) {
  function_ = &function;
  of_function_ = &operands;
}

// Constants may consist of each other to any depth, so there is no recursion.
Operand ConstantReader::OperandOf(const llvm::Value& source) {
  if (const Operand* const operand = Find(&source)) return *operand;
  work_.push_back(&source);
  while (!work_.empty()) {
    const llvm::Value* const value = work_.back();
    if (Find(value) == nullptr) {
      if (PushMissing(*value)) continue;
      const Operand operand = Append(Convert(*value));
      (function_ == nullptr ? of_module_ : *of_function_).Insert(value, operand);
    }
    work_.pop_back();
  }
  return *Find(&source);
}

const Operand* ConstantReader::Find(const llvm::Value* source) {
  if (function_ == nullptr) return of_module_.Find(source);
  if (const Operand* const operand = of_function_->Find(source)) return operand;
  const Operand* const operand = of_module_.Find(source);
  if (operand == nullptr) return nullptr;
  of_function_->Insert(source, *operand);
  return operand;
}

// Puts the constants that `source` consists of, and that are not there yet, before it.
bool ConstantReader::PushMissing(const llvm::Value& source) {
  if (!llvm::isa<llvm::ConstantAggregate, llvm::ConstantExpr, llvm::ConstantPtrAuth>(source)) {
    return false;
  }
  bool is_missing = false;
  const auto push = [&](const llvm::Value* part) {
    if (Find(part) != nullptr) return;
    work_.push_back(part);
    is_missing = true;
  };
  for (const llvm::Use& use : llvm::cast<llvm::User>(source).operands()) push(use.get());
  const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&source);
  if (expression != nullptr && expression->getOpcode() == llvm::Instruction::ShuffleVector) {
    push(expression->getShuffleMaskForBitcode());
  }
  return is_missing;
}

Operand ConstantReader::Append(const Constant& constant) {
  const size_t shared = module_->constants().size();
  if (function_ == nullptr) {
    module_->mutable_constants().push_back(constant);
    return Operand::Constant(static_cast<uint32_t>(shared));
  }
  function_->constants.push_back(constant);
  return Operand::Constant(static_cast<uint32_t>(shared + function_->constants.size() - 1));
}

// All that `source` consists of is there.
Constant ConstantReader::Convert(const llvm::Value& source) {
  Constant constant;
  constant.type = types_.TypeOf(source.getType());
  // What such a type consists of is not known.
  if (constant.type->kind == TypeKind::kOpaqueStruct) return constant;
  switch (source.getValueID()) {
    case llvm::Value::ConstantIntVal:
      SetInteger(llvm::cast<llvm::ConstantInt>(source), constant);
      break;
    case llvm::Value::ConstantFPVal:
      SetFloat(llvm::cast<llvm::ConstantFP>(source), constant);
      break;
    case llvm::Value::ConstantAggregateZeroVal:
    case llvm::Value::ConstantPointerNullVal:
    case llvm::Value::ConstantTokenNoneVal:
    case llvm::Value::ConstantTargetNoneVal:
      constant.kind = ConstantKind::kNull;
      break;
    case llvm::Value::UndefValueVal:
      constant.kind = ConstantKind::kUndef;
      break;
    case llvm::Value::PoisonValueVal:
      constant.kind = ConstantKind::kPoison;
      break;
    case llvm::Value::ConstantArrayVal:
    case llvm::Value::ConstantStructVal:
    case llvm::Value::ConstantVectorVal:
      constant.kind = ConstantKind::kAggregate;
      SetOperands(llvm::cast<llvm::User>(source), constant);
      break;
    case llvm::Value::ConstantDataArrayVal:
    case llvm::Value::ConstantDataVectorVal:
      SetData(llvm::cast<llvm::ConstantDataSequential>(source), constant);
      break;
    case llvm::Value::ConstantExprVal:
      SetExpression(llvm::cast<llvm::ConstantExpr>(source), constant);
      break;
    case llvm::Value::BlockAddressVal:
      SetBlockAddress(llvm::cast<llvm::BlockAddress>(source), constant);
      break;
    case llvm::Value::DSOLocalEquivalentVal:
      SetGlobal(*llvm::cast<llvm::DSOLocalEquivalent>(source).getGlobalValue(),
                ConstantKind::kDsoLocalEquivalent, constant);
      break;
    case llvm::Value::NoCFIValueVal:
      SetGlobal(*llvm::cast<llvm::NoCFIValue>(source).getGlobalValue(), ConstantKind::kNoCfi,
                constant);
      break;
    case llvm::Value::InlineAsmVal:
      SetAssembly(llvm::cast<llvm::InlineAsm>(source), constant);
      break;
    case llvm::Value::ConstantPtrAuthVal:
      SetOperands(llvm::cast<llvm::User>(source), constant);
      break;
    default:
      // A global is one of another module.
      break;
  }
  return constant;
}

void ConstantReader::SetInteger(const llvm::ConstantInt& source, Constant& constant) {
  if (!source.getType()->isIntegerTy()) return;  // A vector of equal integers.
  constant.kind = ConstantKind::kInteger;
  const llvm::APInt& value = source.getValue();
  if (value.getBitWidth() <= 64) {
    constant.set_bits(static_cast<uint64_t>(value.getSExtValue()));
  } else {
    constant.set_words({value.getRawData(), value.getNumWords()});
  }
}

void ConstantReader::SetFloat(const llvm::ConstantFP& source, Constant& constant) {
  if (!source.getType()->isFloatingPointTy()) return;  // A vector of equal numbers.
  constant.kind = ConstantKind::kFloat;
  const llvm::APInt bits = source.getValueAPF().bitcastToAPInt();
  if (bits.getBitWidth() <= 64) {
    constant.set_bits(bits.getZExtValue());
    return;
  }
  std::vector<uint64_t> words(bits.getRawData(), bits.getRawData() + bits.getNumWords());
  constant.set_words(function_ == nullptr ? module_->storage().Keep(std::move(words))
                                          : absl::MakeConstSpan(function_->word_lists.emplace_back(
                                                std::move(words))));
}

void ConstantReader::SetData(const llvm::ConstantDataSequential& source, Constant& constant) {
  const llvm::StringRef data = source.getRawDataValues();
  if (data.size() > UINT32_MAX) return;  // More than `count` can say.
  constant.kind = ConstantKind::kData;
  constant.set_data({data.data(), data.size()});
}

void ConstantReader::SetExpression(const llvm::ConstantExpr& source, Constant& constant) {
  if (!FindOpcode(source.getOpcode(), constant.opcode)) return;
  constant.kind = ConstantKind::kExpression;
  SetOperands(source, constant);
  if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(&source)) {
    constant.set_source_type(types_.TypeOf(address->getSourceElementType()));
  }
}

void ConstantReader::SetOperands(const llvm::User& source, Constant& constant) {
  std::vector<Operand> operands;
  operands.reserve(source.getNumOperands() + 1);
  for (const llvm::Use& use : source.operands()) operands.push_back(*Find(use.get()));
  if (constant.opcode == Opcode::kShuffleVector) {
    operands.push_back(*Find(llvm::cast<llvm::ConstantExpr>(source).getShuffleMaskForBitcode()));
  }
  constant.set_operands(Keep(std::move(operands)));
}

absl::Span<const Operand> ConstantReader::Keep(std::vector<Operand> operands) {
  if (function_ == nullptr) return module_->storage().Keep(std::move(operands));
  return function_->operand_lists.emplace_back(std::move(operands));
}

void ConstantReader::SetGlobal(const llvm::GlobalValue& global, ConstantKind kind,
                               Constant& constant) {
  constant.global = NumberOf(global);
  if (constant.global != kNone) constant.kind = kind;
}

void ConstantReader::SetBlockAddress(const llvm::BlockAddress& source, Constant& constant) {
  const llvm::Function& function = *source.getFunction();
  if (blocks_.Find(&function) == nullptr) NumberBlocks(function);
  const uint32_t* const block = blocks_.Find(source.getBasicBlock());
  if (block == nullptr) return;  // The function's body is not there.
  SetGlobal(function, ConstantKind::kBlockAddress, constant);
  constant.set_bits(*block);
}

void ConstantReader::SetAssembly(const llvm::InlineAsm& source, Constant& constant) {
  const absl::string_view text = ToStringView(source.getAsmString());
  const absl::string_view constraints = ToStringView(source.getConstraintString());
  if (!IsEmptyAssembly(text) || constraints.size() > UINT32_MAX) {
    constant.kind = ConstantKind::kInlineAssembly;
    if (function_ != nullptr && source.getDialect() == llvm::InlineAsm::AD_ATT &&
        !source.isAlignStack() && !source.canThrow()) {
      constant.set_assembly(&function_->assemblies.emplace_back(InlineAssembly{text, constraints}));
    }
    return;
  }
  constant.kind = ConstantKind::kEmptyAssembly;
  constant.set_data(constraints);
}

void ConstantReader::NumberBlocks(const llvm::Function& function) {
  blocks_.Insert(&function, 0);
  uint32_t number = 0;
  for (const llvm::BasicBlock& block : function) blocks_.Insert(&block, number++);
}

}  // namespace firstcall::ir
