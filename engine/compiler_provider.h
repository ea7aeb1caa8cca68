// Where an engine's compiler half comes from: it is linked in, loaded when it is first needed, or
// in another process.
//
// Implementations are thread-safe. Tested in tests/engine/loaded_compiler_test.cc and
// served_compiler_test.cc.

#ifndef FIRSTCALL_ENGINE_COMPILER_PROVIDER_H_
#define FIRSTCALL_ENGINE_COMPILER_PROVIDER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "cache/object_cache.h"
#include "memory/executor_address.h"
#include "seam/compiler.h"
#include "seam/compiler_settings.h"
#include "seam/listener.h"

namespace firstcall {

class CompilerProvider {
 public:
  virtual ~CompilerProvider() = default;

  // What generated code depends on and the runtime half cannot know: the build of the compiler half
  // and of LLVM, and the options in `settings` that are objects of LLVM.
  virtual std::string Identity(const CompilerSettings& settings) = 0;

  // The identity of a compile server that belongs to the same installation; empty if that is not
  // known, so that a server has to be asked for its own.
  virtual std::string IdentityOfServer() { return ""; }

  // Whether the compiler is made when something first has to be compiled. Otherwise it is made with
  // the engine, so that its errors come at once, unless there is a compiler that does without LLVM:
  // then nothing in the settings is for LLVM to refuse.
  virtual bool is_deferred() const = 0;

  // Whether the client's options of the code generator ask for emulated thread-local variables.
  virtual bool AsksForEmulatedTls(const TargetSettings& settings) = 0;

  // How symbols of the process are looked up.
  virtual std::function<ExecutorAddress(const std::string& name)> ProcessSymbols() = 0;

  // The cache of an engine with these settings, whose client has given it `own`, perhaps null.
  virtual std::shared_ptr<ObjectCache> CacheFor(const CompilerSettings& /*settings*/,
                                                std::shared_ptr<ObjectCache> own) {
    return own;
  }

  // Makes a compiler, for `reason` (DeferredCompiler). `listener` must outlive it. Errors as
  // InProcessCompiler::Create; Unavailable, with the system's reason, if it cannot be loaded.
  virtual absl::StatusOr<std::unique_ptr<Compiler>> Create(const CompilerSettings& settings,
                                                           Listener& listener,
                                                           absl::string_view reason) = 0;

  // Makes a compiler that does without LLVM, and is asked before the other one. Null if there is
  // none for these settings.
  virtual std::unique_ptr<Compiler> CreateSmall(const CompilerSettings& /*settings*/) {
    return nullptr;
  }
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_COMPILER_PROVIDER_H_
