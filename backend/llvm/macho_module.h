// Prepares a module for LLVM's code generator to write it as Mach-O, and undoes that when it is
// destroyed.
//
// Mach-O has no groups of definitions (COMDAT), and names sections otherwise than ELF, which
// programs for this process follow. So groups are dropped, and sections get names that Mach-O
// allows.
//
// Thread-compatible.

#ifndef FIRSTCALL_BACKEND_LLVM_MACHO_MODULE_H_
#define FIRSTCALL_BACKEND_LLVM_MACHO_MODULE_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "llvm/IR/GlobalObject.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
#include "object/macho_to_elf.h"

namespace firstcall {

class MachoModule {
 public:
  // `module` must outlive this.
  explicit MachoModule(llvm::Module& module);
  ~MachoModule();
  MachoModule(const MachoModule&) = delete;
  MachoModule& operator=(const MachoModule&) = delete;

  // How the object that is made from the module becomes one of ELF: with the sections' own names,
  // and with what the module says about its origin (llvm.ident).
  MachoToElfOptions TranslationOptions() const;

 private:
  // Nothing is left in a handle if the code generator has deleted its value.
  struct Change {
    llvm::WeakTrackingVH value;
    std::string before;
  };

  void Place(llvm::GlobalObject& object);

  llvm::Module& module_;
  std::vector<Change> sections_;
  // The new names of sections, by their old names and their segments; and the old by the new.
  std::map<std::pair<std::string, std::string>, std::string> new_sections_;
  absl::flat_hash_map<std::string, std::string> section_names_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_MACHO_MODULE_H_
