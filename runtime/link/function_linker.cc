#include "runtime/link/function_linker.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "object/object_loader.h"
#include "object/symbol_name.h"

namespace firstcall {

void FunctionLinker::Prepare(ElfObject& image, SourceModule& module) const {
  // The program has one list of shadow-stack roots, so this object's definition gives way to it.
  if (image.Defines(kShadowStackRoots)) image.Undefine(kShadowStackRoots);
  image.MakeDefinitionsStrong();
  weak_symbols_.Decide(image, module.object());
}

absl::StatusOr<SymbolResolution> FunctionLinker::Resolve(const ElfObject& image,
                                                         SourceModule& module,
                                                         absl::string_view name) const {
  return resolver_.ResolveAll(image, module.object(),
                              absl::StrCat("function '", name, "' of '", module.name(), "'"));
}

FunctionLinker::Linked FunctionLinker::Complete(SourceModule& module, LoadedObject loaded,
                                                absl::Span<const TableEntry> table_entries) const {
  if (code_space_.MayRewriteData()) resolver_.AddTableEntries(module, table_entries);
  constructors_.RunPending();
  return Linked{std::move(loaded.defined), loaded.linker->code_bytes(), loaded.linker->is_mcjit()};
}

absl::StatusOr<FunctionLinker::Linked> FunctionLinker::Link(ElfObject& image, SourceModule& module,
                                                            absl::string_view name,
                                                            bool is_far) const {
  Prepare(image, module);
  FIRSTCALL_ASSIGN_OR_RETURN(const SymbolResolution resolution, Resolve(image, module, name));
  FIRSTCALL_RETURN_IF_ERROR(image.BindCallsDirectly([&](absl::string_view symbol) {
    auto found = resolution.find(symbol);
    return !is_far && found != resolution.end() && code_space_.IsReachedByCalls(found->second);
  }));
  absl::StatusOr<LoadedObject> loaded =
      LoadObject(image, module.object().code(), code_space_.NearFor(is_far), other_linkers_);
  const absl::StatusOr<std::vector<TableEntry>> table_entries =
      loaded.ok() ? loaded->linker->Finish(resolution) : loaded.status();
  if (!table_entries.ok()) {
    return Annotate(table_entries.status(), absl::StrCat("linking function '", name, "'"));
  }
  return Complete(module, *std::move(loaded), *table_entries);
}

absl::StatusOr<FunctionLinker::Linked> FunctionLinker::LinkWithLabels(ElfObject& image,
                                                                      SourceModule& module,
                                                                      absl::string_view name,
                                                                      bool is_far,
                                                                      OnLoaded on_loaded) const {
  Prepare(image, module);
  absl::StatusOr<LoadedObject> loaded =
      LoadObject(image, module.object().code(), code_space_.NearFor(is_far), other_linkers_);
  if (!loaded.ok()) {
    return Annotate(loaded.status(), absl::StrCat("linking function '", name, "'"));
  }
  on_loaded(loaded->defined);
  const absl::StatusOr<SymbolResolution> resolution = Resolve(image, module, name);
  if (!resolution.ok()) {
    loaded->linker->Keep();  // Data may have the addresses of its labels.
    return resolution.status();
  }
  absl::Status status = loaded->linker->Bind(*resolution);
  std::vector<TableEntry> table_entries;
  if (status.ok()) {
    table_entries = loaded->linker->TableEntries();
    status = loaded->linker->Finalize();
  }
  if (!status.ok()) {
    loaded->linker->Keep();
    return Annotate(status, absl::StrCat("linking function '", name, "'"));
  }
  return Complete(module, *std::move(loaded), table_entries);
}

PublishedObject FunctionLinker::Describe(const SourceModule& module, const CompiledObject& object,
                                         const ElfObject& image, const Linked& linked,
                                         absl::Duration link) {
  PublishedObject published;
  published.module = module.name();
  published.object = object.bytes;
  published.image = &image;
  published.code_bytes = linked.code_bytes;
  published.linked_by_mcjit = linked.by_mcjit;
  published.origin = object.origin;
  published.split = object.split;
  published.emit = object.emit;
  published.link = link;
  return published;
}

}  // namespace firstcall
