#include "runtime/program/function_lists.h"

#include <cstdint>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/ids.h"
#include "base/status.h"
#include "seam/symbol_index.h"

namespace firstcall {
namespace {

// Whether a definition of a module is a function or an ifunc.
bool IsFunction(const Definition& definition) {
  const SymbolIndex& index = definition.module->index();
  const SymbolKind kind = index.at(index.at(definition.ordinal).base).kind;
  return kind == SymbolKind::kFunction || kind == SymbolKind::kIFunc;
}

// The functions that are known by `name`, their Symbol::name, only within their modules.
std::vector<FunctionKey> LocalFunctionsNamed(absl::string_view name, const SourceModules& modules) {
  std::vector<FunctionKey> functions;
  for (const std::shared_ptr<SourceModule>& module : modules.All()) {
    const SymbolIndex& index = module->index();
    const std::optional<SymbolOrdinal> found = index.Find(name);
    if (found && index.at(*found).is_definition && index.at(*found).is_local &&
        index.at(*found).kind == SymbolKind::kFunction) {
      functions.push_back({module.get(), *found});
    }
  }
  return functions;
}

}  // namespace

std::vector<FunctionKey> FunctionsOf(SourceModule& module, const SymbolResolver& resolver) {
  std::vector<FunctionKey> functions;
  for (uint32_t i = 0; i < module.index().size(); ++i) {
    const Symbol& symbol = module.index().at(SymbolOrdinal{i});
    if (symbol.kind == SymbolKind::kFunction && symbol.is_definition &&
        !resolver.IsReplaced(module, SymbolOrdinal{i})) {
      functions.push_back({&module, SymbolOrdinal{i}});
    }
  }
  return functions;
}

std::vector<FunctionKey> AllFunctions(const SourceModules& modules,
                                      const SymbolResolver& resolver) {
  std::vector<FunctionKey> functions;
  for (const std::shared_ptr<SourceModule>& module : modules.All()) {
    const std::vector<FunctionKey> added = FunctionsOf(*module, resolver);
    functions.insert(functions.end(), added.begin(), added.end());
  }
  return functions;
}

absl::StatusOr<std::vector<FunctionKey>> FunctionsNamed(absl::Span<const absl::string_view> names,
                                                        const Definitions& definitions,
                                                        const SourceModules& modules,
                                                        SymbolResolver& resolver) {
  std::vector<FunctionKey> functions;
  for (absl::string_view name : names) {
    std::optional<Definition> found = definitions.Find(name);
    if (!found) {
      const std::vector<FunctionKey> locals = LocalFunctionsNamed(name, modules);
      if (locals.empty()) {
        return absl::NotFoundError(absl::StrCat("preparing '", name, "': no module defines it"));
      }
      functions.insert(functions.end(), locals.begin(), locals.end());
      continue;
    }
    if (found->module == nullptr || !IsFunction(*found)) {
      FIRSTCALL_RETURN_IF_ERROR(resolver.Lookup(name).status());
    } else {
      functions.push_back({found->module, found->ordinal});
    }
  }
  return functions;
}

}  // namespace firstcall
