#include "splitter/function_extractor.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/fatal_error_guard.h"
#include "base/llvm_status.h"
#include "base/status.h"
#include "code/symbol_name.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "osr/continuation.h"
#include "osr/heat_polls.h"
#include "osr/loop_entries.h"
#include "splitter/block_addresses.h"
#include "splitter/callee_importer.h"
#include "splitter/debug_info.h"
#include "splitter/inevitable_calls.h"
#include "splitter/likely_calls.h"
#include "splitter/mandatory_inliner.h"
#include "splitter/module_skeleton.h"
#include "splitter/object_name.h"
#include "splitter/reference_mapper.h"

namespace firstcall {
namespace {

// Moves body, arguments and attributes, and leaves a declaration in the view. The body still refers
// to globals of the view. Prefix data stays in the view: it is found through the function's
// address, which is not the body's address.
llvm::Function* MoveFunction(llvm::Function& original, llvm::StringRef name, llvm::Module& target) {
  auto* moved =
      llvm::Function::Create(original.getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                             original.getAddressSpace(), name, &target);
  moved->copyAttributesFrom(&original);
  moved->setLinkage(llvm::GlobalValue::ExternalLinkage);
  moved->setVisibility(llvm::GlobalValue::DefaultVisibility);
  moved->setDSOLocal(true);
  moved->setSection("");  // Code is packed by permission; sections of its own would only pad it.
  moved->copyMetadata(&original, 0);
  moved->stealArgumentListFrom(original);
  moved->splice(moved->end(), &original);
  llvm::Constant* prefix = original.hasPrefixData() ? original.getPrefixData() : nullptr;
  moved->setPrefixData(nullptr);
  original.deleteBody();
  original.setPrefixData(prefix);
  original.clearMetadata();
  original.setComdat(nullptr);
  return moved;
}

// As MoveFunction, but leaves the function in the view.
llvm::Function* CopyFunction(llvm::Function& original, llvm::StringRef name, llvm::Module& target) {
  llvm::Function* clone = CloneInView(original);
  llvm::Function* moved = MoveFunction(*clone, name, target);
  clone->eraseFromParent();
  return moved;
}

void DropAliasMetadata(llvm::Function& function) {
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!instruction.hasMetadataOtherThanDebugLoc()) continue;
    instruction.setMetadata(llvm::LLVMContext::MD_tbaa, nullptr);
    instruction.setMetadata(llvm::LLVMContext::MD_tbaa_struct, nullptr);
    instruction.setMetadata(llvm::LLVMContext::MD_alias_scope, nullptr);
    instruction.setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
  }
}

absl::Status Verify(const llvm::Function& function, const Symbol& symbol) {
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (!llvm::verifyFunction(function, &stream)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("function '", symbol.name, "' is not valid IR: ",
                                                 absl::StripTrailingAsciiWhitespace(reason)));
}

// Whether `function` has inline assembly, so that the code generator may refuse a body that is
// valid IR.
bool HasInlineAssembly(const llvm::Function& function) {
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call != nullptr && call->isInlineAsm()) return true;
  }
  return false;
}

// Whether lowering a coroutine would write to a variable, which belongs to the data-module.
bool HasFrameSizeInVariable(const llvm::Function& function) {
  if (!function.isPresplitCoroutine()) return false;
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::coro_id_async;
  });
}

// Chooses what goes into a function-module, then moves it.
class Extraction {
 public:
  Extraction(ModuleView& view, const SymbolIndex& index, const ExtractOptions& options,
             const ExtractDecisions& decisions)
      : view_(view), index_(index), options_(options), decisions_(decisions) {}

  absl::Status AddGroup(SymbolOrdinal function) {
    absl::Span<const SymbolOrdinal> members = index_.GroupOf(function);
    if (members.empty()) return AddWithPartners(function);
    for (SymbolOrdinal member : members) {
      if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&view_.symbol(member))) {
        variables_.push_back({variable, member});
        continue;
      }
      auto* original = llvm::cast<llvm::Function>(&view_.symbol(member));
      FIRSTCALL_RETURN_IF_ERROR(Read(*original, member));
      functions_.push_back({original, member});
    }
    return absl::OkStatus();
  }

  // A running body was made from the original function, so its continuation must be, too.
  absl::Status CheckLoop() const {
    if (!options_.loop || !IsSimplified(*functions_.front().first)) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat("function '", index_.at(functions_.front().second).name,
                     "': a continuation of a body that was changed"));
  }

  // The function to be extracted instead of the requested one, if there is such a function.
  std::optional<SymbolOrdinal> leader() const { return leader_; }

  // Adds the functions that functions_ are bound to call, what those are bound to call, and so on.
  void AddInevitableCallees() {
    inseparable_ = functions_.size();
    if (options_.import_callees) return;  // Small functions are inlined instead.
    if (!variables_.empty() || HasInlineAssembly(*functions_.front().first)) return;
    size_t instructions = 0;
    for (size_t i = 0; i < functions_.size(); ++i) {
      for (llvm::Function* callee : InevitableCallees(*functions_[i].first)) {
        if (functions_.size() >= kMaxFunctions) return;
        std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(*callee);
        if (!ordinal || !MayBeMoved(*callee, *ordinal)) continue;
        instructions += callee->getInstructionCount();
        if (instructions > kMaxJoinedInstructions) return;
        if (decisions_.may_join(*ordinal)) functions_.push_back({callee, *ordinal});
      }
    }
  }

  absl::StatusOr<FunctionModule> Move() {
    FunctionModule result;
    result.module =
        MakeModuleLike(view_, absl::StrCat(view_.module().getModuleIdentifier(), ".submodule.",
                                           index_.at(functions_.front().second).name));
    if (options_.list_callees) result.callees = Callees();
    ReferenceMapper mapper(view_, index_, decisions_.is_replaced, options_.is_far, *result.module);
    const Imports imports = ChooseImports();
    const Variables shared = FindShared(imports);
    mapper.Share(shared, /*has_values=*/options_.import_callees);
    const std::vector<Labels> labels = FindAllLabels();
    std::vector<llvm::Function*> bodies;
    for (auto [original, ordinal] : functions_) {
      const std::string name = IrName(index_.at(ordinal).name, *original);
      bodies.push_back(StaysInView(*original, ordinal)
                           ? CopyFunction(*original, name, *result.module)
                           : MoveFunction(*original, name, *result.module));
      mapper.DefineCallTarget(*original, *bodies.back());
      result.functions.push_back(ordinal);
    }
    for (auto [original, is_private] : imports.callees) {
      // An `available_externally` function has one name for calls and address.
      if (original->hasAvailableExternallyLinkage()) {
        bodies.push_back(ImportByAddress(*original, mapper));
        continue;
      }
      bodies.push_back(Import(*original, mapper.CallTargetOf(*original)));
      if (is_private) bodies.back()->setLinkage(llvm::GlobalValue::InternalLinkage);
      mapper.DefineCallTarget(*original, *bodies.back());
    }
    for (llvm::Function* original : imports.pointees) {
      bodies.push_back(ImportByAddress(*original, mapper));
    }
    for (auto [original, ordinal] : variables_) {
      mapper.Define(*original, DeclareMoved(*original, index_.at(ordinal).name, *result.module));
      result.variables.push_back(ordinal);
    }
    for (auto [original, ordinal] : variables_) MoveInitializer(*original, mapper);
    for (size_t i = 0; i < bodies.size(); ++i) {
      if (options_.import_callees) {
        if (view_.is_unoptimized()) ForgetThatItIsUnoptimized(*bodies[i]);
        for (const std::string& name : view_.library_names_of_variables()) {
          bodies[i]->addFnAttr(absl::StrCat("no-builtin-", name));
        }
      }
      if (options_.drop_alias_metadata) DropAliasMetadata(*bodies[i]);
      CarryDebugInfo(view_, *bodies[i]);
      // A function that calls itself, perhaps through others, would never get to an optimized body.
      if ((options_.is_first_body || options_.loop) && i < functions_.size()) {
        mapper.ForgetCallTarget(*functions_[i].first);
      }
      mapper.MapBody(*bodies[i]);
    }
    result.has_inline_assembly = mapper.has_inline_assembly();
    FIRSTCALL_RETURN_IF_ERROR(
        Annotate(mapper.status(),
                 absl::StrCat("function '", index_.at(result.functions.front()).name, "'")));
    if (options_.is_first_body) {
      for (size_t i = 0; i < functions_.size(); ++i) {
        result.heat_signs.push_back(!IsInseparable(i) && CanBeReplaced(*bodies[i], labels[i])
                                        ? ShowHeat(i, *bodies[i], labels[i], result)
                                        : HeatSigns::kNone);
      }
    }
    if (options_.is_better_body && !CanBeReplaced(*bodies.front(), labels.front())) {
      return absl::UnimplementedError(absl::StrCat(
          "function '", index_.at(result.functions.front()).name, "' keeps its first body"));
    }
    if (options_.loop) {
      LoopEntries entries(*bodies.front(), labels.front());
      FIRSTCALL_RETURN_IF_ERROR(GoOn(*bodies.front(), entries));
    }
    return result;
  }

 private:
  // Finds the same functions and the same leader whichever of them it starts from.
  absl::Status AddWithPartners(SymbolOrdinal function) {
    auto* original = llvm::cast<llvm::Function>(&view_.symbol(function));
    FIRSTCALL_RETURN_IF_ERROR(Read(*original, function));
    functions_.push_back({original, function});
    for (size_t i = 0; i < functions_.size(); ++i) {
      for (llvm::Function* partner : BlockAddressPartners(*functions_[i].first)) {
        const SymbolOrdinal ordinal = *view_.ordinal_of(*partner);
        if (IsChosen(ordinal)) continue;
        if (partner->isDeclaration() && !partner->isMaterializable()) {
          return absl::UnimplementedError(absl::StrCat(
              "function '", index_.at(function).name, "': the address of a block of function '",
              index_.at(ordinal).name, "', in bitcode of an LLVM before 15"));
        }
        FIRSTCALL_RETURN_IF_ERROR(Read(*partner, ordinal));
        functions_.push_back({partner, ordinal});
      }
    }
    std::sort(functions_.begin(), functions_.end(),
              [](const auto& a, const auto& b) { return a.second < b.second; });
    if (functions_.front().second != function) leader_ = functions_.front().second;
    return absl::OkStatus();
  }

  // Limits for functions that join: above them the cost of a function-module is relatively small.
  static constexpr size_t kMaxFunctions = 64;
  static constexpr size_t kMaxJoinedInstructions = 2000;

  // Afterwards the body is what -O0 compiles: entry and exit hooks are called, and calls that must
  // always be inlined are inlined.
  absl::Status Read(llvm::Function& function, SymbolOrdinal ordinal) {
    FIRSTCALL_RETURN_IF_ERROR(ReadBody(function, ordinal));
    if (!view_.may_have_mandatory_calls()) return absl::OkStatus();
    InlineMandatoryCalls(function, [&](llvm::Function& callee) {
      std::optional<SymbolOrdinal> of_callee = view_.ordinal_of(callee);
      return of_callee && index_.GroupOf(*of_callee).empty() && ReadBody(callee, *of_callee).ok() &&
             BlockAddressPartners(callee).empty() && !(index_.has_groups() && ReadsGroup(callee));
    });
    return absl::OkStatus();
  }

  absl::Status ReadBody(llvm::Function& function, SymbolOrdinal ordinal) {
    const Symbol& symbol = index_.at(ordinal);
    if (llvm::Error error = function.materialize()) {
      return FromLlvm(std::move(error), absl::StatusCode::kInvalidArgument,
                      absl::StrCat("function '", symbol.name, "': reading its body"));
    }
    FIRSTCALL_RETURN_IF_ERROR(view_.ReadMetadata());
    if (function.isDeclaration()) {
      return absl::FailedPreconditionError(
          absl::StrCat("function '", symbol.name, "' was already extracted"));
    }
    if (options_.verify && !HasMandatoryCallsInlined(function)) {
      // The verifier also checks the metadata of optimizations, unless it is dropped anyway.
      if (options_.drop_alias_metadata) DropAliasMetadata(function);
      FIRSTCALL_RETURN_IF_ERROR(Verify(function, symbol));
    }
    if (HasFrameSizeInVariable(function)) {
      return absl::UnimplementedError(absl::StrCat(
          "function '", symbol.name,
          "': a coroutine of the async kind, the size of whose frame is written into a "
          "variable"));
    }
    CallEntryAndExitHooks(function);
    return absl::OkStatus();
  }

  std::vector<SymbolOrdinal> Callees() const {
    std::vector<SymbolOrdinal> callees;
    for (const llvm::Function* callee : LikelyCallees(*functions_.front().first)) {
      std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(*callee);
      if (ordinal && index_.at(*ordinal).is_definition && !IsChosen(*ordinal)) {
        callees.push_back(*ordinal);
      }
    }
    return callees;
  }

  bool IsChosen(SymbolOrdinal ordinal) const {
    for (auto [function, chosen] : functions_) {
      if (chosen == ordinal) return true;
    }
    return false;
  }

  // A function that is damaged or invalid does not qualify: its own first call reports the error.
  bool StandsAlone(llvm::Function& function, SymbolOrdinal ordinal) {
    return index_.GroupOf(ordinal).empty() && !function.isDeclaration() && !IsChosen(ordinal) &&
           Read(function, ordinal).ok() && !HasInlineAssembly(function) &&
           BlockAddressPartners(function).empty();
  }

  bool MayBeMoved(llvm::Function& function, SymbolOrdinal ordinal) {
    return index_.at(ordinal).is_definition && !MustBeInlined(function) &&
           StandsAlone(function, ordinal);
  }

  // Must be called before anything is moved out of the view.
  Imports ChooseImports() {
    if (!options_.import_callees) return {};
    std::vector<llvm::Function*> roots;
    for (auto [function, ordinal] : functions_) roots.push_back(function);
    const auto may_be_imported = [&](llvm::Function& callee) {
      std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(callee);
      return ordinal &&
             (index_.at(*ordinal).is_definition || callee.hasAvailableExternallyLinkage()) &&
             StandsAlone(callee, *ordinal) && CanBeCloned(callee) &&
             !(index_.at(*ordinal).is_weak && decisions_.is_replaced(*ordinal)) &&
             !(index_.has_groups() && ReadsGroup(callee));
    };
    const auto is_warm = [&](llvm::Function& callee) {
      std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(callee);
      // For a callee that another module defines, this is unknown.
      return !ordinal || !index_.at(*ordinal).is_definition || decisions_.is_warm(*ordinal);
    };
    const bool is_hot = options_.is_better_body || options_.loop;
    return firstcall::ChooseImports(roots, view_.is_unoptimized(),
                                    is_hot ? kMaxImportedIfHot : kMaxImported,
                                    {may_be_imported, is_warm, decisions_.simplify});
  }

  // The constants whose addresses escape from what is moved.
  Variables FindShared(const Imports& imports) {
    Variables shared;
    const auto is_copied = [&](const llvm::GlobalVariable& variable) {
      return ReferenceMapper::IsCopied(variable, view_, index_);
    };
    const auto look_at = [&](const llvm::Function& function) {
      view_.address_escape().Find(function, is_copied, shared);
    };
    for (auto [function, ordinal] : functions_) look_at(*function);
    for (const firstcall::Import& import : imports.callees) look_at(*import.function);
    for (const llvm::Function* function : imports.pointees) look_at(*function);
    for (auto [variable, ordinal] : variables_) {
      AddressEscape::FindIn(*variable->getInitializer(), is_copied, shared);
    }
    return shared;
  }

  // With a smaller allowance there would often be no poll, and computing live-ins takes time.
  static constexpr int64_t kLeastForPolls = 30;

  // The limit for the polls of one function, whatever the allowance, because they delay its first
  // call: this constant, plus one instruction for each kInstructionsPerMostForPolls.
  static constexpr int64_t kMostForPolls = 100;
  static constexpr int64_t kInstructionsPerMostForPolls = 4;

  // Whether functions_[i] can only be compiled together with others and so cannot be replaced
  // alone.
  bool IsInseparable(size_t i) const { return inseparable_ > 1 && i < inseparable_; }

  // Whether the options require to know if a function can be replaced by another body.
  bool ConcernsReplacing() const {
    return options_.is_first_body || options_.is_better_body || options_.loop;
  }

  // The labels of each function. Must be called while the tables of labels are still in the view.
  std::vector<Labels> FindAllLabels() const {
    std::vector<Labels> labels;
    if (!ConcernsReplacing()) return labels;
    for (auto [function, ordinal] : functions_) labels.push_back(FindLabels(*function));
    return labels;
  }

  // Requires that labels stay inside the function: no other function and no shared variable has
  // any.
  static bool CanBeReplaced(const llvm::Function& body, const Labels& labels) {
    switch (body.getCallingConv()) {
      case llvm::CallingConv::GHC:
      case llvm::CallingConv::HiPE:
      case llvm::CallingConv::AnyReg:
      case llvm::CallingConv::X86_INTR:
        return false;  // Functions with these conventions cannot call others.
      default:
        break;
    }
    return labels.stay_inside && !body.hasOptNone() && !body.hasGC() &&
           !body.isPresplitCoroutine() && !body.hasFnAttribute(llvm::Attribute::Naked);
  }

  HeatSigns ShowHeat(size_t function, llvm::Function& body, const Labels& labels,
                     FunctionModule& result) {
    LoopEntries entries(body, labels);
    std::vector<uint32_t> polls;
    if (entries.has_loop()) {
      const auto instructions = static_cast<int64_t>(CountInstructions(body));
      result.poll_balance += instructions / kInstructionsPerPoll;
      const int64_t allowance =
          std::min(options_.poll_allowance + result.poll_balance,
                   kMostForPolls + instructions / kInstructionsPerMostForPolls);
      if (allowance >= kLeastForPolls) {
        size_t taken = 0;
        polls = ChoosePolls(body, entries, static_cast<size_t>(allowance), taken);
        result.poll_balance -= static_cast<int64_t>(taken);
      }
    }
    if (!polls.empty() || options_.asks_when_called) {
      const std::string& name = index_.at(functions_[function].second).name;
      AddHeatPolls(body,
                   *DeclareHeatCounter(*result.module, absl::StrCat(name, kHeatSuffix),
                                       /*is_near=*/!options_.is_far),
                   entries, polls, options_.asks_when_called);
    }
    return entries.has_loop() && polls.empty() ? HeatSigns::kCallsOnly : HeatSigns::kCallsAndLoops;
  }

  absl::Status GoOn(llvm::Function& body, LoopEntries& entries) {
    const std::string& name = index_.at(functions_.front().second).name;
    const LoopEntry* entry =
        *options_.loop < entries.size() ? entries.Find(*options_.loop) : nullptr;
    if (entry == nullptr) {
      return absl::NotFoundError(
          absl::StrCat("function '", name, "' has no loop ", *options_.loop));
    }
    MakeContinuation(body, *entry, absl::StrCat(name, kLoopSuffix));
    return absl::OkStatus();
  }

  // Whether simplifying `function`, which inlining does, too, could fold a constant that belongs to
  // a group (such as the address of a block) into the function.
  bool ReadsGroup(llvm::Function& function) const {
    llvm::SmallVector<const llvm::Constant*, 32> left;
    llvm::SmallPtrSet<const llvm::Constant*, 32> seen;
    const auto add_operands = [&](const llvm::User& user) {
      for (const llvm::Use& operand : user.operands()) {
        const auto* constant = llvm::dyn_cast<llvm::Constant>(operand.get());
        if (constant == nullptr || llvm::isa<llvm::ConstantData, llvm::Function>(constant))
          continue;
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

  bool StaysInView(llvm::Function& function, SymbolOrdinal ordinal) const {
    return (options_.import_callees || options_.keep_in_view || MustBeInlined(function)) &&
           index_.GroupOf(ordinal).empty() && CanBeCloned(function) &&
           BlockAddressPartners(function).empty();
  }

  // Replaces `declaration`, which has no uses yet, by a copy of `original`, without its debug
  // information: its types would count as defined although the copy may be dropped again. Inlined
  // code has the line of the call.
  static llvm::Function* Import(llvm::Function& original, llvm::Function& declaration) {
    llvm::Function* copy = CopyFunction(original, "", *declaration.getParent());
    llvm::stripDebugInfo(*copy);
    copy->setDSOLocal(declaration.isDSOLocal());
    copy->setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
    copy->takeName(&declaration);
    declaration.eraseFromParent();
    return copy;
  }

  static llvm::Function* ImportByAddress(llvm::Function& original, ReferenceMapper& mapper) {
    llvm::Function* copy = Import(original, llvm::cast<llvm::Function>(*mapper.Map(original)));
    mapper.Define(original, *copy);
    return copy;
  }

  ModuleView& view_;
  const SymbolIndex& index_;
  const ExtractOptions& options_;
  const ExtractDecisions& decisions_;
  std::vector<std::pair<llvm::Function*, SymbolOrdinal>> functions_;
  std::vector<std::pair<llvm::GlobalVariable*, SymbolOrdinal>> variables_;
  size_t inseparable_ = 0;  // How many of functions_ are inseparable; they come first.
  std::optional<SymbolOrdinal> leader_;
};

}  // namespace

absl::StatusOr<FunctionModule> ExtractFunction(ModuleView& view, const SymbolIndex& index,
                                               SymbolOrdinal function,
                                               const ExtractOptions& options,
                                               const ExtractDecisions& decisions) {
  absl::StatusOr<FunctionModule> result;
  // On some damaged bitcode, LLVM's reader reports a fatal error.
  absl::Status status = RunGuarded([&] {
    Extraction extraction(view, index, options, decisions);
    if (absl::Status added = extraction.AddGroup(function); !added.ok()) {
      result = added;
      return;
    }
    if (extraction.leader()) {
      result.emplace().leader = extraction.leader();
      return;
    }
    if (absl::Status checked = extraction.CheckLoop(); !checked.ok()) {
      result = checked;
      return;
    }
    extraction.AddInevitableCallees();
    result = extraction.Move();
  });
  if (status.ok()) return result;
  return absl::InvalidArgumentError(absl::StrCat("function '", index.at(function).name,
                                                 "': reading its body: ", status.message()));
}

}  // namespace firstcall
