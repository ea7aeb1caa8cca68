#include "backend/llvm/target.h"

#include <algorithm>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/synchronization/mutex.h"
#include "backend/feature_obstacles.h"
#include "backend/llvm/host_target.h"
#include "base/status.h"
#include "base/string_ref.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "object/machine.h"
#include "third_party/llvm/version/target_machine.h"
#include "third_party/llvm/version/target_options.h"
#include "third_party/llvm/version/triple.h"

namespace firstcall {
namespace {

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

// The features by which this CPU differs from the standard CPU of its name. Only these, because
// LLVM parses the whole string again for every function and every machine.
std::string HostFeatures(const llvm::Target& target, const llvm::Triple& triple,
                         llvm::StringRef cpu) {
  const std::unique_ptr<llvm::MCSubtargetInfo> usual(
      target.createMCSubtargetInfo(triple.str(), cpu, /*Features=*/""));
  llvm::StringMap<bool> has_usually;
  if (usual != nullptr) {
    for (const llvm::SubtargetFeatureKV& feature : usual->getAllProcessorFeatures()) {
      has_usually[feature.Key] = usual->getFeatureBits().test(feature.Value);
    }
  }
  llvm::SubtargetFeatures features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    auto usually = has_usually.find(feature.first());
    if (usually == has_usually.end() || usually->second != feature.second) {
      features.AddFeature(feature.first(), feature.second);
    }
  }
  return features.getString();
}

Machine MachineOf(const llvm::Triple& triple) {
  if (triple.getArch() == llvm::Triple::x86_64) return Machine::kX86_64;
  return triple.getArch() == llvm::Triple::aarch64 ? Machine::kAArch64 : Machine::kOther;
}

// Whether functions for the triple's operating system are called otherwise than those of this
// process. On x86-64, Windows has a convention of its own. On AArch64, so have Windows and the
// systems of Apple's, for variadic functions among others.
bool HasForeignConvention(const llvm::Triple& triple) {
  return triple.isOSWindows() || triple.isUEFI() || (triple.isAArch64() && triple.isOSDarwin());
}

// Whether this process, whose triple is `host`, can run what `target` (null if LLVM has none)
// generates for `triple`.
absl::Status CheckTriple(const llvm::Target* target, const std::string& architecture,
                         const llvm::Triple& triple, const llvm::Triple& host) {
  if (target != nullptr && !triple.isOSBinFormatELF() && !triple.isOSBinFormatMachO()) {
    return absl::InvalidArgumentError(
        absl::StrCat("choosing a target: '", triple.str(), "' asks for ",
                     llvm::Triple::getObjectFormatTypeName(triple.getObjectFormat()).str(),
                     " objects, and only those in the containers elf and macho can be linked"));
  }
  if (target == nullptr && !architecture.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("choosing a target: the architecture '", architecture,
                     "' is not what this process can run (", host.str(), ")"));
  }
  if (target == nullptr || triple.getArch() != host.getArch()) {
    return absl::InvalidArgumentError(absl::StrCat("choosing a target: '", triple.str(),
                                                   "' is not what this process can run (",
                                                   host.str(), ")"));
  }
  if (HasForeignConvention(triple)) {
    return absl::InvalidArgumentError(
        absl::StrCat("choosing a target: '", triple.str(), "' asks for the calling convention of ",
                     llvm::Triple::getOSTypeName(triple.getOS()).str(),
                     ", which is not that of this process (", host.str(), ")"));
  }
  return absl::OkStatus();
}

// What a data layout says of where data lies, in a fixed order. It also says how names are mangled,
// and which alignments are preferred to those that are required, which differ between the
// containers of objects.
std::vector<std::string> PlacesOf(llvm::StringRef layout) {
  // What holds if nothing is said.
  static constexpr llvm::StringLiteral kUsual[] = {"i1:8",   "i8:8",   "i16:16", "i32:32",
                                                   "f16:16", "f32:32", "f64:64", "f128:128"};
  llvm::SmallVector<llvm::StringRef, 16> words;
  layout.split(words, '-');
  std::vector<std::string> places;
  for (llvm::StringRef word : words) {
    if (word.starts_with("m:")) continue;
    // The size, the required alignment, the preferred one.
    const bool has_alignment =
        word.starts_with("i") || word.starts_with("f") || word.starts_with("v");
    if (has_alignment && word.count(':') == 2) word = word.rsplit(':').first;
    if (!llvm::is_contained(kUsual, word)) places.push_back(word.str());
  }
  std::sort(places.begin(), places.end());
  return places;
}

// LLVM ends the process for a model that an architecture does not have, and goes on with another
// CPU if it does not know one, after messages on standard error.
absl::Status CheckCodeModel(const llvm::Triple& triple, CodeModel model) {
  const bool is_there = triple.isAArch64()
                            ? model != CodeModel::kKernel && model != CodeModel::kMedium
                            : model != CodeModel::kTiny;
  if (is_there) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("choosing a target: '", triple.str(), "' does not have this code model"));
}

// The processors that were asked for features. LLVM reads all of a processor's features, as text,
// whenever it is told one, and a process may have many engines for the same one.
class Processors {
 public:
  // Null if LLVM does not know the processor.
  std::shared_ptr<const llvm::MCSubtargetInfo> Find(const llvm::Target& target,
                                                    const std::string& triple,
                                                    const std::string& cpu,
                                                    const std::string& features)
      ABSL_LOCKS_EXCLUDED(mutex_) {
    constexpr size_t kMost = 16;  // More than a process has targets.
    const std::string key = absl::StrCat(triple, "\n", cpu, "\n", features);
    {
      absl::MutexLock lock(&mutex_);
      const auto found = known_.find(key);
      if (found != known_.end()) return found->second;
    }
    std::shared_ptr<const llvm::MCSubtargetInfo> made(
        target.createMCSubtargetInfo(triple, cpu, features));
    absl::MutexLock lock(&mutex_);
    if (known_.size() < kMost) known_.emplace(key, made);
    return made;
  }

 private:
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, std::shared_ptr<const llvm::MCSubtargetInfo>> known_
      ABSL_GUARDED_BY(mutex_);
};

// Never destroyed, because threads may compile while the process exits.
Processors& AllProcessors() {
  static auto* const processors = new Processors;
  return *processors;
}

absl::Status CheckCpu(const llvm::Target& target, const llvm::Triple& triple,
                      const std::string& cpu) {
  const std::unique_ptr<llvm::MCSubtargetInfo> known(
      target.createMCSubtargetInfo(triple.str(), "", ""));
  // LLVM prints a list for "help".
  if (cpu == "help" || known == nullptr || known->isCPUStringValid(cpu)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("choosing a target: LLVM knows no CPU '", cpu, "' of '", triple.str(), "'"));
}

}  // namespace

absl::StatusOr<Target> Target::Create(const TargetSettings& settings) {
  InitializeHostTarget();
  Target target;
  const llvm::Triple host(llvm::sys::getProcessTriple());
  target.triple_ =
      settings.triple.empty() ? host : llvm::Triple(llvm::Triple::normalize(settings.triple));
  target.replaces_triples_ = !settings.triple.empty();
  std::string error;
  target.target_ = llvm::TargetRegistry::lookupTarget(settings.architecture, target.triple_, error);
  FIRSTCALL_RETURN_IF_ERROR(
      CheckTriple(target.target_, settings.architecture, target.triple_, host));
  target.cpu_ = settings.cpu == "native" ? llvm::sys::getHostCPUName().str() : settings.cpu;
  if (!target.cpu_.empty()) {
    FIRSTCALL_RETURN_IF_ERROR(CheckCpu(*target.target_, target.triple_, target.cpu_));
  }
  target.features_ = settings.features;
  if (settings.cpu.empty() && settings.features.empty()) {
    target.cpu_ = llvm::sys::getHostCPUName().str();
    target.features_ = HostFeatures(*target.target_, target.triple_, target.cpu_);
  }
  if (settings.target_options != nullptr) target.options_ = *settings.target_options;
  if (settings.relocation_model) target.relocation_model_ = ToLlvm(*settings.relocation_model);
  if (settings.code_model) {
    FIRSTCALL_RETURN_IF_ERROR(CheckCodeModel(target.triple_, *settings.code_model));
    target.code_model_ = ToLlvm(*settings.code_model);
  } else if (target.relocation_model_ != llvm::Reloc::PIC_) {
    // The small code model has absolute addresses of 31 bits; the arena's addresses are larger.
    target.code_model_ = llvm::CodeModel::Large;
  }
  if (target.relocation_model_ == llvm::Reloc::Static &&
      target.code_model_ == llvm::CodeModel::Small) {
    target.relocation_model_ = llvm::Reloc::PIC_;  // For the same reason.
  }
  // Code reaches thread-local variables by descriptors, which are for this project's linker.
  // MCJIT's linker has no thread-local variables, nor has this project's those of Mach-O, and LLVM
  // has descriptors in position-independent code of the small model only.
  target.options_.EnableTLSDESC = true;
  if (settings.backend == Backend::kMcjit || target.triple_.isOSBinFormatMachO() ||
      target.relocation_model_ != llvm::Reloc::PIC_ ||
      target.code_model_ != llvm::CodeModel::Small) {
    target.EmulateThreadLocals();
  }
  target.level_ = ToLlvm(settings.codegen_level);
  target.optnone_ = settings.optnone;
  target.debug_info_ = settings.debug_info;
  FIRSTCALL_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine, target.CreateMachine());
  const llvm::DataLayout layout = machine->createDataLayout();
  if (layout.getPointerSizeInBits() != 8 * sizeof(void*)) {
    return absl::InvalidArgumentError(absl::StrCat("choosing a target: '", target.triple_.str(),
                                                   "' asks for pointers of ",
                                                   layout.getPointerSizeInBits(), " bits"));
  }
  target.data_layout_ = layout.getStringRepresentation();
  target.backend_ = settings.backend;
  FIRSTCALL_ASSIGN_OR_RETURN(const Baseline baseline, BaselineOf(settings));
  if (baseline != Baseline::kOff) {
    const char* obstacle = target.ObstacleToBaseline(*machine);
    if (obstacle == nullptr) {
      target.baseline_ = {baseline, settings.baseline_has_few_registers};
    } else if (baseline == Baseline::kStrict) {
      return absl::InvalidArgumentError(absl::StrCat(
          "choosing a target: the baseline code generator does not support ", obstacle));
    }
  }
  return target;
}

const char* Target::ObstacleToBaseline(const llvm::TargetMachine& machine) const {
  const bool is_x86 = triple_.getArch() == llvm::Triple::x86_64 && !triple_.isX32();
  const bool is_aarch64 = triple_.getArch() == llvm::Triple::aarch64 &&
                          triple_.getEnvironment() != llvm::Triple::GNUILP32;
  if (!is_x86 && !is_aarch64) return "this architecture";
  if (level_ != llvm::CodeGenOptLevel::None) return "optimized code";
  if (relocation_model_ != llvm::Reloc::PIC_) return "this relocation model";
  if (code_model_ != llvm::CodeModel::Small) return "this code model";
  const bool has_other_exceptions = options_.ExceptionModel != llvm::ExceptionHandling::None &&
                                    options_.ExceptionModel != llvm::ExceptionHandling::DwarfCFI;
  if (has_other_exceptions || options_.GuaranteedTailCallOpt || options_.EnableFastISel ||
      options_.EnableGlobalISel || options_.FloatABIType == llvm::FloatABI::Soft ||
      options_.JMCInstrument || options_.Hotpatch) {
    return "these options of LLVM's code generator";
  }
  const llvm::MCSubtargetInfo& cpu = *machine.getMCSubtargetInfo();
  for (const std::string& feature : FeatureObstacles(MachineOf(triple_))) {
    if (cpu.checkFeatures(feature)) return "these features of the CPU";
  }
  return nullptr;
}

bool Target::HasObstacleToBaseline(const llvm::Function& function) const {
  if (function.getFnAttribute("use-soft-float").getValueAsBool()) return true;
  return HasFeatureObstacle(
      ToStringView(function.getFnAttribute("target-features").getValueAsString()),
      MachineOf(triple_));
}

std::vector<std::string> Target::FeaturesAmong(absl::Span<const char* const> names) const {
  const std::shared_ptr<const llvm::MCSubtargetInfo> cpu =
      AllProcessors().Find(*target_, triple_.str(), cpu_, features_);
  std::vector<std::string> features;
  for (const char* name : names) {
    if (cpu != nullptr && cpu->checkFeatures(absl::StrCat("+", name))) features.push_back(name);
  }
  return features;
}

Target Target::ThatOptimizes() const {
  Target better = *this;
  better.optimizes_ir_ = true;
  better.baseline_.functions = Baseline::kOff;
  better.level_ = std::max(level_, llvm::CodeGenOptLevel::Default);
  return better;
}

Target Target::ThatIsNotFast() const {
  Target slower = *this;
  slower.level_ = std::max(level_, llvm::CodeGenOptLevel::Less);
  return slower;
}

Target Target::ThatReplaces() const {
  Target better = ThatOptimizes();
  better.baseline_ = baseline_;
  return better;
}

llvm::TargetOptions Target::LlvmOptions() const {
  llvm::TargetOptions options = options_;
  // At -O0 branches keep their long form, because choosing the shortest takes longer than it saves.
  if (level_ == llvm::CodeGenOptLevel::None) options.MCOptions.MCRelaxAll = true;
  return options;
}

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> Target::CreateMachine() const {
  return CreateMachine(cpu_, features_);
}

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> Target::CreateMachineForLinking() const {
  // What is linked is always ELF.
  Target linking = *this;
  linking.triple_.setObjectFormat(llvm::Triple::ELF);
  return linking.CreateMachine(/*cpu=*/"", /*features=*/"");
}

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> Target::CreateMachine(
    const std::string& cpu, const std::string& features) const {
  std::unique_ptr<llvm::TargetMachine> machine = llvm_version::CreateJitMachine(
      *target_, triple_, cpu, features, LlvmOptions(), relocation_model_, code_model_, level_);
  if (machine == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("creating a target machine: LLVM refuses '", triple_.str(), "'"));
  }
  // In Mach-O for systems other than Apple's, LLVM 19 for x86-64 drops the labels at the ends of
  // calls that may throw (X86TargetLowering expands EH_LABEL), so no exception would be caught. It
  // keeps them with this model, for which it looks again. The model of the machine is decided; what
  // else changes is the name of a function (see MachoModule::TranslationOptions).
  if (triple_.getArch() == llvm::Triple::x86_64 && triple_.isOSBinFormatMachO() &&
      !triple_.isOSDarwin()) {
    machine->Options.ExceptionModel = llvm::ExceptionHandling::SjLj;
  }
  return machine;
}

absl::Status Target::Adopt(llvm::Module& module) const {
  if (llvm_version::TripleTextOf(module).empty() || replaces_triples_) {
    llvm_version::SetTriple(module, triple_);
  } else if (llvm::Triple theirs(module.getTargetTriple());
             theirs.getArch() != triple_.getArch() || theirs.getOS() != triple_.getOS() ||
             theirs.getObjectFormat() != triple_.getObjectFormat()) {
    return absl::InvalidArgumentError(absl::StrCat("its triple '", theirs.str(),
                                                   "' conflicts with the engine's target '",
                                                   triple_.str(), "'"));
  }
  const bool is_alike =
      replaces_triples_ && PlacesOf(module.getDataLayoutStr()) == PlacesOf(data_layout_);
  if (module.getDataLayoutStr().empty() || is_alike) {
    module.setDataLayout(data_layout_);
  } else if (module.getDataLayoutStr() != data_layout_) {
    return absl::InvalidArgumentError(absl::StrCat("its data layout '", module.getDataLayoutStr(),
                                                   "' conflicts with the engine's '", data_layout_,
                                                   "'"));
  }
  return absl::OkStatus();
}

std::string DescribeTargetOptions(const llvm::TargetOptions& options) {
  const unsigned settings[] = {
      static_cast<unsigned>(options.NoInfsFPMath),
      static_cast<unsigned>(options.NoNaNsFPMath),
      static_cast<unsigned>(options.NoTrappingFPMath),
      static_cast<unsigned>(options.NoSignedZerosFPMath),
      static_cast<unsigned>(options.HonorSignDependentRoundingFPMathOption),
      static_cast<unsigned>(options.NoZerosInBSS),
      static_cast<unsigned>(options.GuaranteedTailCallOpt),
      static_cast<unsigned>(options.StackSymbolOrdering),
      static_cast<unsigned>(options.EnableFastISel),
      static_cast<unsigned>(options.EnableGlobalISel),
      static_cast<unsigned>(options.UseInitArray),
      static_cast<unsigned>(options.DisableIntegratedAS),
      static_cast<unsigned>(options.FunctionSections),
      static_cast<unsigned>(options.DataSections),
      static_cast<unsigned>(options.UniqueSectionNames),
      static_cast<unsigned>(options.UniqueBasicBlockSectionNames),
      static_cast<unsigned>(options.SeparateNamedSections),
      static_cast<unsigned>(options.TrapUnreachable),
      static_cast<unsigned>(options.NoTrapAfterNoreturn),
      static_cast<unsigned>(options.TLSSize),
      static_cast<unsigned>(options.EmulatedTLS),
      static_cast<unsigned>(options.EnableTLSDESC),
      static_cast<unsigned>(options.EnableIPRA),
      static_cast<unsigned>(options.EmitStackSizeSection),
      static_cast<unsigned>(options.EnableMachineOutliner),
      static_cast<unsigned>(options.EnableMachineFunctionSplitter),
      static_cast<unsigned>(options.SupportsDefaultOutlining),
      static_cast<unsigned>(options.EmitAddrsig),
      static_cast<unsigned>(options.BBAddrMap),
      static_cast<unsigned>(options.EmitCallSiteInfo),
      static_cast<unsigned>(options.SupportsDebugEntryValues),
      static_cast<unsigned>(options.EnableDebugEntryValues),
      static_cast<unsigned>(options.ValueTrackingVariableLocations),
      static_cast<unsigned>(options.ForceDwarfFrameSection),
      static_cast<unsigned>(options.XRayFunctionIndex),
      static_cast<unsigned>(options.DebugStrictDwarf),
      static_cast<unsigned>(options.Hotpatch),
      static_cast<unsigned>(options.JMCInstrument),
      static_cast<unsigned>(options.EnableCFIFixup),
      static_cast<unsigned>(options.MisExpect),
      static_cast<unsigned>(options.LoopAlignment),
      static_cast<unsigned>(options.GlobalISelAbort),
      static_cast<unsigned>(options.SwiftAsyncFramePointer),
      static_cast<unsigned>(options.BBSections),
      static_cast<unsigned>(options.FloatABIType),
      static_cast<unsigned>(options.AllowFPOpFusion),
      static_cast<unsigned>(options.ThreadModel),
      static_cast<unsigned>(options.EABIVersion),
      static_cast<unsigned>(options.DebuggerTuning),
      static_cast<unsigned>(options.ExceptionModel),
      static_cast<unsigned>(options.MCOptions.MCRelaxAll),
      static_cast<unsigned>(options.MCOptions.MCNoExecStack),
      static_cast<unsigned>(options.MCOptions.Crel),
      static_cast<unsigned>(options.MCOptions.FDPIC),
      static_cast<unsigned>(options.MCOptions.Dwarf64),
      static_cast<unsigned>(options.MCOptions.X86RelaxRelocations),
      static_cast<unsigned>(options.MCOptions.X86Sse2Avx),
      static_cast<unsigned>(options.MCOptions.DwarfVersion),
      static_cast<unsigned>(options.MCOptions.EmitCompactUnwindNonCanonical),
      static_cast<unsigned>(options.MCOptions.EmitDwarfUnwind),
      static_cast<unsigned>(options.MCOptions.MCUseDwarfDirectory),
      static_cast<unsigned>(options.MCOptions.CompressDebugSections)};
  return absl::StrCat("abi=", options.MCOptions.ABIName,
                      " own=", llvm_version::DescribeOwnFields(options),
                      " settings=", absl::StrJoin(settings, "."));
}

}  // namespace firstcall
