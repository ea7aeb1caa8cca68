#include "splitter/callee_importer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "splitter/entry_hooks.h"
#include "splitter/osr/frame_intrinsics.h"

namespace firstcall {
namespace {

// For a simplified body. At -O2, LLVM's inliner inlines bodies up to a cost of about 225, and most
// instructions cost 5.
constexpr size_t kMaxBodyInstructions = 100;
// For a body before it is simplified. Most of what a front end writes are accesses to variables.
constexpr size_t kMaxRawInstructions = 500;
// For a function that has hardly ever been called: its body is little larger than the call.
constexpr size_t kMaxBodyInstructionsOfCold = 30;
constexpr size_t kMaxRawInstructionsOfCold = 150;

// LLVM's costs of inlining (llvm/Analysis/InlineCost.h): of an instruction, and of a call besides
// its arguments.
constexpr size_t kCostOfInstruction = 5;
constexpr size_t kCostOfCall = 25;
// A body of a greater cost is not inlined. At -O2 LLVM's limit is 225, or 325 for what the
// programmer has declared inline, and half as much again for a body of one block. What follows from
// constant arguments is not known here, so this is more.
constexpr size_t kMaxCost = 600;

constexpr char kIsSimplified[] = "firstcall-is-simplified";

bool MayBeInlined(const llvm::Function& function, bool is_unoptimized) {
  using llvm::Attribute;
  return !function.isIntrinsic() && !function.isInterposable() &&
         (is_unoptimized || !function.hasFnAttribute(Attribute::NoInline)) &&
         !function.hasFnAttribute(Attribute::ReturnsTwice) &&
         !function.hasFnAttribute(Attribute::Naked) && !function.isPresplitCoroutine() &&
         !HasHooksOfBody(function);
}

// Whether `function` depends on the frame in which it runs. Hooks such as mcount look for it.
bool AsksForItsFrame(const llvm::Function& function) {
  if (HasHooksOfBody(function)) return true;
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return call != nullptr && DependsOnFrame(call->getIntrinsicID());
  });
}

class ImportChooser {
 public:
  ImportChooser(absl::Span<llvm::Function* const> roots, bool is_unoptimized,
                size_t max_instructions, const ImportDecisions& decisions)
      : roots_(roots),
        is_unoptimized_(is_unoptimized),
        max_instructions_(max_instructions),
        decisions_(decisions) {
    for (const llvm::Function* root : roots) places_[root] = kIsRoot;
  }

  Imports Choose() {
    for (llvm::Function* root : roots_) AddCalleesOf(*root);
    for (size_t i = 0; i < imports_.callees.size(); ++i) {
      AddCalleesOf(*imports_.callees[i].function);
    }
    for (llvm::Function* root : roots_) MarkPrivate(*root, /*is_private=*/false);
    LeaveOutWhatIsTooCostly();
    for (llvm::Function* function : pointees_) {
      // An `available_externally` function has one name for calls and address: it may be imported
      // already.
      if (function->hasAvailableExternallyLinkage() && places_.contains(function)) continue;
      if (MayBeImported(*function)) imports_.pointees.push_back(function);
    }
    return std::move(imports_);
  }

 private:
  static constexpr size_t kIsRoot = SIZE_MAX;
  static constexpr size_t kIsRefused = SIZE_MAX - 1;

  // If the result is true, the callee's size has been added to the totals.
  bool MayBeImported(llvm::Function& callee) {
    if (!MayBeInlined(callee, is_unoptimized_) || !decisions_.may_be_imported(callee)) return false;
    if (callee.hasOptNone()) return false;  // Reading the body may have removed it.
    const bool must = callee.hasFnAttribute(llvm::Attribute::AlwaysInline);
    const bool is_warm = must || decisions_.is_warm(callee);
    // A body that must be inlined is inlined elsewhere in its original form, so it is not changed.
    if (!must && !callee.hasFnAttribute(kIsSimplified)) {
      const size_t most = is_warm ? kMaxRawInstructions : kMaxRawInstructionsOfCold;
      if (callee.getInstructionCount() > most) return false;
      decisions_.simplify(callee);
      MarkSimplified(callee);
    }
    const size_t size = callee.getInstructionCount();
    const size_t most = is_warm ? kMaxBodyInstructions : kMaxBodyInstructionsOfCold;
    if (!must && (size > most || total_ + size > max_instructions_)) return false;
    if (!is_warm) {
      if (cold_ + size > kMaxImported) return false;
      cold_ += size;
    }
    total_ += size;
    return true;
  }

  void AddCalleesOf(llvm::Function& function) {
    if (function.hasOptNone()) return;  // Nothing is inlined into it.
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || call->getAttributes().hasFnAttr(llvm::Attribute::NoInline)) continue;
      if (llvm::Function* callee = call->getCalledFunction()) Consider(*callee);
    }
    for (llvm::Function* target : decisions_.likely_targets(function)) Consider(*target);
  }

  void Consider(llvm::Function& callee) {
    if (!places_.try_emplace(&callee, kIsRefused).second || !MayBeImported(callee)) return;
    places_[&callee] = imports_.callees.size();
    imports_.callees.push_back({&callee, /*is_private=*/false});
  }

  // The cost of inlining an import, with what is inlined into it first, as LLVM's inliner does.
  // Recursive calls are not inlined.
  size_t CostOf(size_t place) {
    std::optional<size_t>& cost = costs_[place];
    if (cost) return *cost;
    cost = SIZE_MAX;  // While it is computed: nothing is inlined into itself.
    size_t sum = 0;
    for (const llvm::Instruction& instruction :
         llvm::instructions(*imports_.callees[place].function)) {
      sum += CostOf(instruction);
    }
    return *(costs_[place] = sum);
  }

  size_t CostOf(const llvm::Instruction& instruction) {
    if (llvm::isa<llvm::PHINode, llvm::ReturnInst, llvm::CastInst, llvm::AllocaInst>(instruction) ||
        instruction.isDebugOrPseudoInst()) {
      return 0;
    }
    if (const auto* element = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
      return element->hasAllConstantIndices() ? 0 : kCostOfInstruction;
    }
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (call == nullptr || llvm::isa<llvm::IntrinsicInst>(call)) return kCostOfInstruction;
    const size_t arguments = kCostOfInstruction * call->arg_size();
    if (const std::optional<size_t> callee = PlaceOfCallee(*call)) {
      const size_t cost = CostOf(*callee);
      if (cost <= kMaxCost) return cost > arguments ? cost - arguments : 0;
    }
    return kCostOfCall + arguments + kCostOfInstruction;
  }

  // The import that `call` calls.
  std::optional<size_t> PlaceOfCallee(const llvm::CallBase& call) const {
    return PlaceOf(call.getCalledFunction());
  }

  std::optional<size_t> PlaceOf(const llvm::Function* callee) const {
    const auto place = places_.find(callee);
    if (place == places_.end() || place->second >= imports_.callees.size()) return std::nullopt;
    return place->second;
  }

  // Leaves out imports that will not be inlined: copying them, and inlining their callees into the
  // copies, takes most of the time of an optimization.
  void LeaveOutWhatIsTooCostly() {
    costs_.resize(imports_.callees.size());
    std::vector<bool> is_kept(imports_.callees.size(), false);
    std::vector<const llvm::Function*> callers(roots_.begin(), roots_.end());
    const auto keep_if_needed = [&](const llvm::Function* callee) {
      const std::optional<size_t> place = PlaceOf(callee);
      if (!place || is_kept[*place]) return;
      const Import& import = imports_.callees[*place];
      const bool is_needed = import.is_private ||
                             import.function->hasFnAttribute(llvm::Attribute::AlwaysInline) ||
                             CostOf(*place) <= kMaxCost;
      if (!is_needed) return;
      is_kept[*place] = true;
      callers.push_back(import.function);
    };
    while (!callers.empty()) {
      const llvm::Function* caller = callers.back();
      callers.pop_back();
      for (const llvm::Instruction& instruction : llvm::instructions(*caller)) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call != nullptr) keep_if_needed(call->getCalledFunction());
      }
      for (const llvm::Function* target : decisions_.likely_targets(*caller)) {
        keep_if_needed(target);
      }
    }
    std::vector<Import> kept;
    for (size_t i = 0; i < is_kept.size(); ++i) {
      if (is_kept[i]) {
        kept.push_back(imports_.callees[i]);
      } else {
        places_[imports_.callees[i].function] = kIsRefused;
      }
    }
    imports_.callees = std::move(kept);
  }

  // Marks the imports to which `function` passes functions, and what these call, as private. If
  // `function` itself is private, marks everything it calls.
  void MarkPrivate(llvm::Function& function, bool is_private) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || call->getCalledFunction() == nullptr) continue;
      const auto place = places_.find(call->getCalledFunction());
      if (place == places_.end() || place->second >= imports_.callees.size()) continue;
      Import& import = imports_.callees[place->second];
      if (!AddPointees(*call) && !is_private) continue;
      if (std::exchange(import.is_private, true)) continue;
      MarkPrivate(*import.function, /*is_private=*/true);
    }
  }

  // Whether `call` passes functions. Adds them to pointees_.
  bool AddPointees(const llvm::CallBase& call) {
    bool passes_functions = false;
    for (const llvm::Use& argument : call.args()) {
      auto* function = llvm::dyn_cast<llvm::Function>(argument.get());
      if (function == nullptr) continue;
      passes_functions = true;
      if (!llvm::is_contained(pointees_, function)) pointees_.push_back(function);
    }
    return passes_functions;
  }

  const absl::Span<llvm::Function* const> roots_;
  const bool is_unoptimized_;
  const size_t max_instructions_;
  const ImportDecisions& decisions_;
  Imports imports_;
  std::vector<llvm::Function*> pointees_;
  // Functions that were considered, and their places in imports_.callees.
  absl::flat_hash_map<const llvm::Function*, size_t> places_;
  std::vector<std::optional<size_t>> costs_;  // Of the imports, by place; as far as computed.
  size_t total_ = 0;                          // Instructions.
  size_t cold_ = 0;                           // Instructions of callees that are not warm.
};

}  // namespace

bool IsUnoptimized(const llvm::Module& module) {
  using llvm::Attribute;
  return llvm::all_of(module, [](const llvm::Function& function) {
    return function.isDeclaration() || function.hasFnAttribute(Attribute::NoInline) ||
           function.hasFnAttribute(Attribute::AlwaysInline);
  });
}

void ForgetThatItIsUnoptimized(llvm::Function& function) {
  if (AsksForItsFrame(function)) return;
  function.removeFnAttr(llvm::Attribute::NoInline);
  if (function.getFnAttribute("frame-pointer").getValueAsString() == "all") {
    function.removeFnAttr("frame-pointer");
  }
}

Imports ChooseImports(absl::Span<llvm::Function* const> roots, bool is_unoptimized,
                      size_t max_instructions, const ImportDecisions& decisions) {
  return ImportChooser(roots, is_unoptimized, max_instructions, decisions).Choose();
}

bool IsSimplified(const llvm::Function& function) { return function.hasFnAttribute(kIsSimplified); }

void MarkSimplified(llvm::Function& function) { function.addFnAttr(kIsSimplified); }

bool CanBeCloned(const llvm::Function& function) {
  for (const llvm::BasicBlock& block : function) {
    if (block.hasAddressTaken()) return false;
  }
  return true;
}

llvm::Function* CloneInView(llvm::Function& function) {
  auto* clone =
      llvm::Function::Create(function.getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                             function.getAddressSpace(), "", function.getParent());
  llvm::ValueToValueMapTy values;
  for (llvm::Argument& argument : function.args()) {
    llvm::Argument* copy = clone->getArg(argument.getArgNo());
    copy->setName(argument.getName());
    values[&argument] = copy;
  }
  llvm::SmallVector<llvm::ReturnInst*, 8> returns;
  llvm::CloneFunctionInto(clone, &function, values, llvm::CloneFunctionChangeType::LocalChangesOnly,
                          returns);
  // A DIAssignID links a store to the variable it assigns, and must belong to one function only.
  llvm::DenseMap<llvm::DIAssignID*, llvm::DIAssignID*> assignments;
  for (llvm::Instruction& instruction : llvm::instructions(*clone)) {
    llvm::at::remapAssignID(assignments, instruction);
  }
  return clone;
}

}  // namespace firstcall
