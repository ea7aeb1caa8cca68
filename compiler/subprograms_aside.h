// Keeps the debug information of functions aside while the baseline code generator, which refuses
// functions that have any, looks at their module.
//
// Thread-compatible: hold the mutex of the view that the module's context belongs to. Tested in
// tests/direct/debug_info_test.cc.

#ifndef FIRSTCALL_COMPILER_SUBPROGRAMS_ASIDE_H_
#define FIRSTCALL_COMPILER_SUBPROGRAMS_ASIDE_H_

#include <utility>
#include <vector>

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

namespace firstcall {

class SubprogramsAside {
 public:
  // Takes it away from the functions that `module` defines. The locations of instructions stay.
  explicit SubprogramsAside(llvm::Module& module) {
    for (llvm::Function& function : module) {
      if (function.isDeclaration() || function.getSubprogram() == nullptr) continue;
      taken_.emplace_back(&function, function.getSubprogram());
      function.setSubprogram(nullptr);
    }
  }

  // Gives it back. The module's functions must still exist.
  void Restore() {
    for (const auto& [function, subprogram] : taken_) function->setSubprogram(subprogram);
    taken_.clear();
  }

 private:
  std::vector<std::pair<llvm::Function*, llvm::DISubprogram*>> taken_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_COMPILER_SUBPROGRAMS_ASIDE_H_
