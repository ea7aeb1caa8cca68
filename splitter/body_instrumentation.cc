#include "splitter/body_instrumentation.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "llvm/IR/Function.h"
#include "object/symbol_name.h"
#include "splitter/assembly_labels.h"
#include "splitter/osr/block_search.h"
#include "splitter/osr/continuation.h"
#include "splitter/osr/hotness_polls.h"
#include "splitter/osr/loop_entries.h"

namespace firstcall {
namespace {

// With a smaller allowance there would often be no poll, and computing live-ins takes time.
constexpr int64_t kLeastForPolls = 30;

// The limit for the polls of one function, whatever the allowance, because they delay its first
// call: this constant, plus one instruction for each kInstructionsPerMostForPolls.
constexpr int64_t kMostForPolls = 100;
constexpr int64_t kInstructionsPerMostForPolls = 4;

// Whether another body can take over from a first body. The addresses of its blocks (`labels`) must
// stay inside the function: no other function and no shared variable has any. Labels that its
// inline assembly defines may be known anywhere.
bool CanBeReplaced(const llvm::Function& body, const Labels& labels) {
  switch (body.getCallingConv()) {
    case llvm::CallingConv::GHC:
    case llvm::CallingConv::HiPE:
    case llvm::CallingConv::AnyReg:
    case llvm::CallingConv::X86_INTR:
      return false;  // Functions with these conventions cannot call others.
    default:
      break;
  }
  return labels.stay_inside && !body.hasOptNone() && !body.hasGC() && !body.isPresplitCoroutine() &&
         !body.hasFnAttribute(llvm::Attribute::Naked) && LabelsDefinedIn(body).empty();
}

}  // namespace

BodyInstrumentation::BodyInstrumentation(const SymbolIndex& index, const FunctionChoice& choice,
                                         const ExtractOptions& options)
    : index_(index), choice_(choice), options_(options) {
  if (std::holds_alternative<PlainBody>(options.body)) return;
  for (auto [function, ordinal] : choice.functions) labels_.push_back(FindLabels(*function));
}

absl::StatusOr<HotnessOfBodies> BodyInstrumentation::Apply(
    absl::Span<llvm::Function* const> bodies) const {
  if (const auto* replaceable = std::get_if<ReplaceableBody>(&options_.body)) {
    return AddPolls(bodies, *replaceable);
  }
  if (std::holds_alternative<OptimizedBody>(options_.body)) {
    FIRSTCALL_RETURN_IF_ERROR(CheckReplaces(*bodies.front()));
    Annotate(*bodies.front());
  }
  if (const auto* continuation = std::get_if<ContinuationAtLoop>(&options_.body)) {
    FIRSTCALL_RETURN_IF_ERROR(MakeContinuationOf(*bodies.front(), continuation->loop));
  }
  return HotnessOfBodies{};
}

HotnessOfBodies BodyInstrumentation::AddPolls(absl::Span<llvm::Function* const> bodies,
                                              const ReplaceableBody& replaceable) const {
  HotnessOfBodies hotness;
  for (size_t i = 0; i < bodies.size(); ++i) {
    const bool may_be_replaced = !choice_.IsInseparable(i) && CanBeReplaced(*bodies[i], labels_[i]);
    hotness.hotness_signs.push_back(may_be_replaced
                                        ? AddPolls(i, *bodies[i], replaceable, hotness.poll_balance)
                                        : HotnessSigns::kNone);
  }
  return hotness;
}

HotnessSigns BodyInstrumentation::AddPolls(size_t function, llvm::Function& body,
                                           const ReplaceableBody& replaceable,
                                           int64_t& poll_balance) const {
  const bool has_loop = HasLoop(body);
  std::optional<LoopEntries> entries;
  std::vector<uint32_t> polls;
  if (has_loop) {
    const auto instructions = static_cast<int64_t>(CountInstructions(body));
    poll_balance += instructions / kInstructionsPerPoll;
    const int64_t allowance = std::min(replaceable.poll_allowance + poll_balance,
                                       kMostForPolls + instructions / kInstructionsPerMostForPolls);
    if (allowance >= kLeastForPolls) {
      entries.emplace(body, labels_[function]);
      size_t taken = 0;
      polls = ChoosePolls(body, *entries, static_cast<size_t>(allowance), taken);
      poll_balance -= static_cast<int64_t>(taken);
    }
  }
  if (replaceable.asks_when_called && !entries) entries.emplace(body, labels_[function]);
  if (function == 0) Annotate(body);
  if (!polls.empty() || replaceable.asks_when_called) {
    llvm::GlobalVariable* counter =
        DeclareHotnessCounter(*body.getParent(), absl::StrCat(NameOf(function), kHotnessSuffix),
                              /*is_near=*/!options_.is_far);
    AddHotnessPolls(body, *counter, *entries, polls, replaceable.asks_when_called);
  }
  return has_loop && polls.empty() ? HotnessSigns::kCallsOnly : HotnessSigns::kCallsAndLoops;
}

absl::Status BodyInstrumentation::CheckReplaces(const llvm::Function& body) const {
  if (CanBeReplaced(body, labels_.front())) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("function '", NameOf(0), "' keeps its first body"));
}

absl::Status BodyInstrumentation::MakeContinuationOf(llvm::Function& body, uint32_t loop) const {
  LoopEntries entries(body, labels_.front());
  const LoopEntry* entry = loop < entries.size() ? entries.Find(loop) : nullptr;
  if (entry == nullptr) {
    return absl::NotFoundError(absl::StrCat("function '", NameOf(0), "' has no loop ", loop));
  }
  Annotate(body);
  MakeContinuation(body, *entry, absl::StrCat(NameOf(0), kLoopSuffix));
  return absl::OkStatus();
}

void BodyInstrumentation::Annotate(llvm::Function& body) const {
  if (options_.annotate) options_.annotate(body);
}

absl::string_view BodyInstrumentation::NameOf(size_t function) const {
  return index_.at(choice_.functions[function].ordinal).name;
}

}  // namespace firstcall
