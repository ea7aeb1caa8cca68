#include "backend/baseline/variables.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "backend/baseline/constant_data.h"
#include "backend/baseline/constants.h"
#include "backend/baseline/symbol_name.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "object/large_section.h"

namespace firstcall::baseline {
namespace {

constexpr uint64_t kMostAlignment = 4096;
// Of a variable that is not all zeros.
constexpr uint64_t kMostBytes = uint64_t{1} << 31;

// Lists for the linker, and metadata, which no code refers to.
bool IsForTheLinker(const llvm::GlobalVariable& variable) {
  return variable.getName() == "llvm.used" || variable.getName() == "llvm.compiler.used" ||
         variable.getSection() == "llvm.metadata";
}

bool IsPartOfCode(const llvm::GlobalVariable& variable) {
  if (IsCopied(variable)) return true;
  const auto* table = llvm::dyn_cast<llvm::ConstantArray>(variable.getInitializer());
  if (table == nullptr) return false;
  const auto* label = llvm::dyn_cast<llvm::BlockAddress>(table->getOperand(0));
  return label != nullptr && IsLabelTable(variable, *label->getFunction());
}

class VariableWriter {
 public:
  explicit VariableWriter(CompiledCode& code) : code_(code) {}

  Refusal Write(const llvm::GlobalVariable& variable) {
    const llvm::DataLayout& layout = variable.getParent()->getDataLayout();
    const llvm::Align alignment = layout.getPreferredAlign(&variable);
    const uint64_t size = layout.getTypeAllocSize(variable.getValueType());
    const llvm::Constant& initializer = *variable.getInitializer();
    const bool is_zero = !variable.isConstant() &&
                         (initializer.isNullValue() || llvm::isa<llvm::UndefValue>(initializer));
    const bool is_large_zero = is_zero && variable.getSection() == kLargeZeroSection;
    if (variable.isThreadLocal() || (variable.hasSection() && !is_large_zero) ||
        variable.hasImplicitSection() || variable.hasCommonLinkage() ||
        variable.hasAppendingLinkage() || variable.getAddressSpace() != 0 ||
        alignment.value() > kMostAlignment || (size > kMostBytes && !is_zero)) {
      return Refusal::kVariable;
    }
    if (variable.hasMetadata(llvm::LLVMContext::MD_dbg)) return Refusal::kDebugInformation;
    if (!is_zero && !WriteData(variable, data_)) return Refusal::kVariable;
    const uint32_t number = SymbolOf(variable);
    CodeSymbol& symbol = code_.symbols[number];
    symbol.is_defined = true;
    symbol.is_local = variable.hasLocalLinkage();
    symbol.section = static_cast<uint32_t>(code_.sections.size());
    symbol.size = size;
    CodeSection& section = code_.sections.emplace_back();
    section.alignment = static_cast<uint32_t>(alignment.value());
    // Two variables never have the same address.
    if (is_zero) {
      section.kind = is_large_zero ? SectionKind::kLargeZeroData : SectionKind::kZeroData;
      section.zeros = std::max<uint64_t>(size, 1);
      return Refusal::kNone;
    }
    section.kind = variable.isConstant() ? SectionKind::kReadOnlyData : SectionKind::kData;
    section.bytes = std::move(data_.bytes);
    if (section.bytes.empty()) section.bytes.push_back(0);
    for (const ConstantData::Reference& reference : data_.references) {
      const uint32_t target = SymbolOf(*reference.global);
      code_.relocations.push_back(
          {static_cast<uint32_t>(code_.sections.size() - 1), reference.offset, target,
           reference.is_distance ? RelocationKind::kRelative32 : RelocationKind::kAbsolute64,
           reference.addend});
    }
    return Refusal::kNone;
  }

 private:
  uint32_t SymbolOf(const llvm::GlobalValue& global) {
    const auto [found, is_new] =
        numbers_.try_emplace(&global, static_cast<uint32_t>(code_.symbols.size()));
    if (is_new) {
      const llvm::StringRef name = SymbolNameOf(global);
      CodeSymbol& symbol = code_.symbols.emplace_back();
      symbol.name = static_cast<uint32_t>(code_.names.size());
      symbol.name_size = static_cast<uint32_t>(name.size());
      symbol.is_weak =
          global.isDeclaration() ? global.hasExternalWeakLinkage() : global.isWeakForLinker();
      code_.names.append(name.data(), name.size());
    }
    return found->second;
  }

  CompiledCode& code_;
  ConstantData data_;
  llvm::SmallDenseMap<const llvm::GlobalValue*, uint32_t> numbers_;
};

}  // namespace

Refusal WriteVariables(const llvm::Module& module, CompiledCode& code) {
  code.sections.clear();
  code.relocations.clear();
  code.symbols.clear();
  code.names.clear();
  VariableWriter writer(code);
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (variable.isDeclaration() || variable.hasAvailableExternallyLinkage() ||
        IsForTheLinker(variable) || IsPartOfCode(variable)) {
      continue;
    }
    const Refusal refusal = writer.Write(variable);
    if (refusal != Refusal::kNone) return refusal;
  }
  return Refusal::kNone;
}

}  // namespace firstcall::baseline
