// Step 2: prints the LLVM IR of a program.

#include <memory>
#include <string>

#include "docs/tutorial/cc/generator.h"
#include "docs/tutorial/cc/host.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char** argv) {
  llvm::LLVMContext context;
  absl::StatusOr<std::unique_ptr<llvm::Module>> module;
  const absl::StatusOr<pebble::Program> program = pebble::ReadProgram(argc > 1 ? argv[1] : "");
  module = program.ok() ? pebble::Generate(*program, context) : program.status();
  if (!module.ok()) {
    llvm::errs() << std::string(module.status().message()) << "\n";
    return 1;
  }
  (*module)->print(llvm::outs(), nullptr);
}
