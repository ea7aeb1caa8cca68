// Runs a program of which the baseline code generator compiles what it covers, and LLVM the rest:
//   run_program [--far] [--first=N] [--last=N] [--stats] [--names] [--compile-only] MODULE
//   ARGUMENT...
// The exit status is the program's. With --first and --last only the functions with these numbers
// are given to the baseline compiler: to find by bisection the one that it compiles wrongly.

#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>

#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/SourceMgr.h"
#include "tests/baseline/hybrid_program.h"

namespace firstcall::testing {
namespace {

void PrintStats(const HybridStats& stats) {
  std::cerr << stats.compiled_functions << " of " << stats.functions << " functions, "
            << stats.compiled_instructions << " of " << stats.instructions << " instructions, "
            << stats.code_bytes << " bytes of code\n";
  for (const auto& [refusal, counts] : stats.refused) {
    std::cerr << "  refused: " << baseline::RefusalName(refusal) << ": " << counts.first
              << " functions, " << counts.second << " instructions\n";
  }
}

int Run(int argc, char** argv) {
  HybridOptions options;
  bool prints_stats = false, prints_names = false, only_compiles = false;
  int i = 1;
  for (; i < argc && std::strncmp(argv[i], "--", 2) == 0; ++i) {
    const std::string option = argv[i];
    if (option == "--far") options.is_near = false;
    if (option == "--stats") prints_stats = true;
    if (option == "--names") prints_names = true;
    if (option == "--compile-only") only_compiles = true;
    if (option.rfind("--first=", 0) == 0) options.first_function = std::stoul(option.substr(8));
    if (option.rfind("--last=", 0) == 0) options.last_function = std::stoul(option.substr(7));
  }
  if (i == argc) return 2;
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(argv[i], diagnostic, context);
  if (module == nullptr) {
    std::cerr << diagnostic.getMessage().str() << "\n";
    return 2;
  }
  llvm::StripDebugInfo(*module);
  auto program = HybridProgram::Create(std::move(module), options);
  if (!program.ok()) {
    std::cerr << program.status() << "\n";
    return 2;
  }
  if (prints_stats) PrintStats((*program)->stats());
  if (prints_names) {
    for (const std::string& name : (*program)->stats().names) std::cerr << name << "\n";
  }
  if (only_compiles) return 0;
  (*program)->RunConstructors();
  auto* entry = (*program)->Address<int(int, char**, char**)>("main");
  std::exit(entry(argc - i, argv + i, environ));
}

}  // namespace
}  // namespace firstcall::testing

int main(int argc, char** argv) { return firstcall::testing::Run(argc, argv); }
