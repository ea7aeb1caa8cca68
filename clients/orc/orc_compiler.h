// The baseline code generator as the compile function of an llvm::orc::LLJIT or LLLazyJIT:
//
//   auto jit = llvm::orc::LLJITBuilder()
//                  .setJITTargetMachineBuilder(at_level_none)
//                  .setCompileFunctionCreator(firstcall::OrcCompileFunctionCreator())
//                  .create();
//
// A module becomes a relocatable ELF object, as with LLVM's own compile functions, so JITLink and
// RuntimeDyld, their plug-ins and memory managers, object caches and resource trackers go on
// working. What the baseline code generator does not cover in a module, LLVM compiles, and both
// parts become one object. docs/from-orc.md tells more.

#ifndef FIRSTCALL_CLIENTS_ORC_ORC_COMPILER_H_
#define FIRSTCALL_CLIENTS_ORC_ORC_COMPILER_H_

#include <memory>
#include <string>

#include "clients/orc/orc_statistics.h"
#include "llvm/ExecutionEngine/Orc/IRCompileLayer.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

namespace llvm {
class ObjectCache;
}  // namespace llvm

namespace firstcall {

// When the baseline code generator compiles.
enum class OrcBaseline {
  kAtLevelNone,  // If the client's level of code generation is None; otherwise LLVM compiles.
  kAlways,       // At every level.
  kNever,        // LLVM compiles everything, as the client's target machine says.
};

struct OrcCompilerOptions {
  OrcBaseline baseline = OrcBaseline::kAtLevelNone;
  // The objects have the debug information that modules have. LLVM compiles these modules whole.
  // Otherwise the code of the baseline code generator has none.
  bool keeps_debug_information = false;
  // As that of llvm::orc::SimpleCompiler. Must outlive the compile function; is called by many
  // threads at once if the client has many compile threads.
  llvm::ObjectCache* object_cache = nullptr;
};

// Thread-safe: many threads may compile modules of different contexts at once.
class OrcCompiler final : public llvm::orc::IRCompileLayer::IRCompiler {
 public:
  // Triple, processor, options (such as EmulatedTLS), relocation model, code model and level are
  // those of `builder`. An error if LLVM cannot make a target machine of it.
  static llvm::Expected<std::unique_ptr<OrcCompiler>> Create(
      llvm::orc::JITTargetMachineBuilder builder, const OrcCompilerOptions& options = {});

  ~OrcCompiler() override;

  // Compiles `module` on the calling thread, and returns its object, which the caller owns. Local
  // definitions without a name may get one; LLVM changes the modules that it compiles whole. Errors
  // are LLVM's.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> operator()(llvm::Module& module) override;

 private:
  struct Parts;
  OrcCompiler(std::unique_ptr<Parts> parts,
              const llvm::orc::IRSymbolMapper::ManglingOptions& mangling);

  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> Compile(llvm::Module& module);

  const std::unique_ptr<Parts> parts_;
};

// Why LLVM would compile all modules of a client with this target, in a few words. Then the client
// may as well keep LLVM's own compile function. Empty if the baseline code generator compiles.
std::string OrcObstacle(llvm::orc::JITTargetMachineBuilder builder,
                        const OrcCompilerOptions& options);

// The argument for LLJITBuilder::setCompileFunctionCreator. Errors of OrcCompiler::Create are
// returned by LLJITBuilder::create.
llvm::orc::LLJITBuilderState::CompileFunctionCreator OrcCompileFunctionCreator(
    const OrcCompilerOptions& options = {});

}  // namespace firstcall

#endif  // FIRSTCALL_CLIENTS_ORC_ORC_COMPILER_H_
