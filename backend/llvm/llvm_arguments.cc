#include "backend/llvm/llvm_arguments.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/base/attributes.h"
#include "absl/strings/ascii.h"
#include "absl/synchronization/mutex.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/CodeGen/CommandFlags.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Triple.h"

namespace firstcall {
namespace {

RelocationModel FromLlvm(llvm::Reloc::Model model) {
  switch (model) {
    case llvm::Reloc::Static:
      return RelocationModel::kStatic;
    case llvm::Reloc::PIC_:
      return RelocationModel::kPic;
    case llvm::Reloc::DynamicNoPIC:
      return RelocationModel::kDynamicNoPic;
    case llvm::Reloc::ROPI:
      return RelocationModel::kRopi;
    case llvm::Reloc::RWPI:
      return RelocationModel::kRwpi;
    case llvm::Reloc::ROPI_RWPI:
      break;
  }
  return RelocationModel::kRopiRwpi;
}

CodeModel FromLlvm(llvm::CodeModel::Model model) {
  switch (model) {
    case llvm::CodeModel::Tiny:
      return CodeModel::kTiny;
    case llvm::CodeModel::Small:
      return CodeModel::kSmall;
    case llvm::CodeModel::Kernel:
      return CodeModel::kKernel;
    case llvm::CodeModel::Medium:
      return CodeModel::kMedium;
    case llvm::CodeModel::Large:
      break;
  }
  return CodeModel::kLarge;
}

}  // namespace

void RegisterTargetOptions() { static const llvm::codegen::RegisterCodeGenFlags flags; }

absl::Status ApplyLlvmArguments(TargetSettings& settings) {
  if (settings.llvm_arguments.empty()) return absl::OkStatus();
  ABSL_CONST_INIT static absl::Mutex mutex(absl::kConstInit);
  absl::MutexLock lock(&mutex);
  RegisterTargetOptions();
  std::vector<const char*> arguments = {"firstcall"};
  for (const std::string& argument : settings.llvm_arguments) arguments.push_back(argument.c_str());
  // An option may have been given before, to the program or to another engine.
  const auto& options = llvm::cl::getRegisteredOptions();
  for (llvm::StringRef argument : settings.llvm_arguments) {
    auto option = options.find(argument.ltrim('-').split('=').first);
    if (argument.starts_with("-") && option != options.end()) option->second->reset();
  }
  std::string message;
  llvm::raw_string_ostream errors(message);
  if (!llvm::cl::ParseCommandLineOptions(static_cast<int>(arguments.size()), arguments.data(),
                                         /*Overview=*/"", &errors)) {
    return absl::InvalidArgumentError(absl::StripAsciiWhitespace(message));
  }
  if (settings.architecture.empty()) settings.architecture = llvm::codegen::getMArch();
  if (settings.cpu.empty() && settings.features.empty()) {
    settings.cpu = llvm::codegen::getCPUStr();
    settings.features = llvm::codegen::getFeaturesStr();
  }
  if (auto model = llvm::codegen::getExplicitRelocModel(); model && !settings.relocation_model) {
    settings.relocation_model = FromLlvm(*model);
  }
  if (auto model = llvm::codegen::getExplicitCodeModel(); model && !settings.code_model) {
    settings.code_model = FromLlvm(*model);
  }
  if (settings.target_options == nullptr) {
    settings.target_options = std::make_shared<llvm::TargetOptions>(
        llvm::codegen::InitTargetOptionsFromCodeGenFlags(llvm::Triple(settings.triple)));
  }
  return absl::OkStatus();
}

}  // namespace firstcall
