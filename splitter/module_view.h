// One thread's copy of a source module, in an LLVMContext of its own. Bitcode is parsed lazily: a
// view knows every symbol at once and a function's body only when it is materialized.
//
// Thread-compatible: hold mutex() while using anything that lives in the view's context, a
// function-module extracted from it included. A compile context owns its views, so the mutex is
// uncontended, except while bitcode is written from the first view of a module given in memory.

#ifndef FIRSTCALL_SPLITTER_MODULE_VIEW_H_
#define FIRSTCALL_SPLITTER_MODULE_VIEW_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "base/ids.h"
#include "splitter/address_escape.h"
#include "splitter/debug_types.h"

namespace llvm {
class GlobalValue;
class LLVMContext;
class MemoryBuffer;
class Module;
}  // namespace llvm

namespace firstcall {

class ModuleView {
 public:
  // Parses the symbols of `bitcode`, which the view keeps alive. InvalidArgument if LLVM cannot
  // read it.
  static absl::StatusOr<std::shared_ptr<ModuleView>> ParseLazily(
      std::shared_ptr<llvm::MemoryBuffer> bitcode);

  // A view of a module that is in memory. Takes both over.
  ModuleView(std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> module);

  ~ModuleView();
  ModuleView(const ModuleView&) = delete;
  ModuleView& operator=(const ModuleView&) = delete;

  absl::Mutex& mutex() { return mutex_; }
  llvm::LLVMContext& context() const { return *context_; }
  llvm::Module& module() const { return *module_; }

  // Number of symbols; ordinals are 0 to count - 1. Same in every view of a source module.
  size_t symbol_count() const { return by_ordinal_.size(); }
  llvm::GlobalValue& symbol(SymbolOrdinal ordinal) const { return *by_ordinal_[ordinal.value]; }

  // Reads the module's metadata if nothing has read it yet, which reading a body does. Leaves out
  // of compile units the imported declarations and the macros, which LLVM would write into the
  // debug information of every function-module anew. InvalidArgument if it is damaged;
  // Unimplemented if a module flag asks for what cannot be split.
  absl::Status ReadMetadata();

  // Whether clang -O0 made it (IsUnoptimized). Decided when it is asked for first, from what has
  // not been moved out of the view by then.
  bool is_unoptimized();

  // Names of library functions that the module gives to variables or aliases, which the optimizer
  // sees in a whole module, but not in a function-module. Found when they are asked for first, in
  // time proportional to the number of variables.
  const std::vector<std::string>& library_names_of_variables();

  // Whether a body of its may call what must always be inlined (MayHaveMandatoryCalls). Decided
  // when it is asked for first.
  bool may_have_mandatory_calls();

  AddressEscape& address_escape() { return address_escape_; }

  DebugTypes& debug_types() { return debug_types_; }

  // Nothing for a value that came later, such as an intrinsic's declaration made by an upgrade.
  std::optional<SymbolOrdinal> ordinal_of(const llvm::GlobalValue& value) const;

 private:
  absl::Mutex mutex_;
  std::shared_ptr<llvm::MemoryBuffer> bitcode_;  // What module_ is read from; null if in memory.
  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<llvm::Module> module_;
  bool metadata_is_read_ = false;
  std::optional<bool> is_unoptimized_;
  std::optional<std::vector<std::string>> library_names_of_variables_;
  std::optional<bool> may_have_mandatory_calls_;
  AddressEscape address_escape_;
  DebugTypes debug_types_;
  std::vector<llvm::GlobalValue*> by_ordinal_;
  absl::flat_hash_map<const llvm::GlobalValue*, SymbolOrdinal> ordinals_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_MODULE_VIEW_H_
