#include "runtime/function_linker.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "code/elf_linker.h"
#include "code/symbol_name.h"

namespace firstcall {

absl::StatusOr<FunctionLinker::Linked> FunctionLinker::Link(ElfObject& image, SourceModule& module,
                                                            absl::string_view name,
                                                            bool is_far) const {
  // The program has one, in this source module or in another.
  if (image.Defines(kShadowStackRoots)) image.Undefine(kShadowStackRoots);
  image.MakeDefinitionsStrong();
  LazyObject& requester = module.object();
  resolver_.SettleWeakSymbols(image, requester);
  FIRSTCALL_ASSIGN_OR_RETURN(
      SymbolAddresses resolution,
      resolver_.ResolveAll(image, requester,
                           absl::StrCat("function '", name, "' of '", module.name(), "'")));
  FIRSTCALL_RETURN_IF_ERROR(image.BindCallsDirectly([&](absl::string_view symbol) {
    auto found = resolution.find(symbol);
    return !is_far && found != resolution.end() && code_space_.IsReachedByCalls(found->second);
  }));
  ElfLinker own;
  std::unique_ptr<Linker> other;
  Linker* linker = &own;
  const ExecutorAddress near = code_space_.NearFor(is_far);
  absl::StatusOr<SymbolAddresses> defined = own.Load(image, requester.code(), near);
  if (absl::IsUnimplemented(defined.status()) && other_linkers_) {
    other = other_linkers_();
    linker = other.get();
    defined = linker->Load(image, requester.code(), near);
  }
  absl::Status status = defined.ok() ? linker->Finish(resolution) : defined.status();
  if (!status.ok()) return Annotate(status, absl::StrCat("linking function '", name, "'"));
  objects_.RunPendingConstructors();
  return Linked{*std::move(defined), linker->code_bytes()};
}

}  // namespace firstcall
