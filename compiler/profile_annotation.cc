#include "compiler/profile_annotation.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "backend/llvm/branch_profile.h"
#include "base/ids.h"
#include "llvm/IR/Module.h"
#include "object/symbol_name.h"

namespace firstcall {

void AnnotateWithCounts(llvm::Function& root, const SymbolIndex& index,
                        absl::Span<const BranchCounts> counts) {
  if (counts.empty()) return;
  absl::flat_hash_map<uint32_t, const BranchCounts*> by_function;
  for (const BranchCounts& of_function : counts) {
    by_function[of_function.function.value] = &of_function;
  }
  std::vector<CountedFunction> counted;
  for (llvm::Function& function : *root.getParent()) {
    if (function.isDeclaration()) continue;
    const llvm::StringRef name = function.getName();
    const std::optional<SymbolOrdinal> ordinal =
        index.Find(ParseReference(absl::string_view(name.data(), name.size())).name);
    if (!ordinal) continue;
    const auto found = by_function.find(ordinal->value);
    if (found != by_function.end()) counted.push_back({&function, found->second});
  }
  if (!counted.empty()) UseBranchCounts(*root.getParent(), root, counted);
}

}  // namespace firstcall
