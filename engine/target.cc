#include "engine/target.h"

#include <mutex>  // std::call_once
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"

namespace firstcall {
namespace {

void InitializeTargets() {
  static std::once_flag once;
  std::call_once(once, [] {
#if defined(__x86_64__)
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
#elif defined(__aarch64__)
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
    LLVMInitializeAArch64AsmParser();
#endif
  });
}

llvm::Reloc::Model ToLlvm(RelocationModel model) {
  switch (model) {
    case RelocationModel::kPic:
      return llvm::Reloc::PIC_;
    case RelocationModel::kStatic:
      return llvm::Reloc::Static;
    case RelocationModel::kDynamicNoPic:
      return llvm::Reloc::DynamicNoPIC;
    case RelocationModel::kRopi:
      return llvm::Reloc::ROPI;
    case RelocationModel::kRwpi:
      return llvm::Reloc::RWPI;
    case RelocationModel::kRopiRwpi:
      break;
  }
  return llvm::Reloc::ROPI_RWPI;
}

llvm::CodeModel::Model ToLlvm(CodeModel model) {
  switch (model) {
    case CodeModel::kTiny:
      return llvm::CodeModel::Tiny;
    case CodeModel::kSmall:
      return llvm::CodeModel::Small;
    case CodeModel::kKernel:
      return llvm::CodeModel::Kernel;
    case CodeModel::kMedium:
      return llvm::CodeModel::Medium;
    case CodeModel::kLarge:
      break;
  }
  return llvm::CodeModel::Large;
}

llvm::CodeGenOptLevel ToLlvm(CodegenLevel level) {
  switch (level) {
    case CodegenLevel::kO0:
      return llvm::CodeGenOptLevel::None;
    case CodegenLevel::kO1:
      return llvm::CodeGenOptLevel::Less;
    case CodegenLevel::kO2:
      return llvm::CodeGenOptLevel::Default;
    case CodegenLevel::kO3:
      break;
  }
  return llvm::CodeGenOptLevel::Aggressive;
}

// What this CPU has or lacks in comparison with others of its name. Only the differences, because
// LLVM looks at the whole string again for every function and every machine it makes.
std::string HostFeatures(const llvm::Target& target, const llvm::Triple& triple,
                         llvm::StringRef cpu) {
  const std::unique_ptr<llvm::MCSubtargetInfo> usual(
      target.createMCSubtargetInfo(triple.str(), cpu, /*Features=*/""));
  llvm::SubtargetFeatures features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    // Asked about "-feature", it would say no because of the features that this one implies.
    if (usual == nullptr || usual->checkFeatures("+" + feature.first().str()) != feature.second) {
      features.AddFeature(feature.first(), feature.second);
    }
  }
  return features.getString();
}

}  // namespace

absl::StatusOr<Target> Target::Create(const EngineOptions& options) {
  InitializeTargets();
  Target target;
  const llvm::Triple host(llvm::sys::getProcessTriple());
  target.triple_ =
      options.triple.empty() ? host : llvm::Triple(llvm::Triple::normalize(options.triple));
  std::string error;
  target.target_ = llvm::TargetRegistry::lookupTarget(options.architecture, target.triple_, error);
  if (target.target_ == nullptr || target.triple_.getArch() != host.getArch() ||
      !target.triple_.isOSBinFormatELF()) {
    return absl::InvalidArgumentError(absl::StrCat("choosing a target: '", target.triple_.str(),
                                                   "' is not what this process can run (",
                                                   host.str(), ")"));
  }
  target.cpu_ = options.cpu;
  target.features_ = options.features;
  if (options.cpu.empty() && options.features.empty()) {
    target.cpu_ = llvm::sys::getHostCPUName().str();
    target.features_ = HostFeatures(*target.target_, target.triple_, target.cpu_);
  }
  if (options.target_options != nullptr) target.options_ = *options.target_options;
  // Thread-local variables go through __emutls_get_address: MCJIT's linker cannot give a module a
  // TLS block of its own.
  target.options_.EmulatedTLS = true;
  if (options.relocation_model) target.relocation_model_ = ToLlvm(*options.relocation_model);
  if (options.code_model) {
    target.code_model_ = ToLlvm(*options.code_model);
  } else if (target.relocation_model_ != llvm::Reloc::PIC_) {
    // Absolute addresses of the small code model have 31 bits; the arena's have more.
    target.code_model_ = llvm::CodeModel::Large;
  }
  if (target.relocation_model_ == llvm::Reloc::Static &&
      target.code_model_ == llvm::CodeModel::Small) {
    target.relocation_model_ = llvm::Reloc::PIC_;  // For the same reason.
  }
  target.level_ = ToLlvm(options.codegen_level);
  // At -O0 branches keep their long form: choosing the shortest takes longer than it saves.
  if (options.codegen_level == CodegenLevel::kO0) target.options_.MCOptions.MCRelaxAll = true;
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine, target.CreateMachine());
  target.data_layout_ = machine->createDataLayout().getStringRepresentation();
  return target;
}

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> Target::CreateMachine() const {
  std::unique_ptr<llvm::TargetMachine> machine(
      target_->createTargetMachine(triple_.str(), cpu_, features_, options_, relocation_model_,
                                   code_model_, level_, /*JIT=*/true));
  if (machine == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("creating a target machine: LLVM refuses '", triple_.str(), "'"));
  }
  return machine;
}

absl::Status Target::Adopt(llvm::Module& module) const {
  if (module.getTargetTriple().empty()) {
    module.setTargetTriple(triple_.str());
  } else if (llvm::Triple theirs(module.getTargetTriple());
             theirs.getArch() != triple_.getArch() || theirs.getOS() != triple_.getOS() ||
             theirs.getObjectFormat() != triple_.getObjectFormat()) {
    return absl::InvalidArgumentError(absl::StrCat("its triple '", theirs.str(),
                                                   "' conflicts with the engine's target '",
                                                   triple_.str(), "'"));
  }
  if (module.getDataLayoutStr().empty()) {
    module.setDataLayout(data_layout_);
  } else if (module.getDataLayoutStr() != data_layout_) {
    return absl::InvalidArgumentError(absl::StrCat("its data layout '", module.getDataLayoutStr(),
                                                   "' conflicts with the engine's '", data_layout_,
                                                   "'"));
  }
  return absl::OkStatus();
}

}  // namespace firstcall
