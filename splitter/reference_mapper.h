// Rewrites the references of a piece of a source module for the module it is moved to: each global
// becomes a declaration there, under the name that the linker resolves (see symbol_name.h).
//
// Small private constants (strings, switch tables) are copied instead where they are merely read,
// so that the code generator sees their values and nothing has to be linked. If their address may
// escape from a function, they are shared: the data-module defines them.
//
// An optimization of the view may have added globals that no index knows. Constants among them are
// copied, too, and library functions are declared. Anything else is an error, because its name
// would refer to whatever has the same name elsewhere.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_REFERENCE_MAPPER_H_
#define FIRSTCALL_SPLITTER_REFERENCE_MAPPER_H_

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "llvm/IR/ValueMap.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include "seam/compile_questions.h"
#include "seam/symbol_index.h"
#include "splitter/address_escape.h"
#include "splitter/fact_use.h"
#include "splitter/module_view.h"

namespace llvm {
class BlockAddress;
class Constant;
class Function;
class GlobalValue;
class GlobalVariable;
class Module;
class User;
}  // namespace llvm

namespace firstcall {

class ReferenceMapper final : private llvm::ValueMaterializer {
 public:
  // All must outlive the mapper; `target` lives in the view's context. With `is_far`, nothing
  // outside the target is assumed to be within its reach.
  ReferenceMapper(const ModuleView& view, const SymbolIndex& index, IsReplaced is_replaced,
                  bool is_far, llvm::Module& target);

  // From now on `constants` are declared, not copied. With `has_values`, the declarations have
  // initializers for the optimizer where possible.
  void Share(const Variables& constants, bool has_values) {
    shared_ = &constants;
    shared_have_values_ = has_values;
  }

  // From now on the declarations of functions have what is known of these.
  void UseFacts(FactUse& facts) { facts_ = &facts; }

  // From now on `original` of the view maps to `definition` of the target.
  void Define(llvm::GlobalValue& original, llvm::GlobalValue& definition);

  // From now on direct calls of `original` go straight to `body` of the target. The address of
  // `original` is still that of its stub.
  void DefineCallTarget(const llvm::Function& original, llvm::Function& body);

  // Undoes DefineCallTarget: from now on direct calls go to where the linker binds them.
  void ForgetCallTarget(const llvm::Function& original);

  // The declaration that direct calls of `original`, a definition of the view, go to.
  llvm::Function& CallTargetOf(const llvm::Function& original);

  // `original` with every global of the view replaced by what it maps to.
  llvm::Constant* Map(llvm::Constant& original);

  // Maps everything that the body of `function`, which is already in the target, refers to.
  void MapBody(llvm::Function& function);

  // Unimplemented, with its name, if something was mapped that cannot leave its source module;
  // Internal if an optimization added a global to the view that is neither a constant nor a library
  // function, or if a name is already taken in the target.
  const absl::Status& status() const { return status_; }

  // Whether a mapped body has inline assembly, which may name any symbol.
  bool has_inline_assembly() const { return has_inline_assembly_; }

  // Whether a variable that the view defines is copied into the functions that merely read it.
  static bool IsCopied(const llvm::GlobalVariable& variable, const ModuleView& view,
                       const SymbolIndex& index);

 private:
  llvm::Value* materialize(llvm::Value* value) override;

  void MapOperands(llvm::User& user);
  void MapOwnerOfFrame(llvm::CallBase& call) const;
  llvm::Value* CallTarget(llvm::Value& callee);
  const llvm::GlobalValue* AliasedBy(const llvm::GlobalValue& original) const;
  llvm::Value* MapAlias(const llvm::GlobalValue& alias, const llvm::GlobalValue& base);
  llvm::GlobalValue* Declare(const llvm::GlobalValue& original);
  llvm::Function* DeclareFunction(const llvm::GlobalValue& original, llvm::StringRef name);
  llvm::GlobalVariable* DeclareVariable(const llvm::GlobalValue& original, llvm::StringRef name);
  llvm::GlobalVariable* Copy(llvm::GlobalVariable& original);
  llvm::GlobalVariable* DeclareShared(llvm::GlobalVariable& original);
  llvm::Constant* MapBlockAddress(const llvm::BlockAddress& original);
  bool IsWithinReach(const Symbol& symbol) const;
  void CheckAddedToView(const llvm::GlobalValue& added);
  void CheckName(const llvm::GlobalValue& declaration, llvm::StringRef wanted);

  const ModuleView& view_;
  const SymbolIndex& index_;
  const IsReplaced is_replaced_;
  const bool is_far_;
  llvm::Module& target_;
  llvm::ValueToValueMapTy values_;
  absl::flat_hash_map<const llvm::GlobalValue*, llvm::Function*> call_targets_;
  absl::flat_hash_map<const llvm::Function*, llvm::Function*> bodies_;  // By DefineCallTarget.
  llvm::ValueMapper mapper_;
  const Variables* shared_ = nullptr;
  bool shared_have_values_ = false;
  FactUse* facts_ = nullptr;  // Null: the declarations have the attributes of the view's functions.
  bool has_inline_assembly_ = false;
  absl::Status status_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_REFERENCE_MAPPER_H_
