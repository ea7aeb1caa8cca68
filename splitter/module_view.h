// One thread's copy of a source module, in an LLVMContext of its own. Bitcode is parsed lazily: a
// view knows all symbols from the beginning, but a function's body only after it is materialized.
//
// Thread-compatible: hold mutex() while using anything that lives in the view's context, including
// function-modules extracted from it. A compile context owns its views, so the mutex is
// uncontended, except while bitcode is written from the first view of a module given in memory.
// Tested in tests/splitter/module_source_test.cc.

#ifndef FIRSTCALL_SPLITTER_MODULE_VIEW_H_
#define FIRSTCALL_SPLITTER_MODULE_VIEW_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "splitter/address_escape.h"
#include "splitter/debug_types.h"
#include "splitter/simplified_bodies.h"

namespace llvm {
class Function;
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

  // A view of a module in memory. Takes over both.
  ModuleView(std::unique_ptr<llvm::LLVMContext> context, std::unique_ptr<llvm::Module> module);

  ~ModuleView();
  ModuleView(const ModuleView&) = delete;
  ModuleView& operator=(const ModuleView&) = delete;

  absl::Mutex& mutex() { return mutex_; }
  llvm::LLVMContext& context() const { return *context_; }
  llvm::Module& module() const { return *module_; }

  // The number of symbols; ordinals are 0 to count - 1. The same in every view of a source module.
  size_t symbol_count() const { return by_ordinal_.size(); }
  llvm::GlobalValue& symbol(SymbolOrdinal ordinal) const { return *by_ordinal_[ordinal.value]; }

  // Reads the module's metadata, unless it has been read already (reading a body does that).
  // Removes imported declarations and macros from compile units, because LLVM would emit them again
  // in the debug information of every function-module. InvalidArgument if the metadata is damaged;
  // Unimplemented if a module flag requires something that cannot be split.
  absl::Status ReadMetadata();

  // Whether clang -O0 made the module (IsUnoptimized). Decided on the first call, from the
  // functions that have not been moved out of the view by then.
  bool is_unoptimized();

  // The names of library functions that the module gives to variables or aliases. The optimizer
  // would see them in a whole module, but not in a function-module. Found on the first call, in
  // time proportional to the number of variables.
  const std::vector<std::string>& library_names_of_variables();

  // Whether a body may contain calls that must always be inlined (MayHaveMandatoryCalls). Decided
  // on the first call.
  bool may_have_mandatory_calls();

  // Whether a body may test the types of virtual function tables (MayHaveTypeTests). Decided on the
  // first call.
  bool may_have_type_tests();

  // Whether the body of `function` was found to be valid IR. It may have been changed since.
  bool is_verified(const llvm::Function& function) const { return verified_.contains(&function); }
  void NoteVerified(const llvm::Function& function) { verified_.insert(&function); }
  // The same for the lists of enumerations, types and variables of `unit`.
  bool is_verified(const llvm::DICompileUnit& unit) const { return verified_.contains(&unit); }
  void NoteVerified(const llvm::DICompileUnit& unit) { verified_.insert(&unit); }

  // Notes that the body of `callee`, which has an ordinal, was inlined into that of `caller`, with
  // what was inlined into `callee` before.
  void NoteInlined(const llvm::Function& caller, const llvm::Function& callee);
  // The functions whose bodies were inlined into that of `function`.
  absl::Span<const SymbolOrdinal> InlinedInto(const llvm::Function& function) const;

  AddressEscape& address_escape() { return address_escape_; }

  DebugTypes& debug_types() { return debug_types_; }

  SimplifiedBodies& simplified_bodies() { return simplified_bodies_; }

  // Nothing for a global that was added later, such as an intrinsic's declaration. Nor for an
  // intrinsic behind all other functions that nothing in memory used when the view was made: LLVM's
  // reader may have added it.
  std::optional<SymbolOrdinal> ordinal_of(const llvm::GlobalValue& value) const;

 private:
  absl::Mutex mutex_;
  std::shared_ptr<llvm::MemoryBuffer> bitcode_;  // Where module_ is read from; null if in memory.
  std::unique_ptr<llvm::LLVMContext> context_;
  std::unique_ptr<llvm::Module> module_;
  bool metadata_is_read_ = false;
  std::optional<bool> is_unoptimized_;
  std::optional<std::vector<std::string>> library_names_of_variables_;
  std::optional<bool> may_have_mandatory_calls_;
  std::optional<bool> may_have_type_tests_;
  absl::flat_hash_set<const void*> verified_;  // Functions and compile units.
  absl::flat_hash_map<const llvm::Function*, std::vector<SymbolOrdinal>> inlined_;
  AddressEscape address_escape_;
  DebugTypes debug_types_;
  SimplifiedBodies simplified_bodies_;
  std::vector<llvm::GlobalValue*> by_ordinal_;
  absl::flat_hash_map<const llvm::GlobalValue*, SymbolOrdinal> ordinals_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_MODULE_VIEW_H_
