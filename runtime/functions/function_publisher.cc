#include "runtime/functions/function_publisher.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "object/elf_object.h"
#include "object/line_table.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

// The functions of the object's own source module that it calls.
std::vector<SymbolOrdinal> CalleesIn(const ElfObject& image, const SymbolIndex& index) {
  std::vector<SymbolOrdinal> callees;
  for (const ElfObject::Undefined& symbol : image.undefined()) {
    const SymbolReference reference = ParseReference(symbol.name);
    if (reference.kind != ReferenceKind::kCall) continue;
    std::optional<SymbolOrdinal> callee = index.Find(reference.name);
    if (callee && index.at(*callee).is_definition) callees.push_back(*callee);
  }
  return callees;
}

absl::Status CheckDefinesAll(FunctionKey key, const MadeFunction& made,
                             const SymbolAddresses& defined) {
  const SymbolIndex& index = key.module->index();
  const auto symbols = {absl::MakeConstSpan(made.functions), absl::MakeConstSpan(made.variables)};
  for (absl::Span<const SymbolOrdinal> ordinals : symbols) {
    for (SymbolOrdinal ordinal : ordinals) {
      if (defined.contains(index.at(ordinal).name)) continue;
      return absl::InternalError(absl::StrCat("the object of function '",
                                              index.at(key.ordinal).name, "' does not define '",
                                              index.at(ordinal).name, "'"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status FunctionPublisher::LinkAndPublish(FunctionKey key, MadeFunction& made,
                                               const MakeOptions& options) {
  FIRSTCALL_ASSIGN_OR_RETURN(Unpublished linked, Link(key, made, options));
  Publish(key, made, std::move(linked));
  return absl::OkStatus();
}

absl::StatusOr<FunctionPublisher::Unpublished> FunctionPublisher::Link(FunctionKey key,
                                                                       MadeFunction& made,
                                                                       const MakeOptions& options) {
  const absl::string_view name = key.module->index().at(key.ordinal).name;
  const absl::Duration start = SteadyNow();
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<ElfObject> image,
                             ElfObject::Parse(absl::MakeSpan(made.object.bytes), name));
  // Not in far code: its direct calls reach only what is in the same object.
  if (!made.is_far) {
    std::vector<absl::string_view> unused;
    for (SymbolOrdinal function : made.unused) {
      unused.push_back(key.module->index().at(function).name);
    }
    image->CallElsewhere(unused);
  }
  if (made.is_cached && options.lists_callees)
    made.callees = CalleesIn(*image, key.module->index());
  // Everything that may run out of memory comes before linking, which can be done only once.
  if (promoter_ != nullptr) {
    FIRSTCALL_RETURN_IF_ERROR(
        promoter_->PrepareToCountCalls(*key.module, made.functions, made.hotness_signs));
  }
  FIRSTCALL_ASSIGN_OR_RETURN(FunctionLinker::Linked linked,
                             made.labels.empty()
                                 ? linker_.Link(*image, *key.module, name, made.is_far)
                                 : LinkWithLabels(key, made, *image));
  PublishedObject published =
      FunctionLinker::Describe(*key.module, made.object, *image, linked, SteadyNow() - start);
  published.is_cached = made.is_cached;
  published.is_optimized = made.is_optimized;
  published.reason = options.reason;
  FIRSTCALL_RETURN_IF_ERROR(CheckDefinesAll(key, made, linked.defined));
  return Unpublished{std::move(image), std::move(linked), published};
}

absl::StatusOr<FunctionLinker::Linked> FunctionPublisher::LinkWithLabels(FunctionKey key,
                                                                         const MadeFunction& made,
                                                                         ElfObject& image) {
  LabelTable& labels = key.module->labels();
  const auto enter_labels = [&](const SymbolAddresses& defined) {
    for (const std::string& label : made.labels) {
      const auto place = defined.find(label);
      if (place != defined.end()) labels.Enter(label, place->second);
    }
    functions_.NoteLabels(key);
  };
  const absl::string_view name = key.module->index().at(key.ordinal).name;
  absl::StatusOr<FunctionLinker::Linked> linked =
      linker_.LinkWithLabels(image, *key.module, name, made.is_far, enter_labels);
  if (linked.ok()) return linked;
  functions_.ForgetLabels(key);
  for (const std::string& label : made.labels) labels.Forget(label);
  return linked;
}

void FunctionPublisher::Publish(FunctionKey key, const MadeFunction& made, Unpublished linked) {
  const SymbolIndex& index = key.module->index();
  const SymbolAddresses& defined = linked.linked.defined;
  PublishedObject& published = linked.published;
  std::vector<PublishedFunction> functions;
  for (SymbolOrdinal function : made.functions) {
    const absl::string_view name = index.at(function).name;
    functions.push_back({name, defined.at(name), {}});
  }
  if (describer_ != nullptr) FindLines(*key.module, made, *linked.image, functions);
  if (made.is_optimized) promoter_->NoteCachedBody(key, published.code_bytes, published.link);
  const Entries entries = EntriesOf(key, made, functions, published);
  published.functions = functions;
  published.function_count = functions.size();
  listener_.OnPublished(published);
  for (SymbolOrdinal variable : made.variables) {
    functions_.Publish({key.module, variable}, defined.at(index.at(variable).name));
  }
  WriteSlots(key, made, functions, entries);
}

void FunctionPublisher::FindLines(const SourceModule& module, const MadeFunction& made,
                                  const ElfObject& image,
                                  std::vector<PublishedFunction>& functions) {
  // LLVM has made it from IR with debug information.
  if (HasLineTable(image)) return;
  std::vector<BodyDescriber::Body> bodies;
  for (size_t i = 0; i < functions.size(); ++i) {
    bodies.push_back({made.functions[i], functions[i].body});
  }
  std::vector<std::shared_ptr<const CodeLines>> lines =
      describer_->FindLines(module, made.is_far, bodies);
  for (size_t i = 0; i < functions.size(); ++i) functions[i].lines = std::move(lines[i]);
}

FunctionPublisher::Entries FunctionPublisher::EntriesOf(
    FunctionKey key, const MadeFunction& made, absl::Span<const PublishedFunction> functions,
    const PublishedObject& published) {
  Entries entries(made.functions.size());
  for (size_t i = 0; i < made.hotness_signs.size(); ++i) {
    if (made.hotness_signs[i] == HotnessSigns::kNone) continue;
    entries[i] = promoter_->AddressToPublish(
        {key.module, made.functions[i]}, functions[i].body,
        {published.code_bytes / made.functions.size(),
         (published.split + published.emit + published.link) / made.functions.size()});
  }
  return entries;
}

void FunctionPublisher::WriteSlots(FunctionKey key, const MadeFunction& made,
                                   absl::Span<const PublishedFunction> functions,
                                   const Entries& entries) {
  const auto publish = [&](size_t i) {
    const FunctionKey function{key.module, made.functions[i]};
    if (entries[i]) {
      functions_.PublishFirst(function, functions[i].body, *entries[i]);
    } else {
      functions_.Publish(function, functions[i].body);
    }
  };
  size_t own = 0;
  for (size_t i = made.functions.size(); i-- > 0;) {
    if (made.functions[i] == key.ordinal) {
      own = i;
    } else {
      publish(i);
    }
  }
  publish(own);
}

}  // namespace firstcall
