// Runs programs of bitcode, or of IR's text, by LLJIT: with firstcall's compile function, also with
// its lazy layer, or with LLVM's own compile function.
//
//   run_program [--llvm] [--lazy] [--promote-all] [--rtdyld] [--threads=N] [--level=N]
//   [--native-tls]
//       [--stats] MODULE,... ARGUMENT...

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "clients/orc/orc_compiler.h"
#include "clients/orc/orc_lazy_layer.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "tests/clients/orc/runtime_dyld.h"

namespace firstcall {
namespace {

struct Settings {
  bool uses_llvm = false;
  bool is_lazy = false;
  bool promotes_all = false;
  bool uses_rtdyld = false;
  bool has_native_thread_locals = false;
  bool prints_statistics = false;
  unsigned threads = 0;
  int level = 0;
  std::vector<std::string> modules;
  std::vector<std::string> arguments;
};

Settings Read(int argc, char** argv) {
  Settings settings;
  int i = 1;
  for (; i < argc && argv[i][0] == '-'; ++i) {
    absl::string_view option = argv[i];
    if (option == "--llvm") settings.uses_llvm = true;
    if (option == "--lazy") settings.is_lazy = true;
    if (option == "--promote-all") settings.promotes_all = true;
    if (option == "--rtdyld") settings.uses_rtdyld = true;
    if (option == "--native-tls") settings.has_native_thread_locals = true;
    if (option == "--stats") settings.prints_statistics = true;
    if (absl::ConsumePrefix(&option, "--threads="))
      (void)absl::SimpleAtoi(option, &settings.threads);
    if (absl::ConsumePrefix(&option, "--level=")) (void)absl::SimpleAtoi(option, &settings.level);
  }
  if (i < argc) settings.modules = absl::StrSplit(argv[i], ',');
  for (; i < argc; ++i) settings.arguments.emplace_back(argv[i]);
  return settings;
}

template <typename Value>
Value Check(llvm::Expected<Value> value) {
  if (value) return std::move(*value);
  std::fprintf(stderr, "run_program: %s\n", llvm::toString(value.takeError()).c_str());
  std::exit(125);
}

void Check(llvm::Error error) {
  if (!error) return;
  std::fprintf(stderr, "run_program: %s\n", llvm::toString(std::move(error)).c_str());
  std::exit(125);
}

int Run(const Settings& settings) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  llvm::orc::LLJITBuilder builder;
  llvm::orc::JITTargetMachineBuilder target =
      Check(llvm::orc::JITTargetMachineBuilder::detectHost());
  target.setCodeGenOptLevel(static_cast<llvm::CodeGenOptLevel>(settings.level));
  if (settings.has_native_thread_locals) target.getOptions().EmulatedTLS = false;
  builder.setJITTargetMachineBuilder(target);
  builder.setNumCompileThreads(settings.threads);
  if (!settings.uses_llvm) builder.setCompileFunctionCreator(OrcCompileFunctionCreator());
  if (settings.uses_rtdyld) {
    LinkByRuntimeDyld(builder);
  }
  std::unique_ptr<llvm::orc::LLJIT> jit = Check(builder.create());
  std::unique_ptr<OrcLazyLayer> layer;
  if (settings.is_lazy) {
    OrcLazyLayerOptions options;
    if (settings.promotes_all) options.engine.promotion.threshold = 1;
    layer = Check(OrcLazyLayer::Create(*jit, target, std::move(options)));
  }
  for (const std::string& path : settings.modules) {
    auto context = std::make_unique<llvm::LLVMContext>();
    llvm::SMDiagnostic diagnostic;
    std::unique_ptr<llvm::Module> module = llvm::parseIRFile(path, diagnostic, *context);
    if (module == nullptr) {
      diagnostic.print("run_program", llvm::errs());
      return 125;
    }
    llvm::orc::ThreadSafeModule added(std::move(module), std::move(context));
    if (layer != nullptr) {
      Check(layer->add(jit->getMainJITDylib(), std::move(added)));
    } else {
      Check(jit->addIRModule(std::move(added)));
    }
  }
  Check(jit->initialize(jit->getMainJITDylib()));
  using Main = int(int, char**);
  auto* const main = Check(jit->lookup("main")).toPtr<Main*>();
  std::vector<char*> arguments;
  for (const std::string& argument : settings.arguments) {
    arguments.push_back(const_cast<char*>(argument.c_str()));
  }
  arguments.push_back(nullptr);
  const int result = main(static_cast<int>(arguments.size() - 1), arguments.data());
  Check(jit->deinitialize(jit->getMainJITDylib()));
  std::fflush(stdout);
  if (settings.prints_statistics) {
    std::fprintf(stderr, "%s", OrcStatisticsText().c_str());
    if (layer != nullptr) std::fprintf(stderr, "%s", layer->engine().stats().ToString().c_str());
  }
  return result;
}

}  // namespace
}  // namespace firstcall

int main(int argc, char** argv) { return firstcall::Run(firstcall::Read(argc, argv)); }
