// A client of LLJIT that knows nothing of firstcall, and has an executor of its own, which runs
// tasks on threads of theirs. Many modules of one context are compiled at the same time. Prints
// whether they were copied to other contexts on the way, and what their functions return together.
//
//   session_client [asks]   With `asks`, asks the LLJIT to support concurrent compilation.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/IRTransformLayer.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "third_party/llvm/version/own_executor.h"

namespace {

constexpr int kModules = 16;

std::unique_ptr<llvm::Module> ModuleOf(int number, llvm::LLVMContext& context) {
  const std::string text = "define i32 @f" + std::to_string(number) +
                           "(i32 %n) { %r = add i32 %n, " + std::to_string(number) +
                           " ret i32 %r }";
  llvm::SMDiagnostic diagnostic;
  return llvm::parseAssemblyString(text, diagnostic, context);
}

}  // namespace

int main(int count, char** arguments) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto target = llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
  target.setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  llvm::orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(std::move(target));
  builder.setExecutorProcessControl(llvm::cantFail(llvm::orc::SelfExecutorProcessControl::Create(
      nullptr, std::make_unique<llvm::orc::DynamicThreadPoolTaskDispatcher>(std::nullopt))));
  if (count > 1 && std::string(arguments[1]) == "asks") {
    builder.setSupportConcurrentCompilation(true);
  }
  const auto jit = llvm::cantFail(builder.create());
  auto own_context = std::make_unique<llvm::LLVMContext>();
  llvm::LLVMContext* const plain_context = own_context.get();
  const llvm::orc::ThreadSafeContext context(std::move(own_context));
  std::atomic<int> copies{0};
  jit->getIRTransformLayer().setTransform(
      [&](llvm::orc::ThreadSafeModule module, const llvm::orc::MaterializationResponsibility&) {
        module.withModuleDo([&](llvm::Module& plain) {
          if (&plain.getContext() != plain_context) ++copies;
        });
        return llvm::Expected<llvm::orc::ThreadSafeModule>(std::move(module));
      });
  for (int i = 0; i < kModules; ++i) {
    std::unique_ptr<llvm::Module> module = ModuleOf(i, *plain_context);
    if (module == nullptr) return EXIT_FAILURE;
    module->setDataLayout(jit->getDataLayout());
    llvm::cantFail(jit->addIRModule({std::move(module), context}));
  }
  std::atomic<int> sum{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kModules; ++i) {
    threads.emplace_back([&, i] {
      sum += llvm::cantFail(jit->lookup("f" + std::to_string(i))).toPtr<int(int)>()(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::printf("%d copies, sum %d\n", copies.load(), sum.load());
  return EXIT_SUCCESS;
}
