#include "splitter/computed_initializer.h"

#include <algorithm>

#include "base/string_ref.h"
#include "llvm/IR/Constants.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

bool HoldsDistance(const llvm::Constant& part) {
  const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(&part);
  if (expression == nullptr) return false;
  if (expression->getOpcode() == llvm::Instruction::Sub) return true;
  return std::any_of(expression->op_begin(), expression->op_end(), [](const llvm::Use& operand) {
    return HoldsDistance(*llvm::cast<llvm::Constant>(operand.get()));
  });
}

}  // namespace

ComputedInitializers::ComputedInitializers(llvm::Module& data_module) : module_(data_module) {}

ComputedInitializers::~ComputedInitializers() {
  if (builder_ != nullptr) builder_->CreateRetVoid();
}

void ComputedInitializers::Compute(llvm::GlobalVariable& variable) {
  if (builder_ == nullptr) {
    llvm::LLVMContext& context = module_.getContext();
    auto* function = llvm::Function::Create(
        llvm::FunctionType::get(llvm::Type::getVoidTy(context), /*isVarArg=*/false),
        llvm::GlobalValue::ExternalLinkage, ToStringRef(kInitializer), &module_);
    builder_ = std::make_unique<llvm::IRBuilder<>>(llvm::BasicBlock::Create(context, "", function));
  }
  variable.setInitializer(Defer(*variable.getInitializer(), /*offset=*/0, variable));
  variable.setConstant(false);
  if (variable.hasSection()) sections_.insert(variable.getSection());
}

void ComputedInitializers::UniteSections() {
  for (llvm::GlobalVariable& variable : module_.globals()) {
    if (variable.hasSection() && sections_.contains(variable.getSection())) {
      variable.setConstant(false);
    }
  }
}

llvm::Constant* ComputedInitializers::Defer(llvm::Constant& part, uint64_t offset,
                                            llvm::GlobalVariable& variable) {
  const llvm::DataLayout& layout = module_.getDataLayout();
  llvm::Type* type = part.getType();
  if (HoldsDistance(part)) {
    builder_->CreateAlignedStore(
        &part, builder_->CreatePtrAdd(&variable, builder_->getInt64(offset)), llvm::Align(1));
    return llvm::Constant::getNullValue(type);
  }
  if (!llvm::isa<llvm::ConstantArray, llvm::ConstantStruct>(part)) return &part;
  llvm::SmallVector<llvm::Constant*, 16> elements;
  for (unsigned i = 0; i < part.getNumOperands(); ++i) {
    auto* element = llvm::cast<llvm::Constant>(part.getOperand(i));
    const uint64_t position =
        llvm::isa<llvm::StructType>(type)
            ? layout.getStructLayout(llvm::cast<llvm::StructType>(type))->getElementOffset(i)
            : i * layout.getTypeAllocSize(element->getType()).getFixedValue();
    elements.push_back(Defer(*element, offset + position, variable));
  }
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    return llvm::ConstantArray::get(array, elements);
  }
  return llvm::ConstantStruct::get(llvm::cast<llvm::StructType>(type), elements);
}

}  // namespace firstcall
