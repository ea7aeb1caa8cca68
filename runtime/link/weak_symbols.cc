#include "runtime/link/weak_symbols.h"

#include <optional>
#include <vector>

#include "absl/strings/strip.h"
#include "object/symbol_name.h"
#include "runtime/link/source_module.h"
#include "seam/symbol_index.h"

namespace firstcall {
namespace {

// An object of a module does not have the directives of the module's assembly.
bool IsWeak(const ElfObject::Undefined& symbol, const LazyObject& requester) {
  return symbol.is_weak ||
         (requester.module != nullptr &&
          requester.module->index().IsWeakInAssembly(ParseReference(symbol.name).name));
}

}  // namespace

void WeakSymbols::Decide(ElfObject& image, const LazyObject& requester) const {
  if (requester.module != nullptr) {
    image.DefineSectionBounds(
        [&](absl::string_view name) { return IsSectionOfGroup(name, requester); });
  }
  std::vector<absl::string_view> missing;
  for (const ElfObject::Undefined& symbol : image.undefined()) {
    if (IsWeak(symbol, requester) && !IsKnown(symbol.name, requester, symbol.is_thread_local)) {
      missing.push_back(symbol.name);
    }
  }
  image.DefineAsZero(missing);
  if (image.Defines(kShadowStackRoots)) {
    std::optional<Definition> found = definitions_.Find(kShadowStackRoots, requester.library);
    const bool is_own = !found || (found->module != nullptr ? found->module == requester.module
                                                            : found->object == &requester);
    if (!is_own) image.Undefine(kShadowStackRoots);
  }
  std::vector<absl::string_view> replaced;
  if (requester.module != nullptr) {
    // Extraction has settled the weak definitions of the IR.
    for (const AssemblySymbol& symbol : requester.module->index().assembly_symbols()) {
      if (!symbol.is_weak || !image.Defines(symbol.name)) continue;
      std::optional<Definition> found = definitions_.Find(symbol.name, requester.library);
      if (found && found->object != &requester) replaced.push_back(symbol.name);
    }
    image.UndefineAll(replaced);
    return;
  }
  for (const ElfObject::Definition& symbol : image.DescribeDefinitions()) {
    if (!symbol.is_weak) continue;
    std::optional<Definition> found = definitions_.Find(symbol.name, requester.library);
    if (found && found->object != &requester) replaced.push_back(symbol.name);
  }
  image.UndefineAll(replaced);
}

// Whether the bound `name` is one of a section that a group of functions has for itself: because
// the code generator makes the section for functions, or because its variables belong to the group.
bool WeakSymbols::IsSectionOfGroup(absl::string_view name, const LazyObject& requester) const {
  const std::optional<Definition> found = definitions_.Find(name, requester.library);
  if (!found) return !IsKnown(name, requester);
  return !found->refusal.empty() && !found->is_ambiguous && found->object == &requester;
}

bool WeakSymbols::IsKnown(absl::string_view object_name, const LazyObject& requester,
                          bool is_thread_local) const {
  const absl::string_view name = ParseReference(object_name).name;
  // What has an emulated thread-local variable's control record is the variable.
  absl::string_view variable = name;
  is_thread_local |= absl::ConsumePrefix(&variable, kEmulatedTlsPrefix);
  // Where LLVM emulates the variable, it also names the variable itself if the reference is weak.
  // Nothing has its address.
  const auto is_variable = [&](const SourceModule& definer, SymbolOrdinal ordinal) {
    return !is_thread_local && definer.index().at(ordinal).is_thread_local;
  };
  const SourceModule* module = requester.module;
  if (module != nullptr) {
    std::optional<SymbolOrdinal> ordinal = module->index().Find(variable);
    if (ordinal && module->index().at(*ordinal).is_definition) {
      return !is_variable(*module, *ordinal);
    }
    if (module->index().FindAssemblySymbol(name) != nullptr) return true;
  }
  if (const std::optional<Definition> found = definitions_.Find(variable, requester.library)) {
    return found->module == nullptr || !is_variable(*found->module, found->ordinal);
  }
  if (is_thread_local) return outside_.HasThreadLocal(variable, requester.library);
  return outside_.FindByClient(name, requester.library) != nullptr ||
         !outside_.FindInProcess(variable).is_null();
}

}  // namespace firstcall
