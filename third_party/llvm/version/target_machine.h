// Making a target machine, and its passes that generate code.

#ifndef FIRSTCALL_THIRD_PARTY_LLVM_VERSION_TARGET_MACHINE_H_
#define FIRSTCALL_THIRD_PARTY_LLVM_VERSION_TARGET_MACHINE_H_

#include <memory>
#include <optional>
#include <string>

#include "llvm/Config/llvm-config.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"
#include "third_party/llvm/version/triple.h"

namespace firstcall::llvm_version {

// What `target` makes for code that runs in this process, or null if it refuses. Thread-safe.
inline std::unique_ptr<llvm::TargetMachine> CreateJitMachine(
    const llvm::Target& target, const llvm::Triple& triple, const std::string& cpu,
    const std::string& features, const llvm::TargetOptions& options,
    std::optional<llvm::Reloc::Model> relocation_model,
    std::optional<llvm::CodeModel::Model> code_model, llvm::CodeGenOptLevel level) {
  return std::unique_ptr<llvm::TargetMachine>(
      target.createTargetMachine(ToArgument(triple), cpu, features, options, relocation_model,
                                 code_model, level, /*JIT=*/true));
}

// The class with createPassConfig and addAsmPrinter, which every target's machine is.
#if LLVM_VERSION_MAJOR >= 20
using MachineWithPasses = llvm::TargetMachine;
#else
using MachineWithPasses = llvm::LLVMTargetMachine;
#endif

}  // namespace firstcall::llvm_version

#endif  // FIRSTCALL_THIRD_PARTY_LLVM_VERSION_TARGET_MACHINE_H_
