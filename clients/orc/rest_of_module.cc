#include "clients/orc/rest_of_module.h"

#include <utility>

#include "absl/functional/function_ref.h"
#include "clients/orc/compile_units_aside.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/IR/Instruction.h"
#include "llvm/Support/Casting.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace firstcall {
namespace {

// Calls `visit` with the functions, by their instructions, and the variables that use `constant`,
// directly or in other constants.
void ForEachUser(const llvm::Constant& constant,
                 absl::FunctionRef<void(const llvm::GlobalValue& user)> visit) {
  llvm::SmallVector<const llvm::Constant*, 8> work = {&constant};
  llvm::SmallPtrSet<const llvm::Constant*, 8> seen;
  while (!work.empty()) {
    for (const llvm::User* user : work.pop_back_val()->users()) {
      if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
        visit(*instruction->getFunction());
      } else if (const auto* global = llvm::dyn_cast<llvm::GlobalValue>(user)) {
        visit(*global);
      } else if (const auto* next = llvm::dyn_cast<llvm::Constant>(user);
                 next != nullptr && seen.insert(next).second) {
        work.push_back(next);
      }
    }
  }
}

// What has to do with addresses of blocks: the blocks' functions, and the users of the addresses.
GlobalSet UsersOfBlocks(const llvm::Module& module) {
  GlobalSet users;
  for (const llvm::Function& function : module) {
    for (const llvm::BasicBlock& block : function) {
      if (!block.hasAddressTaken()) continue;
      const llvm::BlockAddress* const address = llvm::BlockAddress::lookup(&block);
      if (address == nullptr) continue;
      users.insert(&function);
      ForEachUser(*address, [&](const llvm::GlobalValue& user) { users.insert(&user); });
    }
  }
  return users;
}

// Lists such as llvm.used, which would be undefined symbols.
void EraseDeclaredLists(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    if (variable.isDeclaration() && variable.use_empty() &&
        (variable.getName().starts_with("llvm.") || variable.getSection() == "llvm.metadata")) {
      variable.eraseFromParent();
    }
  }
}

void AddSymbols(const llvm::GlobalValue& value, bool emulates_thread_locals,
                std::vector<std::string>& symbols) {
  llvm::StringRef name = value.getName();
  name.consume_front("\1");
  symbols.push_back(name.str());
  if (!value.isThreadLocal() || !emulates_thread_locals) return;
  for (const char* prefix : {"__emutls_v.", "__emutls_t."}) symbols.push_back(prefix + name.str());
}

}  // namespace

const char* CompleteRest(const llvm::Module& module, GlobalSet& rest) {
  GlobalSet bases;
  for (const llvm::GlobalValue* value : rest) {
    const auto* const alias = llvm::dyn_cast<llvm::GlobalAlias>(value);
    if (alias == nullptr) continue;
    const llvm::GlobalObject* const base = alias->getAliaseeObject();
    if (base == nullptr || base->isDeclaration()) return "an alias";
    bases.insert(base);
  }
  if (!bases.empty()) {
    rest.insert(bases.begin(), bases.end());
    for (const llvm::GlobalAlias& alias : module.aliases()) {
      if (const llvm::GlobalObject* base = alias.getAliaseeObject();
          base != nullptr && bases.contains(base)) {
        rest.insert(&alias);
      }
    }
  }
  // llvm::CloneModule leaves the addresses of blocks that initializers have as they are.
  const GlobalSet users = UsersOfBlocks(module);
  if (llvm::any_of(users, [&](const llvm::GlobalValue* user) { return rest.contains(user); })) {
    return "addresses of blocks";
  }
  return nullptr;
}

RestOfModule CopyRest(llvm::Module& module, const GlobalSet& rest, bool emulates_thread_locals) {
  RestOfModule made;
  llvm::ValueToValueMapTy copies;
  {
    const CompileUnitsAside aside(module);
    made.module = llvm::CloneModule(
        module, copies, [&](const llvm::GlobalValue* value) { return rest.contains(value); });
  }
  for (const llvm::GlobalValue* value : rest) {
    if (!value->hasLocalLinkage()) continue;
    auto* const copy = llvm::cast<llvm::GlobalValue>(copies[value]);
    copy->setLinkage(llvm::GlobalValue::ExternalLinkage);
    copy->setVisibility(llvm::GlobalValue::HiddenVisibility);
    copy->setDSOLocal(true);
    AddSymbols(*copy, emulates_thread_locals, made.locals);
  }
  EraseDeclaredLists(*made.module);
  llvm::StripDebugInfo(*made.module);
  return made;
}

}  // namespace firstcall
