#include "clients/orc/module_division.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "clients/orc/compile_units_aside.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Mangler.h"
#include "llvm/Support/Casting.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

llvm::StringRef ToRef(absl::string_view text) { return {text.data(), text.size()}; }

bool IsDefinition(const llvm::GlobalValue& value) {
  return !value.isDeclaration() && !value.hasAvailableExternallyLinkage();
}

bool IsListOfUsed(const llvm::GlobalVariable& variable) {
  return variable.getName() == "llvm.used" || variable.getName() == "llvm.compiler.used";
}

std::string ObjectNameOf(const llvm::GlobalValue& value) {
  std::string name;
  llvm::raw_string_ostream stream(name);
  llvm::Mangler().getNameWithPrefix(stream, &value, /*CannotUsePrivateLabel=*/true);
  return name;
}

// What a constant consists of that can be shared between modules: global values and addresses of
// blocks.
struct References {
  llvm::SmallVector<llvm::GlobalValue*, 8> globals;
  bool has_block = false;
};

void AddReferencesOf(llvm::Value* value, llvm::SmallPtrSetImpl<llvm::Value*>& seen,
                     References& references) {
  llvm::SmallVector<llvm::Value*, 8> work = {value};
  while (!work.empty()) {
    llvm::Value* const next = work.pop_back_val();
    auto* const constant = llvm::dyn_cast<llvm::Constant>(next);
    if (constant == nullptr || llvm::isa<llvm::ConstantData>(constant)) continue;
    if (!seen.insert(constant).second) continue;
    if (auto* const global = llvm::dyn_cast<llvm::GlobalValue>(constant)) {
      references.globals.push_back(global);
      continue;
    }
    if (auto* const block = llvm::dyn_cast<llvm::BlockAddress>(constant)) {
      references.has_block = true;
      references.globals.push_back(block->getFunction());
      continue;
    }
    work.append(constant->op_begin(), constant->op_end());
  }
}

References ReferencesOf(llvm::GlobalValue& value) {
  References references;
  llvm::SmallPtrSet<llvm::Value*, 16> seen;
  for (llvm::Value* operand : value.operands()) AddReferencesOf(operand, seen, references);
  if (auto* const function = llvm::dyn_cast<llvm::Function>(&value)) {
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      for (llvm::Value* operand : instruction.operands()) {
        AddReferencesOf(operand, seen, references);
      }
    }
  }
  return references;
}

// Whether the value of a constant may stand in both parts: nothing compares addresses, and it
// consists of numbers alone.
bool MayStandTwice(llvm::GlobalVariable& variable) {
  return variable.isConstant() && variable.hasLocalLinkage() && variable.hasGlobalUnnamedAddr() &&
         !variable.isThreadLocal() && !variable.hasSection() &&
         ReferencesOf(variable).globals.empty();
}

// Decides for each definition of a module to which part it belongs.
class Partition {
 public:
  Partition(llvm::Module& module, bool emulates_thread_locals) : module_(module) {
    if (!emulates_thread_locals) AddUsersOfThreadLocals();
    for (llvm::Function& function : module) {
      if (IsDefinition(function) && function.hasGC()) AddToRest(function);
    }
    for (llvm::GlobalVariable& variable : module.globals()) {
      if (!IsDefinition(variable) || IsListOfUsed(variable)) continue;
      const bool is_others = !variable.hasLocalLinkage() || variable.isThreadLocal() ||
                             variable.hasSection() || variable.hasPartition() ||
                             variable.hasComdat() || variable.hasMetadata("associated");
      if (is_others) AddToRest(variable);
    }
    for (llvm::GlobalVariable& variable : module.globals()) {
      if (IsListOfUsed(variable) && IsDefinition(variable)) AddListed(variable);
    }
    for (llvm::GlobalAlias& alias : module.aliases()) {
      llvm::GlobalObject* const base = alias.getAliaseeObject();
      if (base == nullptr || !IsDefinition(*base)) {
        obstacle_ = "an alias of no definition";
      } else if (llvm::isa<llvm::GlobalVariable>(base) && !alias.hasLocalLinkage()) {
        AddToRest(*base);
      }
    }
    Complete();
  }

  bool IsOfRest(const llvm::GlobalValue& value) const {
    if (const auto* const alias = llvm::dyn_cast<llvm::GlobalAlias>(&value)) {
      return rest_.contains(alias->getAliaseeObject());
    }
    return rest_.contains(&value);
  }
  bool is_empty() const { return rest_.empty(); }
  // Constants that both parts have.
  bool IsOfBoth(const llvm::GlobalValue& value) const { return both_.contains(&value); }
  // Whether the value, a local definition, is known to the other part.
  bool IsShared(const llvm::GlobalValue& value) const { return shared_.contains(&value); }
  // Why the module cannot be divided, in a few words; null if it can be.
  const char* obstacle() const { return obstacle_; }

 private:
  void AddToRest(llvm::GlobalValue& value) {
    if (rest_.insert(&value).second) work_.push_back(&value);
  }

  void AddUsersOfThreadLocals() {
    for (llvm::Function& function : module_) {
      if (!IsDefinition(function)) continue;
      for (const llvm::GlobalValue* used : ReferencesOf(function).globals) {
        if (used->isThreadLocal()) AddToRest(function);
      }
    }
  }

  // What a list of used definitions has: functions may stay what they are.
  void AddListed(llvm::GlobalVariable& list) {
    for (llvm::GlobalValue* used : ReferencesOf(list).globals) {
      if (llvm::isa<llvm::GlobalVariable>(used) && IsDefinition(*used)) AddToRest(*used);
    }
  }

  // Something of the rest refers to `value`.
  void AddReferenceOfRest(llvm::GlobalValue& value) {
    if (!IsDefinition(value)) return;
    auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(&value);
    if (variable != nullptr && MayStandTwice(*variable)) {
      both_.insert(variable);
    } else if (variable != nullptr) {
      AddToRest(*variable);
    } else if (auto* const alias = llvm::dyn_cast<llvm::GlobalAlias>(&value)) {
      llvm::GlobalObject* const base = alias->getAliaseeObject();
      if (base != nullptr && llvm::isa<llvm::GlobalVariable>(base)) AddToRest(*base);
      if (value.hasLocalLinkage()) shared_.insert(&value);
    } else if (value.hasLocalLinkage()) {
      shared_.insert(&value);
    }
  }

  // Follows references from the rest, and brings local variables there that refer to something
  // that the engine does not have. An engine that links data would otherwise look names up while
  // other threads wait for its data.
  void Complete() {
    for (bool is_complete = false; !is_complete;) {
      while (!work_.empty()) {
        const References references = ReferencesOf(*work_.pop_back_val());
        if (references.has_block) obstacle_ = "addresses of blocks in data";
        for (llvm::GlobalValue* value : references.globals) AddReferenceOfRest(*value);
      }
      is_complete = true;
      for (llvm::GlobalVariable& variable : module_.globals()) {
        if (!IsDefinition(variable) || IsListOfUsed(variable) || rest_.contains(&variable)) {
          continue;
        }
        const References references = ReferencesOf(variable);
        if (llvm::any_of(references.globals, [&](llvm::GlobalValue* value) {
              return !IsDefinition(*value) || IsOfRest(*value);
            })) {
          AddToRest(variable);
          is_complete = false;
        }
      }
    }
    for (llvm::GlobalValue& value : module_.global_values()) {
      if (IsDefinition(value) && value.hasLocalLinkage() && IsOfRest(value) &&
          !llvm::all_of(value.users(),
                        [&](const llvm::User* user) { return IsUserOfRest(*user); })) {
        shared_.insert(&value);
      }
    }
  }

  // Whether only the rest has the user. A constant may have users of its own in both parts.
  bool IsUserOfRest(const llvm::User& user) const {
    if (const auto* const instruction = llvm::dyn_cast<llvm::Instruction>(&user)) {
      return rest_.contains(instruction->getFunction());
    }
    if (const auto* const global = llvm::dyn_cast<llvm::GlobalValue>(&user)) {
      const auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(global);
      return IsOfRest(*global) || (variable != nullptr && IsListOfUsed(*variable));
    }
    return llvm::all_of(user.users(), [&](const llvm::User* next) { return IsUserOfRest(*next); });
  }

  llvm::Module& module_;
  llvm::DenseSet<const llvm::GlobalValue*> rest_;
  llvm::DenseSet<const llvm::GlobalValue*> both_;
  llvm::DenseSet<const llvm::GlobalValue*> shared_;
  llvm::SmallVector<llvm::GlobalValue*, 16> work_;  // Of `rest_`, not yet looked through.
  const char* obstacle_ = nullptr;
};

void Share(llvm::GlobalValue& value, absl::string_view prefix) {
  llvm::StringRef name = value.getName();
  name.consume_front("\1");
  value.setName(absl::StrCat(prefix, name.str()));
  value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  value.setVisibility(llvm::GlobalValue::DefaultVisibility);
  value.setDSOLocal(false);
}

void EraseListsOfUsed(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    if (IsListOfUsed(variable)) variable.eraseFromParent();
  }
}

std::unique_ptr<llvm::Module> CopyRest(llvm::Module& module, const Partition& partition) {
  for (llvm::GlobalValue& value : module.global_values()) {
    if (!partition.IsOfRest(value)) continue;
    if (auto* const function = llvm::dyn_cast<llvm::Function>(&value)) {
      llvm::stripDebugInfo(*function);
    } else if (auto* const object = llvm::dyn_cast<llvm::GlobalObject>(&value)) {
      object->eraseMetadata(llvm::LLVMContext::MD_dbg);
    }
  }
  llvm::ValueToValueMapTy copies;
  const CompileUnitsAside aside(module);
  std::unique_ptr<llvm::Module> rest =
      llvm::CloneModule(module, copies, [&](const llvm::GlobalValue* value) {
        return partition.IsOfRest(*value) || partition.IsOfBoth(*value);
      });
  for (llvm::GlobalValue& value : llvm::make_early_inc_range(rest->globals())) {
    if (value.isDeclaration() && value.use_empty()) value.eraseFromParent();
  }
  for (llvm::Function& function : llvm::make_early_inc_range(*rest)) {
    if (function.isDeclaration() && function.use_empty()) function.eraseFromParent();
  }
  for (llvm::GlobalObject& object : rest->global_objects()) object.setComdat(nullptr);
  for (llvm::GlobalValue& value : module.global_values()) {
    if (partition.IsShared(value) && partition.IsOfRest(value)) {
      llvm::cast<llvm::GlobalValue>(copies[&value])
          ->setVisibility(llvm::GlobalValue::HiddenVisibility);
    }
  }
  return rest;
}

// What an alias of the rest stands for is declared in its place.
void ReplaceByDeclaration(llvm::GlobalAlias& alias) {
  llvm::Module& module = *alias.getParent();
  llvm::GlobalValue* declaration = nullptr;
  if (auto* const type = llvm::dyn_cast<llvm::FunctionType>(alias.getValueType())) {
    declaration = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                         alias.getAddressSpace(), "", &module);
  } else {
    declaration = new llvm::GlobalVariable(module, alias.getValueType(), /*isConstant=*/false,
                                           llvm::GlobalValue::ExternalLinkage,
                                           /*Initializer=*/nullptr, "", /*InsertBefore=*/nullptr,
                                           alias.getThreadLocalMode(), alias.getAddressSpace());
  }
  declaration->takeName(&alias);
  alias.replaceAllUsesWith(declaration);
  alias.eraseFromParent();
}

void MakeDeclaration(llvm::GlobalObject& object) {
  if (auto* const function = llvm::dyn_cast<llvm::Function>(&object)) {
    function->deleteBody();
    function->clearMetadata();
  } else {
    llvm::cast<llvm::GlobalVariable>(object).setInitializer(nullptr);
    object.setSection("");
    object.clearMetadata();
  }
  object.setLinkage(llvm::GlobalValue::ExternalLinkage);
  object.setVisibility(llvm::GlobalValue::DefaultVisibility);
  object.setDSOLocal(false);
}

// Leaves `module` with the functions.
void DropRest(llvm::Module& module, const Partition& partition) {
  for (llvm::GlobalAlias& alias : llvm::make_early_inc_range(module.aliases())) {
    if (partition.IsOfRest(alias)) ReplaceByDeclaration(alias);
  }
  for (llvm::GlobalObject& object : module.global_objects()) {
    if (partition.IsOfRest(object)) MakeDeclaration(object);
  }
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    if (!variable.isDeclaration()) continue;
    variable.removeDeadConstantUsers();
    if (variable.use_empty()) variable.eraseFromParent();
  }
}

void AddNames(const llvm::Module& functions, bool emulates_thread_locals, DividedModule& divided) {
  for (const llvm::GlobalValue& value : functions.global_values()) {
    if (value.hasLocalLinkage() || value.getName().starts_with("llvm.")) continue;
    if (IsDefinition(value)) {
      divided.defined.push_back(ObjectNameOf(value));
    } else if (!value.use_empty() && !value.hasExternalWeakLinkage()) {
      const bool is_emulated = value.isThreadLocal() && emulates_thread_locals;
      divided.needed.push_back(
          absl::StrCat(is_emulated ? kEmulatedTlsPrefix : "", ObjectNameOf(value)));
    }
  }
}

// ORC has chosen among weak definitions.
void MakeDefinitionsStrong(llvm::Module& functions) {
  for (llvm::GlobalValue& value : functions.global_values()) {
    if (IsDefinition(value) && !value.hasLocalLinkage() && !value.hasAppendingLinkage()) {
      value.setLinkage(llvm::GlobalValue::ExternalLinkage);
    }
    if (auto* const object = llvm::dyn_cast<llvm::GlobalObject>(&value)) object->setComdat(nullptr);
  }
  if (llvm::GlobalVariable* const handle = functions.getGlobalVariable(ToRef(kDsoHandle));
      handle != nullptr && handle->isDeclaration()) {
    handle->setName(std::string(kDylibHandle));
    handle->setVisibility(llvm::GlobalValue::DefaultVisibility);
    handle->setDSOLocal(false);
  }
}

const char* ObstacleOf(const llvm::Module& module) {
  if (!module.getModuleInlineAsm().empty()) return "assembly of the module";
  if (!module.ifuncs().empty()) return "ifuncs";
  for (const llvm::GlobalValue& value : module.global_values()) {
    if (!value.hasName() && !value.hasLocalLinkage()) return "a global definition without a name";
    // Linkers define these for each object, and code generators put into sections what they like.
    const llvm::StringRef name = value.getName();
    if (value.isDeclaration() && (name.starts_with("__start_") || name.starts_with("__stop_") ||
                                  name == "__LLVM_StackMaps")) {
      return "bounds of sections";
    }
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<DividedModule> DivideModule(llvm::Module& module, absl::string_view prefix,
                                           bool emulates_thread_locals) {
  if (const char* const obstacle = ObstacleOf(module)) {
    return absl::UnimplementedError(obstacle);
  }
  const Partition partition(module, emulates_thread_locals);
  if (partition.obstacle() != nullptr) return absl::UnimplementedError(partition.obstacle());
  DividedModule divided;
  EraseListsOfUsed(module);
  for (llvm::GlobalValue& value : module.global_values()) {
    if (!partition.IsShared(value)) continue;
    Share(value, prefix);
    std::vector<std::string>& names =
        partition.IsOfRest(value) ? divided.shared_rest : divided.shared_functions;
    names.push_back(ObjectNameOf(value));
  }
  if (!partition.is_empty()) divided.rest = CopyRest(module, partition);
  DropRest(module, partition);
  MakeDefinitionsStrong(module);
  AddNames(module, emulates_thread_locals, divided);
  llvm::raw_string_ostream stream(divided.functions);
  llvm::WriteBitcodeToFile(module, stream);
  return divided;
}

}  // namespace firstcall
