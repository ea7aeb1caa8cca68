#include "splitter/callee_importer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "splitter/entry_hooks.h"
#include "splitter/osr/frame_intrinsics.h"
#include "splitter/thread_local_uses.h"

namespace firstcall {
namespace {

// At -O2, LLVM's inliner inlines bodies up to a cost of about 225, and most instructions cost 5.
// Before it is simplified, a body has more instructions: most of what a front end writes are
// accesses to variables.
constexpr BodyLimits kLimits = {/*as_read=*/500, /*simplified=*/100};
// For a function that has hardly ever been called: its body is little larger than the call.
constexpr BodyLimits kLimitsOfCold = {/*as_read=*/150, /*simplified=*/30};

// LLVM's costs of inlining (llvm/Analysis/InlineCost.h): of an instruction, and of a call besides
// its arguments.
constexpr size_t kCostOfInstruction = 5;
constexpr size_t kCostOfCall = 25;
// A body of a greater cost is not inlined. At -O2 LLVM's limit is 225, or 325 for what the
// programmer has declared inline, and half as much again for a body of one block. What follows from
// constant arguments is not known here, so this is more.
constexpr size_t kMaxCost = 600;

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
  ImportChooser(absl::Span<const ImportRoot> roots, bool is_unoptimized, size_t max_instructions,
                const ImportDecisions& decisions)
      : roots_(roots),
        is_unoptimized_(is_unoptimized),
        max_instructions_(max_instructions),
        decisions_(decisions) {
    for (const ImportRoot& root : roots) places_[root.function] = kIsRoot;
  }

  Imports Choose() {
    for (const ImportRoot& root : roots_) AddCalleesOf(*root.function, *root.body);
    for (size_t i = 0; i < imports_.callees.size(); ++i) {
      AddCalleesOf(*imports_.callees[i].function, *imports_.callees[i].body);
    }
    for (const ImportRoot& root : roots_) MarkPrivate(*root.body, /*is_private=*/false);
    LeaveOutWhatIsTooCostly();
    for (llvm::Function* function : pointees_) {
      // An `available_externally` function has one name for calls and address: it may be imported
      // already.
      if (function->hasAvailableExternallyLinkage() && places_.contains(function)) continue;
      if (llvm::Function* const body = BodyToImport(*function)) {
        imports_.pointees.push_back({function, body, /*is_private=*/false});
      }
    }
    return std::move(imports_);
  }

 private:
  static constexpr size_t kIsRoot = SIZE_MAX;
  static constexpr size_t kIsRefused = SIZE_MAX - 1;

  // Null if the callee is not to be imported. Otherwise its size has been added to the totals.
  llvm::Function* BodyToImport(llvm::Function& callee) {
    if (!MayBeInlined(callee, is_unoptimized_)) return nullptr;
    if (callee.hasFnAttribute(llvm::Attribute::AlwaysInline)) {
      if (!decisions_.may_be_imported(callee)) return nullptr;
      total_ += callee.getInstructionCount();
      return &callee;
    }
    const bool is_warm = decisions_.is_warm(callee);
    llvm::Function* const body = decisions_.small_body(callee, is_warm ? kLimits : kLimitsOfCold);
    if (body == nullptr || MustStayACall(callee, *body)) return nullptr;
    const size_t size = body->getInstructionCount();
    if (total_ + size > max_instructions_) return nullptr;
    if (!is_warm) {
      if (cold_ + size > kMaxImported) return nullptr;
      cold_ += size;
    }
    total_ += size;
    return body;
  }

  // Whether the `noinline` of a callee in a module that -O0 made may be meant.
  bool MustStayACall(const llvm::Function& callee, const llvm::Function& body) const {
    return is_unoptimized_ && callee.hasFnAttribute(llvm::Attribute::NoInline) &&
           NamesThreadLocals(body);
  }

  void AddCalleesOf(const llvm::Function& function, llvm::Function& body) {
    if (body.hasOptNone()) return;  // Nothing is inlined into it.
    for (llvm::Instruction& instruction : llvm::instructions(body)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || call->getAttributes().hasFnAttr(llvm::Attribute::NoInline)) continue;
      if (llvm::Function* callee = call->getCalledFunction()) Consider(*callee);
    }
    for (llvm::Function* target : decisions_.likely_targets(function)) Consider(*target);
  }

  void Consider(llvm::Function& callee) {
    if (!places_.try_emplace(&callee, kIsRefused).second) return;
    llvm::Function* const body = BodyToImport(callee);
    if (body == nullptr) return;
    places_[&callee] = imports_.callees.size();
    imports_.callees.push_back({&callee, body, /*is_private=*/false});
  }

  // The cost of inlining an import, with what is inlined into it first, as LLVM's inliner does.
  // Recursive calls are not inlined.
  size_t CostOf(size_t place) {
    std::optional<size_t>& cost = costs_[place];
    if (cost) return *cost;
    cost = SIZE_MAX;  // While it is computed: nothing is inlined into itself.
    size_t sum = 0;
    for (const llvm::Instruction& instruction : llvm::instructions(*imports_.callees[place].body)) {
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
    std::vector<ImportRoot> callers(roots_.begin(), roots_.end());
    const auto keep_if_needed = [&](const llvm::Function* callee) {
      const std::optional<size_t> place = PlaceOf(callee);
      if (!place || is_kept[*place]) return;
      const Import& import = imports_.callees[*place];
      const bool is_needed = import.is_private ||
                             import.function->hasFnAttribute(llvm::Attribute::AlwaysInline) ||
                             CostOf(*place) <= kMaxCost;
      if (!is_needed) return;
      is_kept[*place] = true;
      callers.push_back({import.function, import.body});
    };
    while (!callers.empty()) {
      const ImportRoot caller = callers.back();
      callers.pop_back();
      for (const llvm::Instruction& instruction : llvm::instructions(*caller.body)) {
        const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call != nullptr) keep_if_needed(call->getCalledFunction());
      }
      for (const llvm::Function* target : decisions_.likely_targets(*caller.function)) {
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

  // Marks the imports to which `body` passes functions, and what these call, as private. If `body`
  // itself is private, marks everything it calls.
  void MarkPrivate(llvm::Function& body, bool is_private) {
    for (llvm::Instruction& instruction : llvm::instructions(body)) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      if (call == nullptr || call->getCalledFunction() == nullptr) continue;
      const auto place = places_.find(call->getCalledFunction());
      if (place == places_.end() || place->second >= imports_.callees.size()) continue;
      Import& import = imports_.callees[place->second];
      if (!AddPointees(*call) && !is_private) continue;
      if (std::exchange(import.is_private, true)) continue;
      MarkPrivate(*import.body, /*is_private=*/true);
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

  const absl::Span<const ImportRoot> roots_;
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

Imports ChooseImports(absl::Span<const ImportRoot> roots, bool is_unoptimized,
                      size_t max_instructions, const ImportDecisions& decisions) {
  return ImportChooser(roots, is_unoptimized, max_instructions, decisions).Choose();
}

}  // namespace firstcall
