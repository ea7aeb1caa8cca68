#include "splitter/function_choice.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/inline_assembly.h"
#include "base/status.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "splitter/block_addresses.h"
#include "splitter/body_copier.h"
#include "splitter/body_reader.h"
#include "splitter/inevitable_calls.h"
#include "splitter/likely_calls.h"
#include "splitter/mandatory_inliner.h"
#include "splitter/osr/block_search.h"
#include "splitter/reference_mapper.h"

namespace firstcall {
namespace {

// Limits for functions that join: above them the cost of a function-module is relatively small.
constexpr size_t kMaxFunctions = 64;
constexpr size_t kMaxJoinedInstructions = 2000;

class Chooser {
 public:
  Chooser(ModuleView& view, const SymbolIndex& index, const ExtractOptions& options,
          const ExtractDecisions& decisions)
      : view_(view),
        index_(index),
        options_(options),
        decisions_(decisions),
        reader_(view, index, options) {}

  absl::StatusOr<FunctionChoice> Choose(SymbolOrdinal function) && {
    FIRSTCALL_RETURN_IF_ERROR(AddGroup(function));
    if (choice_.leader) return std::move(choice_);
    if (options_.refuse_debug_info && HasDebugInfo()) {
      return absl::UnimplementedError("it has debug information");
    }
    if (options_.simplify_without_loops) SimplifyFirst();
    choice_.inseparable = choice_.functions.size();
    // If callees are imported, small functions are inlined and need not join.
    if (!options_.import_callees) AddInevitableCallees();
    AddCompanions();
    ListCallees();
    if (options_.import_callees) ChooseImports();
    FindShared();
    ListSources();
    return std::move(choice_);
  }

 private:
  absl::Status AddGroup(SymbolOrdinal function) {
    absl::Span<const SymbolOrdinal> members = index_.GroupOf(function);
    if (members.empty()) return AddWithPartners(function);
    for (SymbolOrdinal member : members) {
      if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&view_.symbol(member))) {
        choice_.variables.push_back({variable, member});
        continue;
      }
      auto* original = llvm::cast<llvm::Function>(&view_.symbol(member));
      FIRSTCALL_RETURN_IF_ERROR(reader_.Read(*original, member));
      choice_.functions.push_back({original, member, original});
    }
    return absl::OkStatus();
  }

  // Finds the same functions and the same leader whichever of them it starts from.
  absl::Status AddWithPartners(SymbolOrdinal function) {
    std::vector<FunctionChoice::ChosenFunction>& functions = choice_.functions;
    auto* original = llvm::cast<llvm::Function>(&view_.symbol(function));
    FIRSTCALL_RETURN_IF_ERROR(reader_.Read(*original, function));
    functions.push_back({original, function, original});
    for (size_t i = 0; i < functions.size(); ++i) {
      for (llvm::Function* partner : BlockAddressPartners(*functions[i].original)) {
        const SymbolOrdinal ordinal = *view_.ordinal_of(*partner);
        if (IsChosen(ordinal)) continue;
        if (partner->isDeclaration() && !partner->isMaterializable()) {
          return absl::UnimplementedError(absl::StrCat(
              "function '", index_.at(function).name, "': the address of a block of function '",
              index_.at(ordinal).name, "', in bitcode of an LLVM before 15"));
        }
        FIRSTCALL_RETURN_IF_ERROR(reader_.Read(*partner, ordinal));
        functions.push_back({partner, ordinal, partner});
      }
    }
    std::sort(functions.begin(), functions.end(),
              [](const auto& a, const auto& b) { return a.ordinal < b.ordinal; });
    if (functions.front().ordinal != function) choice_.leader = functions.front().ordinal;
    return absl::OkStatus();
  }

  bool HasDebugInfo() const {
    return choice_.functions.front().original->getSubprogram() != nullptr;
  }

  // Polls and OSR continuations of a function with loops are made from what was read.
  void SimplifyFirst() {
    llvm::Function& first = *choice_.functions.front().original;
    if (choice_.functions.size() > 1 || !choice_.variables.empty() || !CanBeCloned(first) ||
        first.hasOptNone() || HasLoop(first) ||
        (index_.has_groups() && reader_.ReadsGroup(first))) {
      return;
    }
    choice_.functions.front().body = &view_.simplified_bodies().Of(first, decisions_.simplify);
  }

  // Adds the functions that those chosen are bound to call, what those are bound to call, and so
  // on.
  void AddInevitableCallees() {
    std::vector<FunctionChoice::ChosenFunction>& functions = choice_.functions;
    if (!choice_.variables.empty() || HasInlineAssembly(*functions.front().original)) return;
    size_t instructions = 0;
    for (size_t i = 0; i < functions.size(); ++i) {
      for (llvm::Function* callee : InevitableCallees(*functions[i].original)) {
        if (functions.size() >= kMaxFunctions) return;
        std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(*callee);
        if (!ordinal || !MayBeMoved(*callee, *ordinal)) continue;
        instructions += callee->getInstructionCount();
        if (instructions > kMaxJoinedInstructions) return;
        if (decisions_.may_join(*ordinal)) functions.push_back({callee, *ordinal, callee});
      }
    }
  }

  // For a debugger. Only what the requested functions call directly: what those call is less likely
  // to be called. Without debug information, a debugger has little to read of an object: a function
  // that comes along and is not called takes longer than an object of its own for one that is.
  void AddCompanions() {
    if (!choice_.variables.empty() || choice_.inseparable > 1) return;
    const size_t requested = choice_.functions.size();
    for (size_t i = 0; i < requested; ++i) {
      llvm::Function& caller = *choice_.functions[i].original;
      if (caller.getSubprogram() != nullptr) AddCalleesAlong(caller, requested);
    }
    AddOthers(requested);
  }

  size_t CountAlong(size_t requested) const { return choice_.functions.size() - requested; }

  void AddCalleesAlong(llvm::Function& caller, size_t requested) {
    for (llvm::Instruction& instruction : llvm::instructions(caller)) {
      if (CountAlong(requested) >= options_.callees_along) return;
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function* const callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (callee == nullptr) continue;
      if (std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(*callee)) {
        AddAlong(*callee, *ordinal);
      }
    }
  }

  // In the order of the module, and from its beginning again at its end. If most functions have
  // been compiled, looks at a few times as many as it may add, so that all calls together take time
  // in proportion to the number of functions.
  void AddOthers(size_t requested) {
    constexpr size_t kLooks = 16;
    const size_t count = std::min(index_.size(), kLooks * options_.companions);
    const size_t first = choice_.functions.front().ordinal.value;
    for (size_t i = 1; i < count && CountAlong(requested) < options_.companions; ++i) {
      const SymbolOrdinal ordinal{static_cast<uint32_t>((first + i) % index_.size())};
      if (index_.at(ordinal).kind != SymbolKind::kFunction) continue;
      auto* function = llvm::dyn_cast<llvm::Function>(&view_.symbol(ordinal));
      if (function != nullptr) AddAlong(*function, ordinal);
    }
  }

  void AddAlong(llvm::Function& function, SymbolOrdinal ordinal) {
    if (MayBeMoved(function, ordinal) && decisions_.may_join(ordinal)) {
      choice_.functions.push_back({&function, ordinal, &function});
    }
  }

  void ListCallees() {
    if (!options_.list_callees) return;
    for (const llvm::Function* callee : LikelyCallees(*choice_.functions.front().original)) {
      std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(*callee);
      if (ordinal && index_.at(*ordinal).is_definition && !IsChosen(*ordinal)) {
        choice_.callees.push_back(*ordinal);
      }
    }
  }

  bool IsChosen(SymbolOrdinal ordinal) const {
    for (const FunctionChoice::ChosenFunction& function : choice_.functions) {
      if (function.ordinal == ordinal) return true;
    }
    return false;
  }

  // A function that is damaged or invalid does not qualify: its own first call reports the error.
  bool StandsAlone(llvm::Function& function, SymbolOrdinal ordinal) {
    return index_.GroupOf(ordinal).empty() && !function.isDeclaration() && !IsChosen(ordinal) &&
           reader_.Read(function, ordinal).ok() && !HasInlineAssembly(function) &&
           BlockAddressPartners(function).empty();
  }

  bool MayBeMoved(llvm::Function& function, SymbolOrdinal ordinal) {
    return index_.at(ordinal).is_definition && !MustBeInlined(function) &&
           StandsAlone(function, ordinal);
  }

  bool MayBeImported(llvm::Function& callee) {
    std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(callee);
    return ordinal &&
           (index_.at(*ordinal).is_definition || callee.hasAvailableExternallyLinkage()) &&
           StandsAlone(callee, *ordinal) && CanBeCloned(callee) &&
           !(index_.at(*ordinal).is_weak && decisions_.is_replaced(*ordinal)) &&
           !(index_.has_groups() && reader_.ReadsGroup(callee));
  }

  // See ImportDecisions. Bodies that are too large are not kept: most are considered only once. One
  // that was there before may have been chosen already, when the callee was warm.
  llvm::Function* SmallBody(llvm::Function& callee, const BodyLimits& limits) {
    const std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(callee);
    BodySizes* const sizes = ordinal ? options_.sizes : nullptr;
    if (sizes != nullptr && !sizes->MayBeWithin(limits, *ordinal)) return nullptr;
    if (!MayBeImported(callee) || callee.hasOptNone()) return nullptr;
    const size_t as_read = callee.getInstructionCount();
    if (sizes != nullptr) sizes->NoteAsRead(*ordinal, as_read);
    if (as_read > limits.as_read) return nullptr;
    const bool was_there = view_.simplified_bodies().Has(callee);
    llvm::Function& body = view_.simplified_bodies().Of(callee, decisions_.simplify);
    const size_t simplified = body.getInstructionCount();
    if (sizes != nullptr) sizes->NoteSimplified(*ordinal, simplified);
    if (simplified <= limits.simplified) return &body;
    if (!was_there) view_.simplified_bodies().Drop(callee);
    return nullptr;
  }

  void ChooseImports() {
    std::vector<ImportRoot> roots;
    for (const auto& [original, ordinal, body] : choice_.functions) {
      roots.push_back({original, body});
    }
    const auto may_be_imported = [&](llvm::Function& callee) { return MayBeImported(callee); };
    const auto small_body = [&](llvm::Function& callee, const BodyLimits& limits) {
      return SmallBody(callee, limits);
    };
    const auto is_warm = [&](llvm::Function& callee) {
      std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(callee);
      // For a callee that another module defines, this is unknown.
      return !ordinal || !index_.at(*ordinal).is_definition || decisions_.is_warm(*ordinal);
    };
    const auto likely_targets = [&](const llvm::Function& caller) {
      return LikelyTargetsOf(caller);
    };
    choice_.imports =
        firstcall::ChooseImports(roots, view_.is_unoptimized(),
                                 IsForHotFunction(options_.body) ? kMaxImportedIfHot : kMaxImported,
                                 {may_be_imported, small_body, is_warm, likely_targets});
  }

  std::vector<llvm::Function*> LikelyTargetsOf(const llvm::Function& caller) const {
    std::vector<llvm::Function*> targets;
    const std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(caller);
    if (!options_.likely_targets || !ordinal) return targets;
    for (SymbolOrdinal target : options_.likely_targets(*ordinal)) {
      auto* function = llvm::dyn_cast<llvm::Function>(&view_.symbol(target));
      if (function != nullptr) targets.push_back(function);
    }
    return targets;
  }

  void FindShared() {
    const auto is_copied = [&](const llvm::GlobalVariable& variable) {
      return ReferenceMapper::IsCopied(variable, view_, index_);
    };
    const auto look_at = [&](const llvm::Function& function) {
      view_.address_escape().Find(function, is_copied, choice_.shared);
    };
    for (const FunctionChoice::ChosenFunction& function : choice_.functions) {
      look_at(*function.body);
    }
    for (const Import& import : choice_.imports.callees) look_at(*import.body);
    for (const Import& import : choice_.imports.pointees) look_at(*import.body);
    for (auto [variable, ordinal] : choice_.variables) {
      AddressEscape::FindIn(*variable->getInitializer(), is_copied, choice_.shared);
    }
  }

  void ListSources() {
    std::vector<SymbolOrdinal>& sources = choice_.sources;
    const auto add = [&](const llvm::Function& function) {
      if (std::optional<SymbolOrdinal> ordinal = view_.ordinal_of(function)) {
        sources.push_back(*ordinal);
      }
      const absl::Span<const SymbolOrdinal> inlined = view_.InlinedInto(function);
      sources.insert(sources.end(), inlined.begin(), inlined.end());
    };
    for (const FunctionChoice::ChosenFunction& function : choice_.functions) {
      add(*function.original);
    }
    for (const Import& import : choice_.imports.callees) add(*import.function);
    for (const Import& import : choice_.imports.pointees) add(*import.function);
    std::sort(sources.begin(), sources.end());
    sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  }

  ModuleView& view_;
  const SymbolIndex& index_;
  const ExtractOptions& options_;
  const ExtractDecisions& decisions_;
  BodyReader reader_;
  FunctionChoice choice_;
};

}  // namespace

absl::StatusOr<FunctionChoice> ChooseFunctions(ModuleView& view, const SymbolIndex& index,
                                               SymbolOrdinal function,
                                               const ExtractOptions& options,
                                               const ExtractDecisions& decisions) {
  return Chooser(view, index, options, decisions).Choose(function);
}

}  // namespace firstcall
