#include "compiler/label_reader.h"

#include <optional>
#include <string>
#include <utility>

#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "splitter/assembly_labels.h"

namespace firstcall {

AssemblyLabels ReadAssemblyLabels(ModuleView& view) {
  AssemblyLabels labels;
  for (llvm::Function& function : view.module()) {
    const std::optional<SymbolOrdinal> ordinal = view.ordinal_of(function);
    if (!ordinal) continue;
    if (llvm::Error error = function.materialize()) {
      llvm::consumeError(std::move(error));
      continue;
    }
    for (std::string& label : LabelsDefinedIn(function)) {
      labels.all.push_back({std::move(label), *ordinal});
    }
  }
  return labels;
}

}  // namespace firstcall
