#include "splitter/function_extractor.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/fatal_error_guard.h"
#include "base/status.h"
#include "splitter/assembly_labels.h"
#include "splitter/body_instrumentation.h"
#include "splitter/body_mover.h"
#include "splitter/fact_finder.h"
#include "splitter/function_choice.h"
#include "splitter/module_skeleton.h"

namespace firstcall {
namespace {

void FindLabels(FunctionModule& made) {
  for (llvm::Function& function : *made.module) {
    std::vector<std::string> labels = LabelsDefinedIn(function);
    if (labels.empty()) continue;
    KeepLabelsUnique(function);
    made.labels.insert(made.labels.end(), std::make_move_iterator(labels.begin()),
                       std::make_move_iterator(labels.end()));
  }
}

absl::StatusOr<FunctionModule> Extract(ModuleView& view, const SymbolIndex& index,
                                       SymbolOrdinal function, const ExtractOptions& options,
                                       const ExtractDecisions& decisions) {
  FunctionModule result;
  if (options.infer) FactFinder(view, index, options, decisions.is_replaced).Find(function);
  FIRSTCALL_ASSIGN_OR_RETURN(FunctionChoice choice,
                             ChooseFunctions(view, index, function, options, decisions));
  result.leader = choice.leader;
  if (result.leader) return result;
  result.module =
      MakeModuleLike(view, absl::StrCat(view.module().getModuleIdentifier(), ".submodule.",
                                        index.at(choice.functions.front().ordinal).name));
  BodyInstrumentation instrumentation(index, choice, options);
  FIRSTCALL_ASSIGN_OR_RETURN(
      const MovedBodies moved,
      MoveBodies(view, index, choice, options, decisions.is_replaced, *result.module));
  FIRSTCALL_ASSIGN_OR_RETURN(
      PollsOfBodies polls,
      instrumentation.Apply(absl::MakeConstSpan(moved.bodies).first(choice.functions.size())));
  for (const FunctionChoice::ChosenFunction& function : choice.functions) {
    result.functions.push_back(function.ordinal);
  }
  for (auto [original, ordinal] : choice.variables) result.variables.push_back(ordinal);
  result.imported = choice.sources.size() - std::min<size_t>(choice.sources.size(), 1);
  result.facts = moved.facts;
  std::set_union(choice.sources.begin(), choice.sources.end(), moved.grounds.begin(),
                 moved.grounds.end(), std::back_inserter(result.sources));
  result.callees = std::move(choice.callees);
  result.hotness_signs = std::move(polls.hotness.hotness_signs);
  result.poll_balance = polls.hotness.poll_balance;
  result.ir_polls = std::move(polls.ir_polls);
  result.has_inline_assembly = moved.has_inline_assembly;
  if (result.has_inline_assembly) FindLabels(result);
  return result;
}

}  // namespace

absl::StatusOr<FunctionModule> ExtractFunction(ModuleView& view, const SymbolIndex& index,
                                               SymbolOrdinal function,
                                               const ExtractOptions& options,
                                               const ExtractDecisions& decisions) {
  absl::StatusOr<FunctionModule> result;
  // On some damaged bitcode, LLVM's reader reports a fatal error.
  absl::Status status =
      RunGuarded([&] { result = Extract(view, index, function, options, decisions); });
  if (status.ok()) return result;
  return absl::InvalidArgumentError(absl::StrCat("function '", index.at(function).name,
                                                 "': reading its body: ", status.message()));
}

}  // namespace firstcall
