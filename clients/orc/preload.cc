// libfirstcall_orc.so: gives LLJITs a compile function without being linked with LLVM, so that a
// process that never creates an LLJIT pays for nothing else.
//
// LLJITBuilder::create is compiled into the client, and calls a function of LLVM's library that
// prepares the builder. This library has functions of the same names, versions included, which
// stand in front of LLVM's. They pass LLVM's on to the engine's library, which calls them, and
// which is loaded when the first LLJIT is created. LLVM's library calls its own functions directly,
// so LLVMOrcCreateLLJIT must be here, too.
//
// No C++ library is used, because the process may have none.

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <atomic>

#include "clients/orc/engine_library.h"
#include "third_party/llvm/version/version.h"

namespace firstcall {

// An llvm::Error as functions return it: in memory of the caller's, because it has a destructor.
struct ReturnedError {
  uintptr_t payload;

  ~ReturnedError() {}  // NOLINT: not defaulted, so that it counts as one.
};

namespace {

constexpr const char* kLlvm = llvm_version::kSharedLibrary;
constexpr const char* kVersion = llvm_version::kSymbolVersion;

using LlvmPrepare = ReturnedError(void* state);

// LLVM's own function; null if there is none of this version. LLVM is not behind this library if it
// was loaded with RTLD_LOCAL.
void* FindReal(const char* name) {
  if (void* const next = dlvsym(RTLD_NEXT, name, kVersion)) return next;
  void* const llvm = dlopen(kLlvm, RTLD_LAZY | RTLD_NOLOAD);
  return llvm == nullptr ? nullptr : dlvsym(llvm, name, kVersion);
}

// What the caller would have got without this library: of an LLVM without versions of symbols, for
// which the engine is not meant.
void* FindOther(const char* name) {
  void* const next = dlsym(RTLD_NEXT, name);
  if (next != nullptr) return next;
  // As the dynamic linker ends a process that lacks a symbol.
  fprintf(stderr, "firstcall: symbol lookup error: undefined symbol: %s\n", name);
  _exit(127);
}

struct Engine {
  OrcPrepare* prepare = nullptr;
  OrcCreate* create = nullptr;
  OrcAdd* add = nullptr;
  OrcAddReference* add_reference = nullptr;
};

// Says on standard error why LLJITs are LLVM's own.
void Refuse(const char* reason) { fprintf(stderr, "firstcall: ORC stays as it is: %s\n", reason); }

// Loads the engine's library, which lies beside this one. (An installation has a symbolic link to
// this one where the dynamic linker searches.)
Engine Load() {
  Dl_info own;
  char path[PATH_MAX];
  Engine engine;
  if (dladdr(reinterpret_cast<const void*>(&Refuse), &own) == 0) {
    Refuse("dladdr failed");
    return engine;
  }
  if (realpath(own.dli_fname, path) == nullptr) {
    Refuse("its own path is unknown");
    return engine;
  }
  char* const name = strrchr(path, '/') + 1;
  if (strlen(kOrcEngineLibraryName) >= static_cast<size_t>(path + sizeof(path) - name)) {
    Refuse("its path is too long");
    return engine;
  }
  strcpy(name, kOrcEngineLibraryName);
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    Refuse(dlerror());
    return engine;
  }
  engine.prepare = reinterpret_cast<OrcPrepare*>(dlsym(library, kOrcPrepareSymbol));
  engine.create = reinterpret_cast<OrcCreate*>(dlsym(library, kOrcCreateSymbol));
  engine.add = reinterpret_cast<OrcAdd*>(dlsym(library, kOrcAddSymbol));
  engine.add_reference = reinterpret_cast<OrcAddReference*>(dlsym(library, kOrcAddReferenceSymbol));
  return engine;
}

// Loads the engine's library at the first call. std::call_once would need a C++ library.
const Engine& TheEngine() {
  static std::atomic<const Engine*> loaded{nullptr};
  static Engine engine;
  if (loaded == nullptr) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    if (loaded == nullptr) {
      engine = Load();
      loaded = &engine;
    }
    pthread_mutex_unlock(&mutex);
  }
  return engine;
}

// `real` keeps what was found.
ReturnedError Prepare(void* state, const char* name, std::atomic<LlvmPrepare*>& real) {
  if (real == nullptr) real = reinterpret_cast<LlvmPrepare*>(FindReal(name));
  if (real == nullptr) return reinterpret_cast<LlvmPrepare*>(FindOther(name))(state);
  OrcPrepare* const prepare = TheEngine().prepare;
  if (prepare == nullptr) return real.load()(state);
  ReturnedError error{0};
  prepare(&error, state, reinterpret_cast<void*>(real.load()));
  return error;
}

}  // namespace
}  // namespace firstcall

// llvm::orc::LLJITBuilderState::prepareForConstruction() and that of LLLazyJITBuilderState, whose
// state begins with the other's.
#define FIRSTCALL_JIT_PREPARE "_ZN4llvm3orc17LLJITBuilderState22prepareForConstructionEv"
#define FIRSTCALL_LAZY_PREPARE "_ZN4llvm3orc21LLLazyJITBuilderState22prepareForConstructionEv"

__attribute__((visibility("default"))) firstcall::ReturnedError PrepareJit(void* state) __asm__(
    FIRSTCALL_JIT_PREPARE);
__attribute__((visibility("default"))) firstcall::ReturnedError PrepareLazyJit(void* state) __asm__(
    FIRSTCALL_LAZY_PREPARE);

firstcall::ReturnedError PrepareJit(void* state) {
  static std::atomic<firstcall::LlvmPrepare*> real{nullptr};
  return firstcall::Prepare(state, FIRSTCALL_JIT_PREPARE, real);
}

firstcall::ReturnedError PrepareLazyJit(void* state) {
  static std::atomic<firstcall::LlvmPrepare*> real{nullptr};
  return firstcall::Prepare(state, FIRSTCALL_LAZY_PREPARE, real);
}

// llvm::orc::LLJIT::addIRModule(ResourceTrackerSP, ThreadSafeModule), the same for a JITDylib&, and
// llvm::orc::LLLazyJIT::addLazyIRModule(JITDylib&, ThreadSafeModule). The caller owns the
// arguments, and passes their addresses: `tracker` is that of a pointer.
#define FIRSTCALL_JIT_ADD_BY_TRACKER                                                       \
  "_ZN4llvm3orc5LLJIT11addIRModuleENS_18IntrusiveRefCntPtrINS0_15ResourceTrackerEEENS0_16" \
  "ThreadSafeModuleE"
#define FIRSTCALL_JIT_ADD "_ZN4llvm3orc5LLJIT11addIRModuleERNS0_8JITDylibENS0_16ThreadSafeModuleE"
#define FIRSTCALL_LAZY_ADD \
  "_ZN4llvm3orc9LLLazyJIT15addLazyIRModuleERNS0_8JITDylibENS0_16ThreadSafeModuleE"

namespace firstcall {
namespace {

using LlvmAdd = ReturnedError(void* jit, void* to, void* module);

ReturnedError Add(void* jit, void* tracker, void* to, void* module, const char* name,
                  std::atomic<LlvmAdd*>& real) {
  OrcAdd* const add = TheEngine().add;
  ReturnedError error{0};
  if (add != nullptr && add(&error, jit, tracker, to, module)) return error;
  if (real == nullptr) real = reinterpret_cast<LlvmAdd*>(FindReal(name));
  if (real == nullptr) real = reinterpret_cast<LlvmAdd*>(FindOther(name));
  return real.load()(jit, to, module);
}

using LlvmAddReference = void*(void* jit, void* to, void* module);

void* AddReference(void* jit, void* tracker, void* to, void* module, const char* name,
                   std::atomic<LlvmAddReference*>& real) {
  OrcAddReference* const add = TheEngine().add_reference;
  void* error = nullptr;
  if (add != nullptr && add(&error, jit, tracker, to, module)) return error;
  if (real == nullptr) real = reinterpret_cast<LlvmAddReference*>(FindReal(name));
  if (real == nullptr) real = reinterpret_cast<LlvmAddReference*>(FindOther(name));
  return real.load()(jit, to, module);
}

}  // namespace
}  // namespace firstcall

__attribute__((visibility("default"))) firstcall::ReturnedError AddByTracker(
    void* jit, void** tracker, void* module) __asm__(FIRSTCALL_JIT_ADD_BY_TRACKER);
__attribute__((visibility("default"))) firstcall::ReturnedError AddToDylib(
    void* jit, void* dylib, void* module) __asm__(FIRSTCALL_JIT_ADD);
__attribute__((visibility("default"))) firstcall::ReturnedError AddLazily(
    void* jit, void* dylib, void* module) __asm__(FIRSTCALL_LAZY_ADD);

firstcall::ReturnedError AddByTracker(void* jit, void** tracker, void* module) {
  static std::atomic<firstcall::LlvmAdd*> real{nullptr};
  return firstcall::Add(jit, *tracker, tracker, module, FIRSTCALL_JIT_ADD_BY_TRACKER, real);
}

firstcall::ReturnedError AddToDylib(void* jit, void* dylib, void* module) {
  static std::atomic<firstcall::LlvmAdd*> real{nullptr};
  return firstcall::Add(jit, nullptr, dylib, module, FIRSTCALL_JIT_ADD, real);
}

firstcall::ReturnedError AddLazily(void* jit, void* dylib, void* module) {
  static std::atomic<firstcall::LlvmAdd*> real{nullptr};
  return firstcall::Add(jit, nullptr, dylib, module, FIRSTCALL_LAZY_ADD, real);
}

extern "C" __attribute__((visibility("default"))) void* LLVMOrcLLJITAddLLVMIRModule(void* jit,
                                                                                    void* dylib,
                                                                                    void* module) {
  static std::atomic<firstcall::LlvmAddReference*> real{nullptr};
  return firstcall::AddReference(jit, nullptr, dylib, module, "LLVMOrcLLJITAddLLVMIRModule", real);
}

extern "C" __attribute__((visibility("default"))) void* LLVMOrcLLJITAddLLVMIRModuleWithRT(
    void* jit, void* tracker, void* module) {
  static std::atomic<firstcall::LlvmAddReference*> real{nullptr};
  return firstcall::AddReference(jit, tracker, tracker, module, "LLVMOrcLLJITAddLLVMIRModuleWithRT",
                                 real);
}

extern "C" __attribute__((visibility("default"))) void* LLVMOrcCreateLLJIT(void* result,
                                                                           void* builder) {
  constexpr char kName[] = "LLVMOrcCreateLLJIT";
  static std::atomic<firstcall::OrcCreate*> real{nullptr};
  if (real == nullptr) real = reinterpret_cast<firstcall::OrcCreate*>(firstcall::FindReal(kName));
  if (real == nullptr) {
    return reinterpret_cast<firstcall::OrcCreate*>(firstcall::FindOther(kName))(result, builder);
  }
  firstcall::OrcCreate* const create = firstcall::TheEngine().create;
  return create != nullptr ? create(result, builder) : real.load()(result, builder);
}
