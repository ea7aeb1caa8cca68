// Adds to bodies that were moved into a function-module what lets one body of a function replace
// another: polls, or the entry of an OSR continuation.
//
// Thread-compatible: hold the view's mutex. Tested in tests/splitter/function_extractor_test.cc.

#ifndef FIRSTCALL_SPLITTER_BODY_INSTRUMENTATION_H_
#define FIRSTCALL_SPLITTER_BODY_INSTRUMENTATION_H_

#include <cstddef>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "seam/symbol_index.h"
#include "splitter/body_kind.h"
#include "splitter/extract_options.h"
#include "splitter/function_choice.h"
#include "splitter/ir_polls.h"
#include "splitter/osr/labels.h"

namespace llvm {
class Function;
}  // namespace llvm

namespace firstcall {

struct PollsOfBodies {
  HotnessOfBodies hotness;
  std::optional<IrPolls> ir_polls;  // With ReplaceableBody::polls_in_code.
};

class BodyInstrumentation {
 public:
  // To be made before `choice`, which has no leader, is moved: the tables of labels must still be
  // in the view. All must outlive this object.
  BodyInstrumentation(const SymbolIndex& index, const FunctionChoice& choice,
                      const ExtractOptions& options);

  // Instruments `bodies`, those of the choice's functions in the same order, as
  // ExtractOptions::body says. Errors: Unimplemented if it shall be an optimized body, and the
  // function's first body cannot be replaced; NotFound if the function has no such loop. To be
  // called once, after the references of the bodies are mapped.
  absl::StatusOr<PollsOfBodies> Apply(absl::Span<llvm::Function* const> bodies) const;

 private:
  PollsOfBodies AddPolls(absl::Span<llvm::Function* const> bodies,
                         const ReplaceableBody& replaceable) const;
  absl::Status CheckReplaces(const llvm::Function& body) const;
  absl::Status MakeContinuationOf(llvm::Function& body,
                                  const ContinuationAtLoop& continuation) const;
  // Calls ExtractOptions::annotate, if there is any.
  void Annotate(llvm::Function& body) const;
  absl::string_view NameOf(size_t function) const;

  const SymbolIndex& index_;
  const FunctionChoice& choice_;
  const ExtractOptions& options_;
  std::vector<Labels> labels_;  // Of each function; empty if no body is replaced.
};

}  // namespace firstcall

#endif  // FIRSTCALL_SPLITTER_BODY_INSTRUMENTATION_H_
