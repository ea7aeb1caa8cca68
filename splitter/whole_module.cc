#include "splitter/whole_module.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "splitter/module_atexit.h"

namespace firstcall {
namespace {

absl::Status ReadBodies(llvm::Module& module, bool verify) {
  for (llvm::Function& function : module) {
    const std::string where = absl::StrCat("function '", function.getName().str(), "'");
    if (llvm::Error error = function.materialize()) {
      return FromLlvm(std::move(error), absl::StatusCode::kInvalidArgument,
                      absl::StrCat(where, ": reading its body"));
    }
    std::string reason;
    llvm::raw_string_ostream stream(reason);
    if (verify && !function.isDeclaration() && llvm::verifyFunction(function, &stream)) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, " is not valid IR: ", absl::StripTrailingAsciiWhitespace(reason)));
    }
  }
  return FromLlvm(module.materializeAll(), absl::StatusCode::kInvalidArgument, "reading metadata");
}

void MakeDeclaration(llvm::GlobalValue& value) {
  if (auto* function = llvm::dyn_cast<llvm::Function>(&value)) function->deleteBody();
  if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&value)) {
    variable->setInitializer(nullptr);
    variable->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
}

// Definitions of the module are near each other; anything else may be anywhere.
void SetBinding(llvm::GlobalObject& value) {
  value.setComdat(nullptr);
  value.setDSOLocal(!value.isDeclarationForLinker());
  if (value.hasLocalLinkage()) return;
  value.setVisibility(llvm::GlobalValue::DefaultVisibility);
  // The decision which of several weak definitions counts was taken before this one was kept.
  if (value.isWeakForLinker() && !value.isDeclarationForLinker()) {
    value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  }
}

void Expose(llvm::GlobalValue& value, llvm::StringRef name) {
  if (value.hasLocalLinkage()) value.setLinkage(llvm::GlobalValue::ExternalLinkage);
  value.setName(name);
}

}  // namespace

absl::Status PrepareWholeModule(ModuleView& view, const SymbolIndex& index, bool verify,
                                IsReplaced is_replaced) {
  llvm::Module& module = view.module();
  FIRSTCALL_RETURN_IF_ERROR(ReadBodies(module, verify));
  for (uint32_t i = 0; i < index.size(); ++i) {
    const Symbol& symbol = index.at(SymbolOrdinal{i});
    if (symbol.is_definition && symbol.is_weak && is_replaced(SymbolOrdinal{i})) {
      MakeDeclaration(view.symbol(SymbolOrdinal{i}));
    }
  }
  if (index.Find(kAtexit) && !index.at(*index.Find(kAtexit)).is_definition) DefineAtexit(module);
  for (llvm::GlobalObject& object : module.global_objects()) SetBinding(object);
  for (const auto& list : {index.constructors(), index.destructors()}) {
    for (const LifecycleFunction& entry : list) {
      if (index.at(entry.function).is_definition) {
        Expose(view.symbol(entry.function), index.at(entry.function).name);
      }
    }
  }
  for (llvm::StringRef name : {"llvm.global_ctors", "llvm.global_dtors"}) {
    if (llvm::GlobalVariable* list = module.getGlobalVariable(name)) list->eraseFromParent();
  }
  return absl::OkStatus();
}

}  // namespace firstcall
