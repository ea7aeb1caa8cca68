// Publishes the object of a function: links it, puts call counters in front of first bodies, tells
// the listener, and writes the slots.
//
// Thread-safe; holds no lock of its own. Tested in tests/api/engine_test.cc.

#ifndef FIRSTCALL_RUNTIME_FUNCTIONS_FUNCTION_PUBLISHER_H_
#define FIRSTCALL_RUNTIME_FUNCTIONS_FUNCTION_PUBLISHER_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "memory/executor_address.h"
#include "object/symbol_addresses.h"
#include "runtime/functions/body_describer.h"
#include "runtime/functions/function_maker.h"
#include "runtime/link/function_linker.h"
#include "runtime/link/function_table.h"
#include "runtime/promotion/promoter.h"
#include "seam/listener.h"

namespace firstcall {

class FunctionPublisher {
 public:
  // All must outlive the publisher. `promoter` may be null if no object has hotness signs or an
  // optimized body. `describer`: finds the lines of bodies whose objects have none, for the
  // listener; null if nobody wants lines.
  FunctionPublisher(FunctionTable& functions, const FunctionLinker& linker, Listener& listener,
                    Promoter* promoter, BodyDescriber* describer)
      : functions_(functions),
        linker_(linker),
        listener_(listener),
        promoter_(promoter),
        describer_(describer) {}

  // Links `made`, the object of `key`, and publishes all functions and variables that it defines.
  // `key` is published last: once `key` is published, so is everything in its object. With
  // MakeOptions::lists_callees, fills in the callees if the object came from a cache. Blocks until
  // everything that must be linked or compiled first is done. Errors: ResourceExhausted if there is
  // no memory, after which `made` may be linked again; those of FunctionLinker::Link; Internal if
  // the object lacks a definition. After an error nothing of the object is published.
  absl::Status LinkAndPublish(FunctionKey key, MadeFunction& made, const MakeOptions& options);

  // The two steps of LinkAndPublish, for a function that must not be called yet when it is linked.
  // `Unpublished` refers to `made`, which must neither change nor move.
  struct Unpublished {
    std::unique_ptr<ElfObject> image;
    FunctionLinker::Linked linked;
    PublishedObject published;
  };
  absl::StatusOr<Unpublished> Link(FunctionKey key, MadeFunction& made, const MakeOptions& options);
  void Publish(FunctionKey key, const MadeFunction& made, Unpublished linked);

 private:
  // For each function, the address that its calls go to first; nullopt if they go straight to its
  // body.
  using Entries = std::vector<std::optional<ExecutorAddress>>;

  // Other code can name the labels of `made` as soon as the labels have addresses. After an error
  // no other code can name them.
  absl::StatusOr<FunctionLinker::Linked> LinkWithLabels(FunctionKey key, const MadeFunction& made,
                                                        ElfObject& image);
  // Sets the lines of `functions`, which `made` defines.
  void FindLines(const SourceModule& module, const MadeFunction& made, const ElfObject& image,
                 std::vector<PublishedFunction>& functions);
  Entries EntriesOf(FunctionKey key, const MadeFunction& made,
                    absl::Span<const PublishedFunction> functions,
                    const PublishedObject& published);
  // The slot of `key` is written last.
  void WriteSlots(FunctionKey key, const MadeFunction& made,
                  absl::Span<const PublishedFunction> functions, const Entries& entries);

  FunctionTable& functions_;
  const FunctionLinker& linker_;
  Listener& listener_;
  Promoter* const promoter_;
  BodyDescriber* const describer_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_RUNTIME_FUNCTIONS_FUNCTION_PUBLISHER_H_
