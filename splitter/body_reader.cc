#include "splitter/body_reader.h"

#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/llvm_status.h"
#include "base/status.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "splitter/assembly_labels.h"
#include "splitter/block_addresses.h"
#include "splitter/debug_info.h"
#include "splitter/debug_types.h"
#include "splitter/entry_hooks.h"
#include "splitter/function_verifier.h"
#include "splitter/mandatory_inliner.h"
#include "splitter/type_tests.h"

namespace firstcall {
namespace {

// Whether lowering a coroutine would write to a variable, which belongs to the data-module.
bool HasFrameSizeInVariable(const llvm::Function& function) {
  if (!function.isPresplitCoroutine()) return false;
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::coro_id_async;
  });
}

// Whether `function`, which has `optnone`, may be optimized all the same.
bool MayBeOptimized(const llvm::Function& function, const ExtractOptions& options,
                    bool is_unoptimized) {
  switch (options.optnone) {
    case OptNone::kAuto:
      return is_unoptimized &&
             (options.optnone_ignores_debug_info || function.getSubprogram() == nullptr);
    case OptNone::kKeep:
      return false;
    case OptNone::kIgnore:
      return true;
  }
  return false;
}

// Takes away the lists of a valid compile unit, which lead to everything in the module, and gives
// them back.
class HiddenLists {
 public:
  explicit HiddenLists(llvm::DICompileUnit& unit)
      : unit_(unit),
        enums_(unit.getEnumTypes().get()),
        types_(unit.getRetainedTypes().get()),
        variables_(unit.getGlobalVariables().get()) {
    unit_.replaceEnumTypes(nullptr);
    unit_.replaceRetainedTypes(nullptr);
    unit_.replaceGlobalVariables(nullptr);
  }
  HiddenLists(const HiddenLists&) = delete;
  HiddenLists& operator=(const HiddenLists&) = delete;
  ~HiddenLists() {
    unit_.replaceEnumTypes(enums_);
    unit_.replaceRetainedTypes(types_);
    unit_.replaceGlobalVariables(variables_);
  }

 private:
  llvm::DICompileUnit& unit_;
  llvm::MDTuple* const enums_;
  llvm::MDTuple* const types_;
  llvm::MDTuple* const variables_;
};

}  // namespace

void DropAliasMetadata(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!instruction.hasMetadataOtherThanDebugLoc()) continue;
    instruction.setMetadata(llvm::LLVMContext::MD_tbaa, nullptr);
    instruction.setMetadata(llvm::LLVMContext::MD_tbaa_struct, nullptr);
    instruction.setMetadata(llvm::LLVMContext::MD_alias_scope, nullptr);
    instruction.setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
  }
}

absl::Status BodyReader::Read(llvm::Function& function, SymbolOrdinal ordinal) {
  FIRSTCALL_RETURN_IF_ERROR(ReadWithoutInlining(function, ordinal));
  if (!view_.may_have_mandatory_calls()) return absl::OkStatus();
  const auto may_be_inlined = [&](llvm::Function& callee) {
    std::optional<SymbolOrdinal> of_callee = view_.ordinal_of(callee);
    return of_callee && index_.GroupOf(*of_callee).empty() &&
           ReadWithoutInlining(callee, *of_callee).ok() && BlockAddressPartners(callee).empty() &&
           LabelsDefinedIn(callee).empty() && !(index_.has_groups() && ReadsGroup(callee));
  };
  InlineMandatoryCalls(function, may_be_inlined,
                       [&](const llvm::Function& caller, const llvm::Function& callee) {
                         view_.NoteInlined(caller, callee);
                       });
  return absl::OkStatus();
}

absl::Status BodyReader::ReadWithoutInlining(llvm::Function& function, SymbolOrdinal ordinal) {
  const Symbol& symbol = index_.at(ordinal);
  const bool is_unoptimized = view_.is_unoptimized();  // Before the first body is moved.
  if (function.isDeclaration()) {
    return absl::FailedPreconditionError(
        absl::StrCat("function '", symbol.name, "' was already extracted"));
  }
  if (llvm::Error error = function.materialize()) {
    return FromLlvm(std::move(error), absl::StatusCode::kInvalidArgument,
                    absl::StrCat("function '", symbol.name, "': reading its body"));
  }
  FIRSTCALL_RETURN_IF_ERROR(view_.ReadMetadata());
  if (function.isDeclaration()) {
    return absl::InvalidArgumentError(
        absl::StrCat("function '", symbol.name, "': reading its body: it is not in the file"));
  }
  // Before the verifier, which would check it.
  if (options_.debug_info == KeptDebugInfo::kNone) DropDebugInfo(function);
  if (options_.debug_info == KeptDebugInfo::kLines) ReduceToLines(function);
  DebugTypes::Units units;
  if (options_.debug_info == KeptDebugInfo::kAll)
    units = view_.debug_types().DeclareKnown(function);
  if (options_.verify && !view_.is_verified(function)) {
    // The verifier also checks the metadata of optimizations, unless it is dropped anyway.
    if (options_.drop_alias_metadata) DropAliasMetadata(function);
    FIRSTCALL_RETURN_IF_ERROR(Verify(function, symbol.name, units.getArrayRef()));
  }
  if (HasFrameSizeInVariable(function)) {
    return absl::UnimplementedError(
        absl::StrCat("function '", symbol.name,
                     "': a coroutine of the async kind, the size of whose frame is written into a "
                     "variable"));
  }
  if (view_.may_have_type_tests()) {
    FIRSTCALL_RETURN_IF_ERROR(
        Annotate(LowerTypeTests(function), absl::StrCat("function '", symbol.name, "'")));
  }
  if (function.hasOptNone() && MayBeOptimized(function, options_, is_unoptimized)) {
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
  }
  CallHooksOfFunction(function);
  return absl::OkStatus();
}

absl::Status BodyReader::Verify(const llvm::Function& function, absl::string_view name,
                                llvm::ArrayRef<llvm::DICompileUnit*> units) {
  {
    std::deque<HiddenLists> hidden;
    for (llvm::DICompileUnit* unit : units) {
      if (view_.is_verified(*unit)) hidden.emplace_back(*unit);
    }
    FIRSTCALL_RETURN_IF_ERROR(VerifyFunction(function, name));
  }
  view_.NoteVerified(function);
  for (const llvm::DICompileUnit* unit : units) view_.NoteVerified(*unit);
  return absl::OkStatus();
}

bool BodyReader::ReadsGroup(llvm::Function& function) const {
  llvm::SmallVector<const llvm::Constant*, 32> left;
  llvm::SmallPtrSet<const llvm::Constant*, 32> seen;
  const auto add_operands = [&](const llvm::User& user) {
    for (const llvm::Use& operand : user.operands()) {
      const auto* constant = llvm::dyn_cast<llvm::Constant>(operand.get());
      if (constant == nullptr || llvm::isa<llvm::ConstantData, llvm::Function>(constant)) continue;
      if (seen.insert(constant).second) left.push_back(constant);
    }
  };
  for (llvm::Instruction& instruction : llvm::instructions(function)) add_operands(instruction);
  while (!left.empty()) {
    const llvm::Constant* constant = left.pop_back_val();
    const auto* global = llvm::dyn_cast<llvm::GlobalValue>(constant);
    const std::optional<SymbolOrdinal> ordinal =
        global != nullptr ? view_.ordinal_of(*global) : std::nullopt;
    if (ordinal && !index_.GroupOf(*ordinal).empty()) return true;
    add_operands(*constant);
  }
  return false;
}

}  // namespace firstcall
