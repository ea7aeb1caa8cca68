#include "runtime/process/dynamic_symbols.h"

#include <dlfcn.h>

#include "base/any_stack.h"
#include "memory/thread_local_blocks.h"
#include "memory/unwind_registry.h"
#include "runtime/process/collector_roots.h"
#include "runtime/process/exit_handlers.h"
#include "runtime/process/work_scope.h"

namespace firstcall {
namespace {

// What dlopen returns for the program. (The C library's own handle, which needs no dlclose.)
void* OwnHandle() {
  static void* const handle = dlopen(nullptr, RTLD_LAZY);
  return handle;
}

// Null if the engine is not there any more, or must not be asked now.
void* FindInProgram(const char* name, const DsoHandle& caller, DynamicSymbols::Where where) {
  if (WorkScope::IsInterrupted()) return nullptr;
  DynamicSymbols::Found found;
  {
    const WorkScope scope(WorkScope::WhenOver::kForget);
    if (!scope.is_at_work() || caller.dynamic_symbols == nullptr) return nullptr;
    found = caller.dynamic_symbols->FindDynamic(name, caller.library, where);
  }
  return found.InThisThread();
}

}  // namespace

void* DynamicSymbols::Found::InThisThread() const {
  if (!is_thread_local || address.is_null()) return address.InThisProcess<void*>();
  return AddressOfThreadLocal(*address.InThisProcess<const ThreadLocalDescriptor*>());
}

// Code that has opened a library asks for the library's symbols next. The library may have brought
// an unwinder, which gets the unwind tables of compiled code here, before it is used, or a garbage
// collector.
FIRSTCALL_ON_ANY_STACK void* DynamicSymbols::Dlsym(void* file, const char* name, void* dso_handle) {
  if (!WorkScope::IsInterrupted()) {
    const ForkScope scope;
    UnwindRegistry::OfProcess()->FindUnwinders();
    CollectorRoots::FindInProcess();
  }
  const bool is_next = file == RTLD_NEXT;
  if (name == nullptr || (file != RTLD_DEFAULT && !is_next && file != OwnHandle())) {
    return dlsym(file, name);
  }
  void* const found = FindInProgram(name, *static_cast<const DsoHandle*>(dso_handle),
                                    is_next ? Where::kBehindProgram : Where::kEverywhere);
  if (found == nullptr) return dlsym(RTLD_DEFAULT, name);
  dlerror();  // A message of an earlier call is not there any more.
  return found;
}

// Definitions of the program have no versions.
FIRSTCALL_ON_ANY_STACK void* DynamicSymbols::Dlvsym(void* file, const char* name,
                                                    const char* version) {
  return dlvsym(file == RTLD_NEXT ? RTLD_DEFAULT : file, name, version);
}

bool DynamicSymbols::IsOfCLibrary(ExecutorAddress address) {
  Dl_info file, library;
  return dladdr(address.InThisProcess<void*>(), &file) != 0 &&
         dladdr(reinterpret_cast<const void*>(dlsym(RTLD_DEFAULT, "dlerror")), &library) != 0 &&
         file.dli_fbase == library.dli_fbase;
}

}  // namespace firstcall
