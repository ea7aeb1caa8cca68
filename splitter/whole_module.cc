#include "splitter/whole_module.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/fatal_error_guard.h"
#include "base/llvm_status.h"
#include "base/status.h"
#include "base/string_ref.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "object/symbol_name.h"
#include "splitter/entry_hooks.h"
#include "splitter/function_verifier.h"
#include "splitter/ifunc_thunk.h"
#include "splitter/mandatory_inliner.h"
#include "splitter/section_names.h"
#include "splitter/type_tests.h"

namespace firstcall {
namespace {

absl::Status ReadBodies(llvm::Module& module, bool verify) {
  const bool has_type_tests = MayHaveTypeTests(module);
  for (llvm::Function& function : module) {
    const absl::string_view name = ToStringView(function.getName());
    if (llvm::Error error = function.materialize()) {
      return FromLlvm(std::move(error), absl::StatusCode::kInvalidArgument,
                      absl::StrCat("function '", name, "': reading its body"));
    }
    if (verify && !function.isDeclaration()) {
      FIRSTCALL_RETURN_IF_ERROR(VerifyFunction(function, name));
    }
    if (function.isDeclaration() || !has_type_tests) continue;
    FIRSTCALL_RETURN_IF_ERROR(
        Annotate(LowerTypeTests(function), absl::StrCat("function '", name, "'")));
  }
  return FromLlvm(module.materializeAll(), absl::StatusCode::kInvalidArgument, "reading metadata");
}

// Inlines what must always be inlined. A local function that only existed for that is not emitted.
void InlineAllMandatoryCalls(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) CallHooksOfFunction(function);
  }
  if (!MayHaveMandatoryCalls(module)) return;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    InlineMandatoryCalls(
        function, [](llvm::Function&) { return true; },
        [](const llvm::Function&, const llvm::Function&) {});
  }
  for (llvm::Function& function : module) {
    function.removeDeadConstantUsers();
    if (MustBeInlined(function) && function.hasLocalLinkage() && function.use_empty()) {
      function.setComdat(nullptr);
      function.deleteBody();
    }
  }
}

// Gives the name of `value`, and all its uses, to a new declaration.
void DeclareInPlaceOf(llvm::GlobalValue& value) {
  llvm::Module& module = *value.getParent();
  llvm::GlobalObject* declaration = nullptr;
  if (auto* type = llvm::dyn_cast<llvm::FunctionType>(value.getValueType())) {
    auto* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage,
                                            value.getAddressSpace(), "", &module);
    if (const auto* original = llvm::dyn_cast<llvm::Function>(&value)) {
      function->setAttributes(original->getAttributes());
      function->setCallingConv(original->getCallingConv());
    }
    declaration = function;
  } else {
    declaration = new llvm::GlobalVariable(module, value.getValueType(), /*isConstant=*/false,
                                           llvm::GlobalValue::ExternalLinkage,
                                           /*Initializer=*/nullptr, "", /*InsertBefore=*/nullptr,
                                           value.getThreadLocalMode(), value.getAddressSpace());
  }
  declaration->takeName(&value);
  value.replaceAllUsesWith(declaration);
}

// Replaces an alias or an ifunc by a declaration. The view must not be asked for it any more.
void Replace(llvm::GlobalValue& value) {
  DeclareInPlaceOf(value);
  value.eraseFromParent();
}

void MakeDeclaration(llvm::GlobalValue& value) {
  if (auto* function = llvm::dyn_cast<llvm::Function>(&value)) {
    function->deleteBody();
  } else if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&value)) {
    variable->setInitializer(nullptr);
    variable->setLinkage(llvm::GlobalValue::ExternalLinkage);
  } else {
    Replace(value);
  }
}

// The aliases of `value`, also those of a part of it and those of its aliases.
void FindAliases(llvm::Constant& value, llvm::SmallPtrSetImpl<const llvm::User*>& seen,
                 std::vector<llvm::GlobalAlias*>& aliases) {
  for (llvm::User* user : value.users()) {
    auto* const alias = llvm::dyn_cast<llvm::GlobalAlias>(user);
    if (alias == nullptr && !llvm::isa<llvm::ConstantExpr>(user)) continue;
    if (!seen.insert(user).second) continue;
    if (alias != nullptr) aliases.push_back(alias);
    FindAliases(*llvm::cast<llvm::Constant>(user), seen, aliases);
  }
}

// Makes `value`, which another definition replaces, local to the module for the sake of its
// aliases. All other references become references to a declaration, which gets the name.
void KeepForAliases(llvm::GlobalObject& value) {
  llvm::Module& module = *value.getParent();
  const llvm::DataLayout& layout = module.getDataLayout();
  llvm::Type* const byte = llvm::Type::getInt8Ty(module.getContext());
  std::vector<std::pair<llvm::GlobalAlias*, llvm::APInt>> aliases;
  std::vector<llvm::GlobalAlias*> found;
  llvm::SmallPtrSet<const llvm::User*, 8> seen;
  FindAliases(value, seen, found);
  for (llvm::GlobalAlias* alias : found) {
    if (alias->getAliaseeObject() != &value) continue;
    llvm::APInt offset(layout.getIndexTypeSizeInBits(alias->getType()), 0);
    (void)alias->getAliasee()->stripAndAccumulateConstantOffsets(layout, offset,
                                                                 /*AllowNonInbounds=*/true);
    aliases.push_back({alias, std::move(offset)});
  }
  DeclareInPlaceOf(value);
  for (const auto& [alias, offset] : aliases) {
    alias->setAliasee(llvm::ConstantExpr::getGetElementPtr(
        byte, &value, llvm::ConstantInt::get(module.getContext(), offset)));
  }
  value.setLinkage(llvm::GlobalValue::InternalLinkage);
}

// The module's own definitions are near each other; anything else may be anywhere.
void SetBinding(llvm::GlobalObject& value) {
  value.setComdat(nullptr);
  value.setDSOLocal(!value.isDeclarationForLinker());
  if (value.hasLocalLinkage()) return;
  value.setVisibility(llvm::GlobalValue::DefaultVisibility);
  // Only definitions that override all others were kept, so they need not be weak any more.
  if (value.isWeakForLinker() && !value.isDeclarationForLinker()) {
    value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
}

void Expose(llvm::GlobalValue& value, llvm::StringRef name) {
  if (value.hasLocalLinkage()) value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  value.setName(name);
}

// Emulated thread-local variables have no symbol that an alias could stand for. References to the
// alias become references to its variable; other modules' references are resolved to it, too.
void HideThreadLocalAlias(ModuleView& view, const SymbolIndex& index, SymbolOrdinal ordinal) {
  const SymbolOrdinal base = index.at(ordinal).base;
  Expose(view.symbol(base), ToStringRef(index.at(base).name));
  view.symbol(ordinal).replaceAllUsesWith(&view.symbol(base));
  view.symbol(ordinal).eraseFromParent();
}

// LLVM derives the names of what emulates a thread-local variable from the variable's.
void NameThreadLocals(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.isThreadLocal() && !variable.hasName()) variable.setName("thread_local");
  }
}

// The bounds of a section whose name is a C identifier are found in the object, which must have it
// in one piece, and under the name of something in it. A variable that is associated with another
// one, so that static linkers keep or drop both, would get a section of its own of that name; and
// private variables have no names.
void KeepSectionsTogether(llvm::Module& module) {
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (variable.isDeclaration() || llvm::none_of(SectionNames(variable), [](llvm::StringRef name) {
          return IsIdentifier(ToStringView(name));
        })) {
      continue;
    }
    variable.eraseMetadata(llvm::LLVMContext::MD_associated);
    if (variable.hasPrivateLinkage()) variable.setLinkage(llvm::GlobalValue::InternalLinkage);
  }
}

// Each variable that llvm.used keeps for static linkers would get a section of its own. No static
// linker follows, and the variables of a section must be next to each other.
void KeepFromOptimizerOnly(llvm::Module& module) {
  llvm::SmallVector<llvm::GlobalValue*, 8> used;
  llvm::GlobalVariable* list =
      llvm::collectUsedGlobalVariables(module, used, /*CompilerUsed=*/false);
  if (list == nullptr) return;
  list->eraseFromParent();
  llvm::appendToCompilerUsed(module, used);
}

}  // namespace

absl::Status PrepareWholeModule(ModuleView& view, const SymbolIndex& index, bool verify,
                                IsReplaced is_replaced) {
  llvm::Module& module = view.module();
  absl::Status read;
  // On some damaged bitcode, LLVM's reader reports a fatal error.
  const absl::Status guarded = RunGuarded([&] {
    read = ReadBodies(module, verify);
    if (read.ok()) InlineAllMandatoryCalls(module);
  });
  if (!guarded.ok()) {
    return absl::InvalidArgumentError(absl::StrCat("reading bodies: ", guarded.message()));
  }
  FIRSTCALL_RETURN_IF_ERROR(read);
  const auto is_kept = [&](SymbolOrdinal ordinal) {
    const Symbol& symbol = index.at(ordinal);
    return symbol.is_definition && !(symbol.is_weak && is_replaced(ordinal));
  };
  for (uint32_t i = 0; i < index.size(); ++i) {
    const Symbol& symbol = index.at(SymbolOrdinal{i});
    if (!symbol.is_definition) continue;
    if (!is_kept(SymbolOrdinal{i})) {
      auto* object = llvm::dyn_cast<llvm::GlobalObject>(&view.symbol(SymbolOrdinal{i}));
      if (object != nullptr && index.KeeperOf(SymbolOrdinal{i}, is_replaced)) {
        KeepForAliases(*object);
      } else {
        MakeDeclaration(view.symbol(SymbolOrdinal{i}));
      }
    } else if (symbol.kind == SymbolKind::kAlias && symbol.is_thread_local) {
      HideThreadLocalAlias(view, index, SymbolOrdinal{i});
    }
  }
  for (llvm::GlobalObject& object : module.global_objects()) SetBinding(object);
  for (llvm::GlobalAlias& alias : module.aliases()) {
    // LLVM does not let others see a weak alias if it writes Mach-O. Those that are kept need not
    // be weak any more, either.
    if (alias.isWeakForLinker()) alias.setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
  for (const auto& list : {index.constructors(), index.destructors()}) {
    for (const LifecycleFunction& entry : list) {
      if (is_kept(entry.function)) {
        Expose(view.symbol(entry.function), ToStringRef(index.at(entry.function).name));
      }
    }
  }
  NameThreadLocals(module);
  KeepSectionsTogether(module);
  KeepFromOptimizerOnly(module);
  ReplaceIFuncs(module);
  for (llvm::StringRef name : {"llvm.global_ctors", "llvm.global_dtors"}) {
    if (llvm::GlobalVariable* list = module.getGlobalVariable(name)) list->eraseFromParent();
  }
  return absl::OkStatus();
}

}  // namespace firstcall
