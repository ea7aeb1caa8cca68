#include "tools/interpreter.h"

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "llvm/ExecutionEngine/GenericValue.h"
#include "llvm/ExecutionEngine/Interpreter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace firstcall {

absl::StatusOr<int> Interpret(const CommandLine& command_line) {
  if (command_line.modules.size() > 1 || !command_line.objects.empty() ||
      !command_line.archives.empty()) {
    return absl::UnimplementedError("interpreting a program of more than one module");
  }
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module =
      llvm::parseIRFile(command_line.modules.front().path, diagnostic, context);
  if (module == nullptr) {
    std::string message;
    llvm::raw_string_ostream stream(message);
    diagnostic.print(/*ProgName=*/nullptr, stream, /*ShowColors=*/false);
    return absl::InvalidArgumentError(absl::StripTrailingAsciiWhitespace(message));
  }
  llvm::Function* entry = module->getFunction(command_line.entry_function);
  if (entry == nullptr || entry->isDeclaration()) {
    return absl::NotFoundError(
        absl::StrCat("no module defines the entry function '", command_line.entry_function, "'"));
  }
  std::string error;
  const std::unique_ptr<llvm::ExecutionEngine> interpreter(
      llvm::EngineBuilder(std::move(module))
          .setEngineKind(llvm::EngineKind::Interpreter)
          .setErrorStr(&error)
          .create());
  if (interpreter == nullptr) {
    return absl::InternalError(absl::StrCat("creating LLVM's interpreter: ", error));
  }
  interpreter->runStaticConstructorsDestructors(/*isDtors=*/false);
  const int result = interpreter->runFunctionAsMain(entry, command_line.arguments, environ);
  interpreter->runStaticConstructorsDestructors(/*isDtors=*/true);
  return result;
}

}  // namespace firstcall
