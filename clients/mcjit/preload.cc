// libfirstcall_mcjit.so: takes MCJIT's place without being linked with LLVM, so that a process that
// never creates an MCJIT engine pays for nothing else.
//
// LLVM registers MCJIT in a variable, llvm::ExecutionEngine::MCJITCtor, when libLLVM is loaded.
// This library writes to it a constructor that loads the engine's library when it is first called.
// It does so when this library is loaded, if libLLVM is there by then, and otherwise when
// dlopen(nullptr) is called: llvm::EngineBuilder does that before it looks at the variable.
//
// No C++ library is used, because the process may have none.

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>

#include "clients/mcjit/engine_library.h"
#include "clients/mcjit/install.h"
#include "third_party/llvm/version/version.h"

namespace firstcall {
namespace {

constexpr const char* kLlvm = llvm_version::kSharedLibrary;
// llvm::ExecutionEngine::MCJITCtor.
constexpr char kConstructorVariable[] = "_ZN4llvm15ExecutionEngine9MCJITCtorB5cxx11E";

using Dlopen = void*(const char*, int);

// A constructor of engines. In the C++ ABI (Itanium) the caller passes the address of each argument
// that has a destructor, and destroys it; so these are the arguments as they are passed.
using Constructor = void*(void* module, void* error, void* memory_manager, void* resolver,
                          void* target_machine);

std::atomic<bool> is_installed{false};
std::atomic<Constructor**> variable{nullptr};  // Null until LLVM was found.
std::atomic<Constructor*> mcjits_own{nullptr};

Dlopen* RealDlopen() {
  static Dlopen* const real = reinterpret_cast<Dlopen*>(dlsym(RTLD_NEXT, "dlopen"));
  return real;
}

// Says on standard error why engines are MCJIT's own.
Constructor* Give(const char* reason) {
  fprintf(stderr, "firstcall: MCJIT stays as it is: %s\n", reason);
  return mcjits_own;
}

// Loads the engine's library, which lies beside this one. (An installation has a symbolic link to
// this one where the dynamic linker searches.)
Constructor* LoadLazy() {
  Dl_info own;
  char path[PATH_MAX];
  if (dladdr(reinterpret_cast<const void*>(&RealDlopen), &own) == 0) return Give("dladdr failed");
  if (realpath(own.dli_fname, path) == nullptr) return Give("its own path is unknown");
  char* const name = strrchr(path, '/') + 1;
  if (strlen(kEngineLibraryName) >= static_cast<size_t>(path + sizeof(path) - name)) {
    return Give("its path is too long");
  }
  strcpy(name, kEngineLibraryName);
  void* const library = RealDlopen()(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return Give(dlerror());
  auto* const replace = reinterpret_cast<ReplaceConstructor*>(dlsym(library, kEngineLibrarySymbol));
  if (replace == nullptr) return Give(dlerror());
  return reinterpret_cast<Constructor*>(
      replace(reinterpret_cast<ErasedConstructor>(mcjits_own.load())));
}

void* ConstructFirst(void* module, void* error, void* memory_manager, void* resolver,
                     void* target_machine) {
  static Constructor* const loaded = LoadLazy();
  __atomic_store_n(variable.load(), loaded, __ATOMIC_SEQ_CST);
  return loaded(module, error, memory_manager, resolver, target_machine);
}

__attribute__((constructor)) void InstallAtStart() { InstallAsMcjit(); }

}  // namespace

__attribute__((visibility("default"))) bool InstallAsMcjit() {
  if (is_installed) return true;
  Dlopen* const real = RealDlopen();
  if (real == nullptr) return false;
  void* const llvm = real(kLlvm, RTLD_LAZY | RTLD_NOLOAD);
  if (llvm == nullptr) return false;
  auto** const found = static_cast<Constructor**>(dlsym(llvm, kConstructorVariable));
  if (found == nullptr) return false;
  Constructor* own = __atomic_load_n(found, __ATOMIC_SEQ_CST);
  if (own == nullptr) return false;
  // Another thread may do the same at the same time, and may create an engine then: MCJIT's own
  // constructor is only the one that was there before both.
  if (own == &ConstructFirst || (variable != nullptr && own != mcjits_own)) return true;
  mcjits_own = own;
  variable = found;
  __atomic_compare_exchange_n(found, &own, &ConstructFirst, /*weak=*/false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  is_installed = true;
  return true;
}

}  // namespace firstcall

// The real function is called by a jump: it finds out by the return address which library asks.
extern "C" __attribute__((visibility("default"))) void* dlopen(const char* file,
                                                               int mode) noexcept {
  if (file == nullptr) firstcall::InstallAsMcjit();
  firstcall::Dlopen* const real = firstcall::RealDlopen();
#if defined(__clang__)
  [[clang::musttail]] return real(file, mode);
#else
  return real(file, mode);
#endif
}
