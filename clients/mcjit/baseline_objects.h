// An object cache in front of the client's, for an MCJIT engine whose client wants real objects:
// the baseline code generator makes the object of a module that the client's cache does not have.
// What the generator does not cover of the module is LLVM's, in the same object.
//
// Thread-compatible: MCJIT holds the lock of its engine when it asks a cache.

#ifndef FIRSTCALL_CLIENTS_MCJIT_BASELINE_OBJECTS_H_
#define FIRSTCALL_CLIENTS_MCJIT_BASELINE_OBJECTS_H_

#include <memory>
#include <utility>

#include "clients/orc/orc_compiler.h"
#include "llvm/ExecutionEngine/ExecutionEngine.h"
#include "llvm/ExecutionEngine/ObjectCache.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

namespace firstcall {

class BaselineObjects final : public llvm::ObjectCache {
 public:
  // Null if LLVM is to generate all code: the level, which is the target machine's unless
  // FIRSTCALL_OPTIONS names one, is not that of unoptimized code; the options turn the baseline
  // code generator off; or it has no such target.
  static std::unique_ptr<BaselineObjects> Create(const llvm::TargetMachine& target_machine);

  // The client's cache, which is asked first and told of all objects; may be null.
  void SetClients(llvm::ObjectCache* cache) { clients_ = cache; }

  // Makes this the cache of `engine`, which is MCJIT's and must not ask for objects after this was
  // destroyed. A cache that is set later takes the place of this.
  void ServeEngine(llvm::ExecutionEngine& engine);

  // --- llvm::ObjectCache ---

  // Null after an error, so that MCJIT comes upon the same one and reports it.
  std::unique_ptr<llvm::MemoryBuffer> getObject(const llvm::Module* module) override;
  void notifyObjectCompiled(const llvm::Module* module, llvm::MemoryBufferRef object) override;

 private:
  explicit BaselineObjects(std::unique_ptr<OrcCompiler> compiler)
      : compiler_(std::move(compiler)) {}

  const std::unique_ptr<OrcCompiler> compiler_;
  llvm::ObjectCache* clients_ = nullptr;
  const llvm::ExecutionEngine* engine_ = nullptr;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_MCJIT_BASELINE_OBJECTS_H_
