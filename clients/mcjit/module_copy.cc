#include "clients/mcjit/module_copy.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Mangler.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

namespace firstcall {
namespace {

constexpr const char* kLifecycleLists[] = {"llvm.global_ctors", "llvm.global_dtors"};

llvm::StringRef ToRef(absl::string_view text) { return {text.data(), text.size()}; }

// Changes of a module that end with this object.
class TemporaryChanges {
 public:
  explicit TemporaryChanges(llvm::Module& module) : module_(module) {}
  TemporaryChanges(const TemporaryChanges&) = delete;
  TemporaryChanges& operator=(const TemporaryChanges&) = delete;

  ~TemporaryChanges() {
    for (const Before& before : changed_) {
      before.value->setLinkage(before.linkage);
      if (auto* const object = llvm::dyn_cast<llvm::GlobalObject>(before.value)) {
        object->setComdat(before.comdat);
      }
    }
    for (auto removed = removed_.rbegin(); removed != removed_.rend(); ++removed) {
      module_.insertGlobalVariable(removed->second, removed->first);
    }
  }

  void SetLinkage(llvm::GlobalValue& value, llvm::GlobalValue::LinkageTypes linkage) {
    auto* const object = llvm::dyn_cast<llvm::GlobalObject>(&value);
    changed_.push_back(
        {&value, value.getLinkage(), object != nullptr ? object->getComdat() : nullptr});
    value.setLinkage(linkage);
    if (object != nullptr) object->setComdat(nullptr);
  }

  void Remove(llvm::GlobalVariable& variable) {
    const auto next = std::next(variable.getIterator());
    module_.removeGlobalVariable(&variable);
    removed_.push_back({&variable, next});
  }

 private:
  struct Before {
    llvm::GlobalValue* value;
    llvm::GlobalValue::LinkageTypes linkage;
    llvm::Comdat* comdat;
  };
  llvm::Module& module_;
  std::vector<Before> changed_;
  std::vector<std::pair<llvm::GlobalVariable*, llvm::Module::global_iterator>> removed_;
};

bool IsDefinition(const llvm::GlobalValue& value) {
  return !value.isDeclaration() && !value.hasAvailableExternallyLinkage();
}

bool IsShared(const llvm::GlobalValue& value) {
  return value.hasName() && !value.hasLocalLinkage() && !value.hasAppendingLinkage() &&
         !value.getName().starts_with("llvm.");
}

void AddName(const llvm::GlobalValue& value, ModuleCopy& copy) {
  if (!IsShared(value)) return;
  if (IsDefinition(value)) {
    copy.defined.push_back(ObjectNameOf(value));
  } else if (!value.use_empty()) {
    copy.declared.push_back(ObjectNameOf(value));
  }
}

void DecideWeakDefinition(llvm::GlobalValue& value,
                          absl::FunctionRef<bool(const std::string& name)> is_defined,
                          TemporaryChanges& changes) {
  if (!IsShared(value) || !IsDefinition(value) || !value.isWeakForLinker()) return;
  // An alias cannot become a declaration; the module keeps its own.
  const bool gives_way = llvm::isa<llvm::GlobalObject>(value) &&
                         !llvm::isa<llvm::GlobalIFunc>(value) && is_defined(ObjectNameOf(value));
  changes.SetLinkage(value, gives_way ? llvm::GlobalValue::AvailableExternallyLinkage
                                      : llvm::GlobalValue::ExternalLinkage);
}

}  // namespace

std::string ObjectNameOf(absl::string_view name, const llvm::DataLayout& layout) {
  std::string result;
  llvm::raw_string_ostream stream(result);
  llvm::Mangler::getNameWithPrefix(stream, ToRef(name), layout);
  stream.flush();
  return result;
}

std::string ObjectNameOf(const llvm::GlobalValue& value) {
  return ObjectNameOf(std::string(value.getName()), value.getParent()->getDataLayout());
}

ModuleCopy NamesOf(const llvm::Module& module) {
  ModuleCopy names;
  for (const llvm::GlobalValue& value : module.global_values()) AddName(value, names);
  return names;
}

const llvm::GlobalValue* DefinitionIn(const llvm::Module& module, absl::string_view name,
                                      bool functions_only) {
  const llvm::Function* const function = module.getFunction(ToRef(name));
  if (function != nullptr && IsDefinition(*function)) return function;
  if (functions_only) return nullptr;
  const llvm::GlobalVariable* const variable = module.getGlobalVariable(ToRef(name));
  if (variable != nullptr && IsDefinition(*variable)) return variable;
  const llvm::GlobalValue* const other = module.getNamedValue(ToRef(name));
  return other != nullptr && !llvm::isa<llvm::GlobalObject>(other) ? other : nullptr;
}

absl::StatusOr<ModuleCopy> CopyModule(llvm::Module& module,
                                      absl::FunctionRef<bool(const std::string& name)> is_defined) {
  for (const llvm::Function& function : module) {
    if (!function.hasName()) return absl::UnimplementedError("a function has no name");
  }
  ModuleCopy copy;
  TemporaryChanges changes(module);
  for (const char* list : kLifecycleLists) {
    if (llvm::GlobalVariable* variable = module.getNamedGlobal(list)) changes.Remove(*variable);
  }
  for (llvm::GlobalValue& value : module.global_values()) {
    DecideWeakDefinition(value, is_defined, changes);
    AddName(value, copy);
  }
  llvm::raw_string_ostream stream(copy.bitcode);
  llvm::WriteBitcodeToFile(module, stream);
  stream.flush();
  return copy;
}

}  // namespace firstcall
