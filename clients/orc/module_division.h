// Divides a client's module into functions, which an engine compiles when they are called, and the
// rest, which ORC links as before: variables that others can see, thread-local variables, lists of
// constructors, and functions that have to be near these.
//
// Thread-compatible: hold the lock of the module's context.

#ifndef FIRSTCALL_CLIENTS_ORC_MODULE_DIVISION_H_
#define FIRSTCALL_CLIENTS_ORC_MODULE_DIVISION_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "llvm/IR/Module.h"

namespace firstcall {

struct DividedModule {
  // The bitcode of a module that defines the functions, and aliases of them. Its definitions are
  // strong, because ORC has chosen among weak ones. It also has the local variables that only the
  // functions use, and declares what the rest defines.
  std::string functions;
  // The names in objects of what `functions` defines and others can refer to.
  std::vector<std::string> defined;
  // The names in objects of what `functions` only declares and needs; for an emulated thread-local
  // variable, the name of its control record.
  std::vector<std::string> needed;
  // Defines the rest, in the context of the divided module, without debug information. Null if
  // there is no rest.
  std::unique_ptr<llvm::Module> rest;
  // Definitions that were local in the module, and have got names that the other part can refer
  // to: those of `functions`, which are in `defined`, too, and those of `rest`.
  std::vector<std::string> shared_functions;
  std::vector<std::string> shared_rest;
};

// Divides `module`, which is not to be used afterwards. Local definitions to which both parts refer
// get names that begin with `prefix`, so no other module of the same dylib may be divided with that
// prefix. Unless thread-local variables are emulated, functions that use them belong to the rest.
//
// Unimplemented, with the reason, if the module must stay in one piece. Then it is unchanged.
absl::StatusOr<DividedModule> DivideModule(llvm::Module& module, absl::string_view prefix,
                                           bool emulates_thread_locals);

// How the functions name the handle by which exit handlers are told to which dylib they belong
// (`__dso_handle`). An engine would give them a handle of its own.
inline constexpr absl::string_view kDylibHandle = "firstcall.orc.dso_handle";

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_ORC_MODULE_DIVISION_H_
