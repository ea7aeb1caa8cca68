#include "splitter/body_instrumentation.h"

#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "llvm/IR/Function.h"
#include "object/symbol_name.h"
#include "splitter/assembly_labels.h"
#include "splitter/osr/continuation.h"
#include "splitter/osr/loop_entries.h"

namespace firstcall {
namespace {

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
  for (const FunctionChoice::ChosenFunction& function : choice.functions) {
    labels_.push_back(FindLabels(*function.body));
  }
}

absl::StatusOr<PollsOfBodies> BodyInstrumentation::Apply(
    absl::Span<llvm::Function* const> bodies) const {
  if (const auto* replaceable = std::get_if<ReplaceableBody>(&options_.body)) {
    return AddPolls(bodies, *replaceable);
  }
  if (std::holds_alternative<OptimizedBody>(options_.body)) {
    FIRSTCALL_RETURN_IF_ERROR(CheckReplaces(*bodies.front()));
    Annotate(*bodies.front());
  }
  if (const auto* continuation = std::get_if<ContinuationAtLoop>(&options_.body)) {
    FIRSTCALL_RETURN_IF_ERROR(MakeContinuationOf(*bodies.front(), *continuation));
  }
  return PollsOfBodies{};
}

PollsOfBodies BodyInstrumentation::AddPolls(absl::Span<llvm::Function* const> bodies,
                                            const ReplaceableBody& replaceable) const {
  IrPolls polls(replaceable.poll_allowance, replaceable.asks_when_called);
  for (size_t i = 0; i < bodies.size(); ++i) {
    if (!choice_.IsInseparable(i) && CanBeReplaced(*bodies[i], labels_[i])) {
      polls.Add(*bodies[i], labels_[i], absl::StrCat(NameOf(i), kHotnessSuffix),
                /*is_near=*/!options_.is_far);
    } else {
      polls.AddFixed();
    }
  }
  PollsOfBodies result;
  if (replaceable.polls_in_code) {
    result.hotness = polls.HotnessInCode();
    result.ir_polls = std::move(polls);
  } else {
    result.hotness = polls.Write(options_.annotate);
  }
  return result;
}

absl::Status BodyInstrumentation::CheckReplaces(const llvm::Function& body) const {
  if (CanBeReplaced(body, labels_.front())) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("function '", NameOf(0), "' keeps its first body"));
}

absl::Status BodyInstrumentation::MakeContinuationOf(llvm::Function& body,
                                                     const ContinuationAtLoop& continuation) const {
  const uint32_t loop = continuation.loop;
  LoopEntries entries(body, labels_.front(), LoopEntries::Purpose::kContinuation);
  if (loop >= entries.size()) {
    return absl::NotFoundError(absl::StrCat("function '", NameOf(0), "' has no loop ", loop));
  }
  const LoopEntry* entry = entries.Find(loop);
  if (entry == nullptr) {
    return absl::NotFoundError(
        absl::StrCat("loop ", loop, " of function '", NameOf(0),
                     "' has no possible entry: a call in the function returns twice, for example"));
  }
  if (continuation.on_entry) continuation.on_entry(body, *entry);
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
