#include "compiler/object_names.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "llvm/IR/Module.h"
#include "object/elf_object.h"
#include "object/symbol_name.h"
#include "splitter/runtime_names.h"

namespace firstcall {
namespace {

bool IsIn(const SymbolIndex& index, absl::string_view name) {
  absl::ConsumePrefix(&name, kEmulatedTlsPrefix);
  return index.Find(name) || index.FindAssemblySymbol(name) != nullptr;
}

}  // namespace

std::vector<std::string> NamesInAttributes(const llvm::Module& module) {
  std::vector<std::string> names;
  for (const llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    const llvm::StringRef name = function.getFnAttribute("probe-stack").getValueAsString();
    if (!name.empty()) names.push_back(name.str());
  }
  return names;
}

absl::Status CheckNames(ObjectBytes& object, const SymbolIndex& index,
                        absl::Span<const std::string> attributes) {
  FIRSTCALL_ASSIGN_OR_RETURN(const std::unique_ptr<ElfObject> image,
                             ElfObject::Parse(absl::MakeSpan(object), "of a compiled function"));
  std::vector<absl::string_view> unknown;
  for (const ElfObject::Undefined& symbol : image->undefined()) {
    const absl::string_view name = ParseReference(symbol.name).name;
    if (IsIn(index, name) || IsRuntimeName(name)) continue;
    if (std::find(attributes.begin(), attributes.end(), name) != attributes.end()) continue;
    unknown.push_back(name);
  }
  if (unknown.empty()) return absl::OkStatus();
  return absl::InternalError(
      absl::StrCat("checking names: LLVM made up references to [ ", absl::StrJoin(unknown, ", "),
                   " ], which are neither in the source module nor functions of a library"));
}

}  // namespace firstcall
