// The copy that an engine takes of a client's module when MCJIT would generate its code.
//
// Pure functions; the caller lets no other thread use the module's context.

#ifndef FIRSTCALL_CLIENTS_MCJIT_MODULE_COPY_H_
#define FIRSTCALL_CLIENTS_MCJIT_MODULE_COPY_H_

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace llvm {
class DataLayout;
class GlobalValue;
class Module;
}  // namespace llvm

namespace firstcall {

struct ModuleCopy {
  std::string bitcode;
  // The names in objects of the global symbols that the copy defines, and of those that it only
  // declares and uses.
  std::vector<std::string> defined;
  std::vector<std::string> declared;
};

// Copies `module`, with the changes that make an engine treat it as MCJIT's linker does:
//   - Of several weak definitions, the first that was loaded is used. So the copy's weak
//   definitions
//     become strong, except those of a name that `is_defined` already: these become declarations.
//   - Constructors and destructors are the client's to run, so their lists are left out.
// `module` itself is the same afterwards. Unimplemented if a function has no name, because the
// client could not ask the engine for its address.
absl::StatusOr<ModuleCopy> CopyModule(llvm::Module& module,
                                      absl::FunctionRef<bool(const std::string& name)> is_defined);

// The name of a symbol in objects, from its name in IR.
std::string ObjectNameOf(absl::string_view name, const llvm::DataLayout& layout);
std::string ObjectNameOf(const llvm::GlobalValue& value);

// The names of a ModuleCopy, without a copy.
ModuleCopy NamesOf(const llvm::Module& module);

// The definition of `name`, a name in IR, in `module` that MCJIT's look-up finds; or null.
const llvm::GlobalValue* DefinitionIn(const llvm::Module& module, absl::string_view name,
                                      bool functions_only);

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_MODULE_COPY_H_
