#include "runtime/link/outside_symbols.h"

#include "absl/strings/str_cat.h"
#include "object/symbol_name.h"
#include "runtime/link/compiler_runtime.h"
#include "runtime/process/collector_roots.h"
#include "runtime/process/exit_handlers.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

constexpr absl::string_view kRegisterExitHandler = "__cxa_atexit";
constexpr absl::string_view kRegisterThreadExitHandler = "__cxa_thread_atexit";

}  // namespace

ExecutorAddress OutsideSymbols::Find(absl::string_view name, LibraryId library) const {
  if (void* address = FindByClient(name, library)) {
    if (CollectorRoots::IsNameOfCollector(name)) {
      CollectorRoots::Find([&](const char* function) { return FindByClient(function, library); });
    }
    return ExecutorAddress::Of(address);
  }
  if (name == kRegisterExitHandler) {
    return ExecutorAddress::Of(reinterpret_cast<const void*>(&ExitHandlers::Register));
  }
  if (name == kRegisterThreadExitHandler) {
    return ExecutorAddress::Of(reinterpret_cast<const void*>(&ExitHandlers::RegisterForThread));
  }
  if (name == kEmulatedTlsAccessor && sources_.provides_emulated_tls) {
    return HostThreadLocals::Accessor();
  }
  return FindInProcess(name);
}

absl::StatusOr<ExecutorAddress> OutsideSymbols::FindThreadLocal(absl::string_view variable,
                                                                LibraryId library) const {
  if (void* control = FindByClient(absl::StrCat(kEmulatedTlsPrefix, variable), library)) {
    return host_thread_locals_.DescriptorOfControl(ExecutorAddress::Of(control));
  }
  const ExecutorAddress address = FindInProcess(variable);
  return address.is_null() ? address : host_thread_locals_.DescriptorOf(variable, address);
}

bool OutsideSymbols::HasThreadLocal(absl::string_view variable, LibraryId library) const {
  return FindByClient(absl::StrCat(kEmulatedTlsPrefix, variable), library) != nullptr ||
         !FindInProcess(variable).is_null();
}

void* OutsideSymbols::FindByClient(absl::string_view name, LibraryId library) const {
  if (!sources_.client) return nullptr;
  ProgramCodeScope scope;
  return sources_.client(name, libraries_.NameOf(library));
}

ExecutorAddress OutsideSymbols::FindInProcess(absl::string_view name) const {
  if (!sources_.process) return ExecutorAddress();
  const ExecutorAddress address = sources_.process(std::string(name));
  return address.is_null() ? FindInCompilerRuntime(name) : address;
}

}  // namespace firstcall
