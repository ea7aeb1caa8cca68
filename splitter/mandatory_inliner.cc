#include "splitter/mandatory_inliner.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace firstcall {
namespace {

// Marks a body whose mandatory calls are inlined. Mandatory calls that it still has belong to a
// cycle, or were inlined from a cycle, and have to stay.
constexpr char kIsDone[] = "firstcall-mandatory-calls-are-inlined";

// If only the call has `alwaysinline`, it is mandatory only if the callee has no other definition:
// any other callee may have been moved out of the view by then.
bool IsMandatory(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || call.getAttributes().hasFnAttr(llvm::Attribute::NoInline)) return false;
  return MustBeInlined(*callee) || (callee->hasAvailableExternallyLinkage() &&
                                    call.getAttributes().hasFnAttr(llvm::Attribute::AlwaysInline));
}

// Tarjan's algorithm on the graph of mandatory calls: the members of a cycle are complete at the
// same time, and after everything they call.
class MandatoryInliner {
 public:
  using OnInlined = absl::FunctionRef<void(const llvm::Function&, const llvm::Function&)>;

  MandatoryInliner(absl::FunctionRef<bool(llvm::Function&)> may_be_inlined, OnInlined on_inlined)
      : may_be_inlined_(may_be_inlined), on_inlined_(on_inlined) {}

  void Complete(llvm::Function& function) {
    Enter(function);
    while (!path_.empty()) {
      Node& node = nodes_[path_.back()];
      if (node.next == node.calls.size()) {
        Leave();
        continue;
      }
      llvm::Function& callee = CalleeOf(node.calls[node.next++]);
      const auto found = places_.find(&callee);
      if (found == places_.end()) {
        if (CanBeInlined(callee)) {
          Enter(callee);
        } else {
          places_[&callee] = kRefused;
        }
      } else if (found->second != kRefused && nodes_[found->second].component == kOpen) {
        node.lowest = std::min(node.lowest, found->second);
      }
    }
  }

 private:
  static constexpr size_t kRefused = SIZE_MAX;
  static constexpr size_t kOpen = SIZE_MAX;

  struct Node {
    llvm::Function* function;
    std::vector<llvm::WeakVH> calls;  // In their order in the function.
    size_t next = 0;                  // The next call to follow.
    size_t lowest;                    // The first node known to be in the same component.
    size_t component = kOpen;         // The component's first node.
  };

  static llvm::Function& CalleeOf(const llvm::WeakVH& call) {
    return *llvm::cast<llvm::CallBase>(call)->getCalledFunction();
  }

  bool CanBeInlined(llvm::Function& callee) {
    return !callee.isPresplitCoroutine() &&
           (!callee.isDeclaration() || callee.isMaterializable()) && may_be_inlined_(callee);
  }

  void Enter(llvm::Function& function) {
    const size_t place = nodes_.size();
    Node node{&function, {}, 0, place, kOpen};
    if (!function.hasFnAttribute(kIsDone)) {
      for (llvm::Instruction& instruction : llvm::instructions(function)) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call != nullptr && IsMandatory(*call)) node.calls.emplace_back(call);
      }
    }
    places_[&function] = place;
    nodes_.push_back(std::move(node));
    path_.push_back(place);
    open_.push_back(place);
  }

  void Leave() {
    const size_t place = path_.back();
    path_.pop_back();
    const size_t lowest = nodes_[place].lowest;
    if (!path_.empty()) nodes_[path_.back()].lowest = std::min(nodes_[path_.back()].lowest, lowest);
    if (lowest != place) return;
    const auto first = std::find(open_.rbegin(), open_.rend(), place).base() - 1;
    for (auto member = first; member != open_.end(); ++member) nodes_[*member].component = place;
    for (auto member = first; member != open_.end(); ++member) InlineInto(nodes_[*member]);
    open_.erase(first, open_.end());
  }

  void InlineInto(const Node& node) {
    if (node.calls.empty() && !MustBeInlined(*node.function)) return;
    for (const llvm::WeakVH& call : node.calls) {
      if (call == nullptr) continue;  // Removed: an inlined body before it does not return.
      const size_t place = places_.at(&CalleeOf(call));
      if (place == kRefused || nodes_[place].component == node.component) continue;
      llvm::Function& callee = *nodes_[place].function;
      if (!llvm::isInlineViable(callee).isSuccess()) continue;
      llvm::InlineFunctionInfo info;
      (void)llvm::InlineFunction(*llvm::cast<llvm::CallBase>(call), info,
                                 /*MergeAttributes=*/true);
      on_inlined_(*node.function, callee);
    }
    if (!node.function->hasFnAttribute(kIsDone)) node.function->addFnAttr(kIsDone);
  }

  const absl::FunctionRef<bool(llvm::Function&)> may_be_inlined_;
  const OnInlined on_inlined_;
  std::vector<Node> nodes_;
  std::vector<size_t> path_;  // From the requested function to the one that is being processed.
  std::vector<size_t> open_;  // Nodes that belong to no component yet.
  absl::flat_hash_map<const llvm::Function*, size_t> places_;
};

}  // namespace

bool MustBeInlined(const llvm::Function& function) {
  return function.hasFnAttribute(llvm::Attribute::AlwaysInline);
}

bool MayHaveMandatoryCalls(const llvm::Module& module) {
  return llvm::any_of(module, [](const llvm::Function& function) {
    return MustBeInlined(function) || function.hasAvailableExternallyLinkage();
  });
}

void InlineMandatoryCalls(
    llvm::Function& function, absl::FunctionRef<bool(llvm::Function&)> may_be_inlined,
    absl::FunctionRef<void(const llvm::Function&, const llvm::Function&)> on_inlined) {
  MandatoryInliner(may_be_inlined, on_inlined).Complete(function);
}

}  // namespace firstcall
