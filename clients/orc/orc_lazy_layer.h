// A layer for LLVM's ORC that compiles each function when it is called for the first time:
//
//   auto layer = firstcall::OrcLazyLayer::Create(*jit, target);  // `target` as the LLJIT has it.
//   (*layer)->add(jit->getMainJITDylib(), std::move(module));    // In the place of addIRModule.
//
// When a symbol of a module is looked up, an engine takes the module's functions, and each function
// has the address of a stub. At its first call the function is compiled; if it is hot, the engine
// replaces it by optimized code. What else the module has (variables that other modules can see,
// thread-local variables, lists of constructors) goes on to the layer below, where ORC's linker
// links it when it is looked up.
//
// ORC's rules hold: names resolve through the dylib and its link order, when the function that
// names them is compiled; ORC chooses among weak definitions; the platform runs initializers; a
// removed resource tracker removes functions. Modules that cannot be divided go to the layer below
// whole: those that have assembly of their own, ifuncs, names of bounds of sections, or addresses
// of blocks in variables that others can see.
//
// Thread-safe, as ORC's layers are.

#ifndef FIRSTCALL_CLIENTS_ORC_ORC_LAZY_LAYER_H_
#define FIRSTCALL_CLIENTS_ORC_ORC_LAZY_LAYER_H_

#include <memory>

#include "engine/engine.h"
#include "engine/options.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/Layer.h"
#include "llvm/ExecutionEngine/Orc/Shared/ExecutorAddress.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/Support/Error.h"

namespace firstcall {

struct OrcLazyLayerOptions {
  // Options of the engine, such as the object cache, levels and promotion. (The level of the target
  // machine holds only for what the layer below compiles.) The layer sets the other options of the
  // target, the mode, the symbol finders, what is searched for symbols, and the failure handler.
  EngineOptions engine;
  // Whether names that a module's functions refer to, and that nothing defines, are errors as soon
  // as a symbol of the module is looked up, as for ORC's other layers. If not, such a name is an
  // error when a function that refers to it is called for the first time.
  bool checks_names = false;
  // Where a call goes on whose function cannot be compiled, after the error was reported to the
  // session, as with llvm::orc::LazyCallThroughManager. Null: the engine prints the error and ends
  // the process.
  llvm::orc::ExecutorAddr error_handler;
};

class OrcLazyLayer final : public llvm::orc::IRLayer, private llvm::orc::ResourceManager {
 public:
  // A layer for the modules of a JIT, for code of the same target. Errors are those of
  // Engine::Create, and of a target other than this machine's.
  //
  // The layer must be destroyed before the JIT, and after the JIT has run deinitializers. Code that
  // the layer has compiled exists until then.
  static llvm::Expected<std::unique_ptr<OrcLazyLayer>> Create(
      llvm::orc::LLJIT& jit, const llvm::orc::JITTargetMachineBuilder& target,
      OrcLazyLayerOptions options = {});

  // The same for a session without LLJIT. `base`, which must outlive the layer, gets what is not
  // lazy.
  static llvm::Expected<std::unique_ptr<OrcLazyLayer>> Create(
      llvm::orc::ExecutionSession& session, llvm::orc::IRLayer& base,
      const llvm::orc::JITTargetMachineBuilder& target, OrcLazyLayerOptions options = {});

  ~OrcLazyLayer() override;

  // For statistics, and to compile ahead of need (Engine::Prepare). Owned by the layer. Do not add
  // modules to this engine: the layer does that.
  Engine& engine();

  // --- llvm::orc::IRLayer ---

  // Adds a module; compiles nothing. A module without a data layout gets the target's; an error if
  // the module has another one.
  llvm::Error add(llvm::orc::ResourceTrackerSP tracker,
                  llvm::orc::ThreadSafeModule module) override;
  using IRLayer::add;
  // To be called by ORC.
  void emit(std::unique_ptr<llvm::orc::MaterializationResponsibility> responsibility,
            llvm::orc::ThreadSafeModule module) override;

 private:
  struct Parts;
  OrcLazyLayer(llvm::orc::ExecutionSession& session, llvm::orc::IRLayer& base,
               std::unique_ptr<Parts> parts);

  // --- llvm::orc::ResourceManager ---
  llvm::Error handleRemoveResources(llvm::orc::JITDylib& dylib,
                                    llvm::orc::ResourceKey key) override;
  void handleTransferResources(llvm::orc::JITDylib& dylib, llvm::orc::ResourceKey to,
                               llvm::orc::ResourceKey from) override;

  const std::unique_ptr<Parts> parts_;
};

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_ORC_ORC_LAZY_LAYER_H_
