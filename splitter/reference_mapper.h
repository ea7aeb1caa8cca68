// Rewrites what a piece of a source module names into references of the module it is moved to: each
// global becomes a declaration there, under the name the linker resolves (see symbol_name.h).
//
// Small private constants whose address does not matter (strings, switch tables) are copied along
// instead, so that each function-module keeps its own and the code generator sees their values.
//
// Thread-compatible: hold the view's mutex.

#ifndef FIRSTCALL_SPLITTER_REFERENCE_MAPPER_H_
#define FIRSTCALL_SPLITTER_REFERENCE_MAPPER_H_

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "llvm/IR/ValueMap.h"
#include "llvm/Transforms/Utils/ValueMapper.h"
#include "splitter/module_view.h"
#include "splitter/symbol_index.h"

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
  // All must outlive the mapper; `target` lives in the view's context. With `is_far` nothing
  // outside of the target is expected within reach of it.
  ReferenceMapper(const ModuleView& view, const SymbolIndex& index, IsReplaced is_replaced,
                  bool is_far, llvm::Module& target);

  // From now on `original` of the view means `definition` of the target.
  void Define(llvm::GlobalValue& original, llvm::GlobalValue& definition);

  // From now on direct calls of `original` go straight to `body` of the target. Its address stays
  // that of its stub.
  void DefineCallTarget(const llvm::Function& original, llvm::Function& body);

  // The opposite: from now on they go to where the linker leads them.
  void ForgetCallTarget(const llvm::Function& original);

  // The declaration that direct calls of `original`, a definition of the view, go to.
  llvm::Function& CallTargetOf(const llvm::Function& original);

  // `original` with every global of the view replaced.
  llvm::Constant* Map(llvm::Constant& original);

  // Maps whatever the body of `function`, already moved to the target, names.
  void MapBody(llvm::Function& function);

  // Unimplemented, with its name, if something was mapped that cannot leave its source module.
  const absl::Status& status() const { return status_; }

  // Whether a definition of the view is copied into whoever names it, and emitted nowhere else.
  static bool IsCopied(const llvm::GlobalVariable& variable, const ModuleView& view,
                       const SymbolIndex& index);

 private:
  llvm::Value* materialize(llvm::Value* value) override;

  void MapOperands(llvm::User& user);
  llvm::Value* CallTarget(llvm::Value& callee);
  const llvm::GlobalValue* AliasedBy(const llvm::GlobalValue& original) const;
  llvm::Value* MapAlias(const llvm::GlobalValue& alias, const llvm::GlobalValue& base);
  llvm::GlobalValue* Declare(const llvm::GlobalValue& original);
  llvm::Function* DeclareFunction(const llvm::GlobalValue& original, llvm::StringRef name);
  llvm::GlobalVariable* DeclareVariable(const llvm::GlobalValue& original, llvm::StringRef name);
  llvm::GlobalVariable* Copy(llvm::GlobalVariable& original);
  llvm::Constant* MapBlockAddress(const llvm::BlockAddress& original);
  bool IsWithinReach(const Symbol& symbol) const;

  const ModuleView& view_;
  const SymbolIndex& index_;
  const IsReplaced is_replaced_;
  const bool is_far_;
  llvm::Module& target_;
  llvm::ValueToValueMapTy values_;
  absl::flat_hash_map<const llvm::GlobalValue*, llvm::Function*> call_targets_;
  llvm::ValueMapper mapper_;
  absl::Status status_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_REFERENCE_MAPPER_H_
