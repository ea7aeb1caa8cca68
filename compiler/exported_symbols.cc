#include "compiler/exported_symbols.h"

#include <memory>

#include "base/status.h"
#include "object/elf_object.h"

namespace firstcall {

absl::StatusOr<std::vector<std::string>> ExportSymbols(ObjectBytes& object,
                                                       absl::Span<const absl::string_view> names) {
  FIRSTCALL_ASSIGN_OR_RETURN(const std::unique_ptr<ElfObject> image,
                             ElfObject::Parse(absl::MakeSpan(object), "with assembly"));
  image->MakeGlobal(names);
  std::vector<std::string> defined;
  for (absl::string_view name : names) {
    if (image->Defines(name)) defined.emplace_back(name);
  }
  return defined;
}

}  // namespace firstcall
