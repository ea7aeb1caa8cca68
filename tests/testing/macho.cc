#include "tests/testing/macho.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "tests/testing/ir.h"
#include "third_party/llvm/version/target_machine.h"
#include "third_party/llvm/version/triple.h"

namespace firstcall {
namespace {

// Both architectures on every host.
void InitializeTargets() {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::InitializeAllAsmParsers();
}

std::string Emit(llvm::Module& module, absl::string_view triple) {
  InitializeTargets();
  std::string error;
  const std::string name(triple);
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(name, error);
  EXPECT_NE(target, nullptr) << error;
  if (target == nullptr) return "";
  const std::unique_ptr<llvm::TargetMachine> machine = llvm_version::CreateJitMachine(
      *target, llvm::Triple(name), "", "", llvm::TargetOptions(), llvm::Reloc::PIC_,
      /*code_model=*/std::nullopt, llvm::CodeGenOptLevel::Default);
  llvm_version::SetTriple(module, name);
  module.setDataLayout(machine->createDataLayout());
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  EXPECT_FALSE(machine->addPassesToEmitFile(passes, stream, /*DwoOut=*/nullptr,
                                            llvm::CodeGenFileType::ObjectFile));
  passes.run(module);
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::string CompileToMacho(absl::string_view text, absl::string_view triple) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(text, context);
  return module == nullptr ? "" : Emit(*module, triple);
}

std::string AssembleToMacho(absl::string_view assembly, absl::string_view triple) {
  llvm::LLVMContext context;
  llvm::Module module("assembly", context);
  module.setModuleInlineAsm(llvm::StringRef(assembly.data(), assembly.size()));
  return Emit(module, triple);
}

}  // namespace firstcall
