// A client of LLLazyJIT that knows nothing of firstcall. Prints what its compiled code returns.

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"

int main() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto target = llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
  target.setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  auto jit = llvm::cantFail(
      llvm::orc::LLLazyJITBuilder().setJITTargetMachineBuilder(std::move(target)).create());
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(
      "define i32 @callee() { ret i32 42 }\n"
      "define i32 @answer() { %r = call i32 @callee() ret i32 %r }",
      diagnostic, *context);
  if (module == nullptr) return EXIT_FAILURE;
  module->setDataLayout(jit->getDataLayout());
  llvm::cantFail(jit->addLazyIRModule({std::move(module), std::move(context)}));
  std::printf("%d\n", llvm::cantFail(jit->lookup("answer")).toPtr<int()>()());
  return EXIT_SUCCESS;
}
