#include "splitter/table_entries.h"

#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "object/symbol_name.h"
#include "splitter/object_name.h"

namespace firstcall {
namespace {

// The same aggregate with other elements.
llvm::Constant* WithElements(const llvm::ConstantAggregate& aggregate,
                             llvm::ArrayRef<llvm::Constant*> elements) {
  if (auto* type = llvm::dyn_cast<llvm::StructType>(aggregate.getType())) {
    return llvm::ConstantStruct::get(type, elements);
  }
  return llvm::ConstantArray::get(llvm::cast<llvm::ArrayType>(aggregate.getType()), elements);
}

}  // namespace

void TableEntries::Name(llvm::GlobalVariable& variable) {
  // A section of the user's must keep the properties that its other variables give it.
  if (!variable.isConstant() || !variable.hasInitializer() || variable.isThreadLocal() ||
      variable.hasSection() || variable.getAddressSpace() != 0) {
    return;
  }
  llvm::Constant* const named = Named(*variable.getInitializer());
  if (named == variable.getInitializer()) return;
  variable.setInitializer(named);
  variable.setConstant(false);
}

// Looks at the elements of structures and arrays only. A function in an expression, such as the
// distance to it, keeps its stub.
llvm::Constant* TableEntries::Named(llvm::Constant& constant) {
  if (auto* function = llvm::dyn_cast<llvm::Function>(&constant)) return NamedFunction(*function);
  auto* aggregate = llvm::dyn_cast<llvm::ConstantAggregate>(&constant);
  if (aggregate == nullptr || aggregate->getType()->isVectorTy()) return &constant;
  llvm::SmallVector<llvm::Constant*, 16> elements;
  bool is_changed = false;
  for (llvm::Use& operand : aggregate->operands()) {
    auto* element = llvm::cast<llvm::Constant>(operand.get());
    elements.push_back(Named(*element));
    is_changed = is_changed || elements.back() != element;
  }
  return is_changed ? WithElements(*aggregate, elements) : &constant;
}

llvm::Function* TableEntries::NamedFunction(llvm::Function& stub) {
  const auto [known, is_new] = named_.try_emplace(&stub, &stub);
  if (!is_new) return known->second;
  const std::string name = ObjectName(stub);
  const SymbolReference reference = ParseReference(name);
  if (reference.kind != ReferenceKind::kStub) return &stub;
  const std::optional<SymbolOrdinal> ordinal = index_.Find(reference.name);
  if (!ordinal || index_.at(*ordinal).kind != SymbolKind::kFunction) return &stub;
  const auto* original = llvm::dyn_cast<llvm::Function>(&view_.symbol(*ordinal));
  // A function with prefix data has it in front of its address.
  if (original == nullptr || !original->hasGlobalUnnamedAddr() || original->hasPrefixData()) {
    return &stub;
  }
  auto* named = llvm::Function::Create(
      stub.getFunctionType(), llvm::GlobalValue::ExternalLinkage, stub.getAddressSpace(),
      IrName(absl::StrCat(reference.name, kTableSuffix), *original), stub.getParent());
  named->setDSOLocal(stub.isDSOLocal());
  return known->second = named;
}

}  // namespace firstcall
