#include "runtime/function_linker.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "code/object_loader.h"
#include "code/symbol_name.h"

namespace firstcall {

absl::StatusOr<FunctionLinker::Linked> FunctionLinker::Link(ElfObject& image, SourceModule& module,
                                                            absl::string_view name,
                                                            bool is_far) const {
  // The program has one list of shadow-stack roots, so this object's definition gives way to it.
  if (image.Defines(kShadowStackRoots)) image.Undefine(kShadowStackRoots);
  image.MakeDefinitionsStrong();
  LazyObject& requester = module.object();
  resolver_.DecideWeakSymbols(image, requester);
  FIRSTCALL_ASSIGN_OR_RETURN(
      SymbolResolution resolution,
      resolver_.ResolveAll(image, requester,
                           absl::StrCat("function '", name, "' of '", module.name(), "'")));
  FIRSTCALL_RETURN_IF_ERROR(image.BindCallsDirectly([&](absl::string_view symbol) {
    auto found = resolution.find(symbol);
    return !is_far && found != resolution.end() && code_space_.IsReachedByCalls(found->second);
  }));
  absl::StatusOr<LoadedObject> loaded =
      LoadObject(image, requester.code(), code_space_.NearFor(is_far), other_linkers_);
  const absl::StatusOr<std::vector<TableEntry>> table_entries =
      loaded.ok() ? loaded->linker->Finish(resolution) : loaded.status();
  if (!table_entries.ok()) {
    return Annotate(table_entries.status(), absl::StrCat("linking function '", name, "'"));
  }
  if (code_space_.MayRewriteData()) resolver_.AddTableEntries(module, *table_entries);
  objects_.RunPendingConstructors();
  return Linked{std::move(loaded->defined), loaded->linker->code_bytes()};
}

PublishedObject FunctionLinker::Describe(const SourceModule& module, const CompiledObject& object,
                                         const ElfObject& image, const Linked& linked,
                                         absl::Duration link) {
  PublishedObject published;
  published.module = module.name();
  published.object = object.bytes;
  published.image = &image;
  published.code_bytes = linked.code_bytes;
  published.split = object.split;
  published.emit = object.emit;
  published.link = link;
  return published;
}

}  // namespace firstcall
