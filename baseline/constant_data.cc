#include "baseline/constant_data.h"

#include <cstring>

#include "baseline/constants.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/Module.h"

namespace firstcall::baseline {
namespace {

// A larger one would be copied into many functions.
constexpr uint64_t kMostBytes = 16384;
constexpr uint64_t kMostAlignment = 16;

bool IsCandidate(const llvm::GlobalValue& global) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&global);
  if (variable == nullptr || !variable->isConstant() || !variable->hasInitializer() ||
      !variable->hasLocalLinkage() || !variable->hasGlobalUnnamedAddr() ||
      variable->isThreadLocal()) {
    return false;
  }
  const llvm::DataLayout& layout = global.getParent()->getDataLayout();
  return variable->getAlign().valueOrOne().value() <= kMostAlignment &&
         layout.getTypeAllocSize(variable->getValueType()) <= kMostBytes;
}

// Writes a constant at `offset`; false if it is no number and no address of another symbol.
bool Write(const llvm::Constant& constant, uint64_t offset, const llvm::DataLayout& layout,
           ConstantData& data) {
  if (constant.isNullValue() || llvm::isa<llvm::UndefValue>(constant)) return true;
  const llvm::Type* type = constant.getType();
  if (const auto* sequence = llvm::dyn_cast<llvm::ConstantDataSequential>(&constant)) {
    const llvm::StringRef bytes = sequence->getRawDataValues();
    std::memcpy(data.bytes.data() + offset, bytes.data(), bytes.size());
    return true;
  }
  if (const auto* structure = llvm::dyn_cast<llvm::ConstantStruct>(&constant)) {
    const llvm::StructLayout* members = layout.getStructLayout(structure->getType());
    for (unsigned i = 0; i < structure->getNumOperands(); ++i) {
      const uint64_t at = offset + members->getElementOffset(i).getFixedValue();
      if (!Write(*structure->getOperand(i), at, layout, data)) return false;
    }
    return true;
  }
  if (const auto* array = llvm::dyn_cast<llvm::ConstantArray>(&constant)) {
    const uint64_t size = layout.getTypeAllocSize(array->getType()->getElementType());
    for (unsigned i = 0; i < array->getNumOperands(); ++i) {
      if (!Write(*array->getOperand(i), offset + i * size, layout, data)) return false;
    }
    return true;
  }
  if (!type->isIntegerTy() && !type->isFloatTy() && !type->isDoubleTy() && !type->isPointerTy()) {
    return false;
  }
  const uint64_t size = layout.getTypeStoreSize(constant.getType());
  if (size > 8) return false;
  const ConstantPart part = PartOf(constant, 0, layout);
  if (part.kind == ConstantPart::Kind::kBits) {
    // What lies above the width of an integer is zero in memory.
    uint64_t bits = part.low;
    if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
      bits = integer->getZExtValue();
    }
    std::memcpy(data.bytes.data() + offset, &bits, size);
    return true;
  }
  if (part.kind != ConstantPart::Kind::kAddress || size != 8 || part.global->isThreadLocal() ||
      (llvm::isa<llvm::GlobalVariable>(part.global) && part.global->hasLocalLinkage())) {
    return false;
  }
  data.addresses.push_back(
      {static_cast<uint32_t>(offset), part.global, static_cast<int64_t>(part.low)});
  return true;
}

bool Write(const llvm::GlobalValue& global, ConstantData& data) {
  const auto& variable = llvm::cast<llvm::GlobalVariable>(global);
  const llvm::DataLayout& layout = global.getParent()->getDataLayout();
  data.bytes.resize(layout.getTypeAllocSize(variable.getValueType()));
  return Write(*variable.getInitializer(), 0, layout, data);
}

}  // namespace

bool IsCopied(const llvm::GlobalValue& global) {
  if (!IsCandidate(global)) return false;
  // The usual ones, strings, need not be written to know it.
  const llvm::Constant* value = llvm::cast<llvm::GlobalVariable>(global).getInitializer();
  if (llvm::isa<llvm::ConstantDataSequential>(value) || value->isNullValue()) return true;
  ConstantData data;
  return Write(global, data);
}

ConstantData DataOf(const llvm::GlobalValue& global) {
  ConstantData data;
  Write(global, data);
  return data;
}

}  // namespace firstcall::baseline
