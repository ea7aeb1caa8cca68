#include "backend/baseline/constant_data.h"

#include <algorithm>
#include <cstring>

#include "backend/baseline/constants.h"
#include "llvm/IR/Constants.h"
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
      variable->isThreadLocal() || variable->hasSection() || variable->hasImplicitSection()) {
    return false;
  }
  const llvm::DataLayout& layout = global.getParent()->getDataLayout();
  return variable->getAlign().valueOrOne().value() <= kMostAlignment &&
         layout.getTypeAllocSize(variable->getValueType()) <= kMostBytes;
}

bool IsUsedByInstructionsOnly(const llvm::Constant& constant) {
  return std::all_of(constant.user_begin(), constant.user_end(), [](const llvm::User* user) {
    if (llvm::isa<llvm::Instruction>(user)) return true;
    const auto* expression = llvm::dyn_cast<llvm::ConstantExpr>(user);
    return expression != nullptr && IsUsedByInstructionsOnly(*expression);
  });
}

bool IsLocalVariable(const llvm::GlobalValue& global) {
  return llvm::isa<llvm::GlobalVariable>(global) && global.hasLocalLinkage();
}

// Whether references to `global` from its own module go to the same object.
bool IsInSameObject(const llvm::GlobalValue& global) {
  return llvm::isa<llvm::GlobalVariable>(global) && !global.isDeclaration() &&
         !global.isWeakForLinker();
}

class DataWriter {
 public:
  DataWriter(const llvm::GlobalVariable& variable, ConstantData& data)
      : variable_(variable), layout_(variable.getParent()->getDataLayout()), data_(data) {}

  bool Write() {
    data_.references.clear();
    data_.bytes.assign(layout_.getTypeAllocSize(variable_.getValueType()), 0);
    return Write(*variable_.getInitializer(), 0);
  }

 private:
  bool Write(const llvm::Constant& constant, uint64_t offset) {
    if (constant.isNullValue() || llvm::isa<llvm::UndefValue>(constant)) return true;
    if (const auto* sequence = llvm::dyn_cast<llvm::ConstantDataSequential>(&constant)) {
      const llvm::StringRef bytes = sequence->getRawDataValues();
      std::memcpy(data_.bytes.data() + offset, bytes.data(), bytes.size());
      return true;
    }
    if (const auto* structure = llvm::dyn_cast<llvm::ConstantStruct>(&constant)) {
      const llvm::StructLayout* members = layout_.getStructLayout(structure->getType());
      for (unsigned i = 0; i < structure->getNumOperands(); ++i) {
        const uint64_t at = offset + members->getElementOffset(i).getFixedValue();
        if (!Write(*structure->getOperand(i), at)) return false;
      }
      return true;
    }
    if (const auto* array = llvm::dyn_cast<llvm::ConstantArray>(&constant)) {
      const uint64_t size = layout_.getTypeAllocSize(array->getType()->getElementType());
      for (unsigned i = 0; i < array->getNumOperands(); ++i) {
        if (!Write(*array->getOperand(i), offset + i * size)) return false;
      }
      return true;
    }
    if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&constant)) {
      return WriteBits(integer->getValue(), offset);
    }
    if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&constant)) {
      return WriteBits(number->getValueAPF().bitcastToAPInt(), offset);
    }
    return WriteReference(constant, offset);
  }

  // What lies above the width of a number is zero in memory.
  bool WriteBits(const llvm::APInt& bits, uint64_t offset) {
    std::memcpy(data_.bytes.data() + offset, bits.getRawData(), (bits.getBitWidth() + 7) / 8);
    return true;
  }

  bool WriteReference(const llvm::Constant& constant, uint64_t offset) {
    if (constant.getType()->isIntegerTy(32)) return WriteDistance(constant, offset);
    if (!constant.getType()->isPointerTy() && !constant.getType()->isIntegerTy(64)) return false;
    const ConstantPart part = PartOf(constant, 0, layout_);
    if (part.kind == ConstantPart::Kind::kBits) {
      return WriteBits(llvm::APInt(64, part.low), offset);
    }
    return part.kind == ConstantPart::Kind::kAddress &&
           AddReference(*part.global, offset, static_cast<int64_t>(part.low), false);
  }

  // trunc(address - an address in the variable itself), as in tables for llvm.load.relative.
  bool WriteDistance(const llvm::Constant& constant, uint64_t offset) {
    const auto* narrowed = llvm::dyn_cast<llvm::ConstantExpr>(&constant);
    if (narrowed == nullptr || narrowed->getOpcode() != llvm::Instruction::Trunc) return false;
    const auto* difference = llvm::dyn_cast<llvm::ConstantExpr>(narrowed->getOperand(0));
    if (difference == nullptr || difference->getOpcode() != llvm::Instruction::Sub) return false;
    const ConstantPart to = PartOf(*difference->getOperand(0), 0, layout_);
    const ConstantPart from = PartOf(*difference->getOperand(1), 0, layout_);
    // Only what is in the same object is certainly within reach.
    return to.kind == ConstantPart::Kind::kAddress && from.kind == ConstantPart::Kind::kAddress &&
           from.global == &variable_ && IsInSameObject(*to.global) &&
           AddReference(*to.global, offset, static_cast<int64_t>(to.low - from.low + offset), true);
  }

  bool AddReference(const llvm::GlobalValue& global, uint64_t offset, int64_t addend,
                    bool is_distance) {
    if (global.isThreadLocal()) return false;
    data_.references.push_back({static_cast<uint32_t>(offset), &global, addend, is_distance});
    return true;
  }

  const llvm::GlobalVariable& variable_;
  const llvm::DataLayout& layout_;
  ConstantData& data_;
};

}  // namespace

bool IsCopied(const llvm::GlobalValue& global) {
  if (!IsCandidate(global) || !IsUsedByInstructionsOnly(global)) return false;
  const auto& variable = llvm::cast<llvm::GlobalVariable>(global);
  // The usual ones, strings, need not be written to know it.
  const llvm::Constant* value = variable.getInitializer();
  if (llvm::isa<llvm::ConstantDataSequential>(value) || value->isNullValue()) return true;
  ConstantData data;
  return WriteData(variable, data) && std::none_of(data.references.begin(), data.references.end(),
                                                   [](const ConstantData::Reference& reference) {
                                                     return IsLocalVariable(*reference.global);
                                                   });
}

bool WriteData(const llvm::GlobalVariable& variable, ConstantData& data) {
  return DataWriter(variable, data).Write();
}

}  // namespace firstcall::baseline
