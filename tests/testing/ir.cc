#include "tests/testing/ir.h"

#include "gtest/gtest.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace firstcall {
namespace {

llvm::StringRef ToLlvm(absl::string_view text) { return {text.data(), text.size()}; }

}  // namespace

std::unique_ptr<llvm::Module> ParseModule(absl::string_view text, llvm::LLVMContext& context,
                                          absl::string_view name) {
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module =
      llvm::parseAssembly(llvm::MemoryBufferRef(ToLlvm(text), ToLlvm(name)), error, context);
  std::string reason;
  llvm::raw_string_ostream stream(reason);
  if (module == nullptr) {
    error.print("ParseModule", stream, /*ShowColors=*/false);
    ADD_FAILURE() << reason;
    return nullptr;
  }
  if (llvm::verifyModule(*module, &stream)) {
    ADD_FAILURE() << "ParseModule: " << reason;
    return nullptr;
  }
  module->setModuleIdentifier(ToLlvm(name));
  return module;
}

std::string PrintModule(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

std::string ModuleToBitcode(const llvm::Module& module) {
  std::string bytes;
  llvm::raw_string_ostream stream(bytes);
  llvm::WriteBitcodeToFile(module, stream);
  return bytes;
}

std::string ParseToBitcode(absl::string_view text, absl::string_view name) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = ParseModule(text, context, name);
  return module == nullptr ? std::string() : ModuleToBitcode(*module);
}

}  // namespace firstcall
