#include "runtime/link/outside_symbols.h"

#include "absl/strings/strip.h"
#include "object/symbol_name.h"
#include "runtime/link/compiler_runtime.h"
#include "runtime/process/exit_handlers.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

constexpr absl::string_view kRegisterExitHandler = "__cxa_atexit";
constexpr absl::string_view kRegisterThreadExitHandler = "__cxa_thread_atexit";

}  // namespace

absl::StatusOr<ExecutorAddress> OutsideSymbols::Find(absl::string_view name) const {
  absl::string_view variable = name;
  const bool is_tls_control = absl::ConsumePrefix(&variable, kEmulatedTlsPrefix);
  if (void* address = FindByClient(name)) return ExecutorAddress::Of(address);
  if (name == kRegisterExitHandler) {
    return ExecutorAddress::Of(reinterpret_cast<const void*>(&ExitHandlers::Register));
  }
  if (name == kRegisterThreadExitHandler) {
    return ExecutorAddress::Of(reinterpret_cast<const void*>(&ExitHandlers::RegisterForThread));
  }
  if (name == kEmulatedTlsAccessor && sources_.provides_emulated_tls)
    return HostThreadLocals::Accessor();
  const ExecutorAddress address = FindInProcess(variable);
  if (!address.is_null() && is_tls_control) return host_thread_locals_.ControlOf(variable, address);
  return address;
}

void* OutsideSymbols::FindByClient(absl::string_view name) const {
  if (!sources_.client) return nullptr;
  ProgramCodeScope scope;
  return sources_.client(name);
}

ExecutorAddress OutsideSymbols::FindInProcess(absl::string_view name) const {
  if (!sources_.process) return ExecutorAddress();
  const ExecutorAddress address = sources_.process(std::string(name));
  return address.is_null() ? FindInCompilerRuntime(name) : address;
}

}  // namespace firstcall
