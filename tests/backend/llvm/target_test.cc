#include "backend/llvm/target.h"

#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/SubtargetFeature.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"
#include "third_party/llvm/version/triple.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

#if defined(__aarch64__)
constexpr char kArchitecture[] = "aarch64";
constexpr char kCpu[] = "cortex-a53", kFeature[] = "+lse", kOtherFeature[] = "+sve";
#else
constexpr char kArchitecture[] = "x86_64";
constexpr char kCpu[] = "x86-64", kFeature[] = "+avx2", kOtherFeature[] = "+avx512f";
#endif

std::unique_ptr<llvm::TargetMachine> MachineOf(const EngineOptions& options) {
  return MakeTarget(options).CreateMachine().value();
}

TEST(TargetTest, DefaultIsThisMachine) {
  const auto machine = MachineOf({});
  EXPECT_EQ(machine->getTargetTriple().str(),
            llvm::Triple::normalize(llvm::sys::getProcessTriple()));
  EXPECT_EQ(machine->getTargetCPU(), llvm::sys::getHostCPUName());
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    const std::string name = feature.first().str();
    EXPECT_EQ(machine->getMCSubtargetInfo()->checkFeatures("+" + name), feature.second) << name;
  }
}

// Every function makes LLVM read them again.
TEST(TargetTest, DefaultNamesOnlyFeaturesInWhichThisCpuIsUnlikeOthersOfItsName) {
  EngineOptions usual;
  usual.cpu = llvm::sys::getHostCPUName().str();
  const auto usual_machine = MachineOf(usual);
  const auto machine = MachineOf({});
  const llvm::SubtargetFeatures named(machine->getTargetFeatureString());
  for (const std::string& feature : named.getFeatures()) {
    EXPECT_NE(usual_machine->getMCSubtargetInfo()->checkFeatures("+" + feature.substr(1)),
              feature[0] == '+')
        << feature << " says nothing new";
  }
}

TEST(TargetTest, ChosenCpuHasOnlyItsOwnAndTheChosenFeatures) {
  EngineOptions options;
  options.cpu = kCpu;
  options.features = kFeature;
  const auto machine = MachineOf(options);
  EXPECT_EQ(machine->getTargetCPU(), kCpu);
  EXPECT_TRUE(machine->getMCSubtargetInfo()->checkFeatures(kFeature));
  EXPECT_FALSE(machine->getMCSubtargetInfo()->checkFeatures(kOtherFeature));
}

TEST(TargetTest, CodeIsPositionIndependentAndSmallUnlessToldOtherwise) {
  const auto machine = MachineOf({});
  EXPECT_EQ(machine->getRelocationModel(), llvm::Reloc::PIC_);
  EXPECT_EQ(machine->getCodeModel(), llvm::CodeModel::Small);
  EngineOptions large;
  large.code_model = CodeModel::kLarge;
  EXPECT_EQ(MachineOf(large)->getCodeModel(), llvm::CodeModel::Large);
}

// Descriptors need this project's linker, and the small code model.
TEST(TargetTest, ThreadLocalVariablesAreEmulatedWhereTheyCannotHaveDescriptors) {
  EXPECT_FALSE(MachineOf({})->useEmulatedTLS());
  EngineOptions large, mcjit, fixed, macho, client;
  large.code_model = CodeModel::kLarge;
  mcjit.backend = Backend::kMcjit;
  fixed.relocation_model = RelocationModel::kStatic;
  macho.triple = llvm::sys::getProcessTriple() + "-macho";
  llvm::TargetOptions options;
  options.EmulatedTLS = true;
  client.target_options = std::make_shared<llvm::TargetOptions>(options);
  for (const EngineOptions& with : {large, mcjit, fixed, macho, client}) {
    EXPECT_TRUE(MachineOf(with)->useEmulatedTLS());
  }
}

// Absolute addresses of 31 bits cannot name what lies in an arena.
TEST(TargetTest, StaticCodeReachesTheArena) {
  EngineOptions options;
  options.relocation_model = RelocationModel::kStatic;
  const auto machine = MachineOf(options);
  EXPECT_TRUE(machine->getRelocationModel() == llvm::Reloc::PIC_ ||
              machine->getCodeModel() == llvm::CodeModel::Large);
  options.code_model = CodeModel::kSmall;
  EXPECT_EQ(MachineOf(options)->getRelocationModel(), llvm::Reloc::PIC_);
}

TEST(TargetTest, LevelsAreLlvms) {
  const std::pair<CodegenLevel, llvm::CodeGenOptLevel> kLevels[] = {
      {CodegenLevel::kO0, llvm::CodeGenOptLevel::None},
      {CodegenLevel::kO1, llvm::CodeGenOptLevel::Less},
      {CodegenLevel::kO2, llvm::CodeGenOptLevel::Default},
      {CodegenLevel::kO3, llvm::CodeGenOptLevel::Aggressive}};
  for (const auto& [ours, theirs] : kLevels) {
    EngineOptions options;
    options.codegen_level = ours;
    EXPECT_EQ(MachineOf(options)->getOptLevel(), theirs);
  }
}

TEST(TargetTest, OtherMachinesAreRefusedByName) {
  for (const char* triple : {"wasm32-unknown-unknown", "riscv64-unknown-linux-gnu", "nonsense"}) {
    EngineOptions options;
    options.triple = triple;
    EXPECT_THAT(Target::Create(options),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         AllOf(HasSubstr("choosing a target: '"), HasSubstr(triple),
                               HasSubstr("is not what this process can run (" +
                                         llvm::sys::getProcessTriple()))))
        << triple;
  }
}

TEST(TargetTest, ContainerIsThatOfTheTriple) {
  EngineOptions options;
  for (const char* system : {"-unknown-linux-gnu-elf", "-unknown-linux-gnu-macho",
                             "-unknown-freebsd-elf", "-unknown-openbsd", "-unknown-none-elf"}) {
    options.triple = absl::StrCat(kArchitecture, system);
    const auto machine = MachineOf(options);
    EXPECT_EQ(machine->getTargetTriple().isOSBinFormatMachO(), absl::StrContains(system, "macho"))
        << system;
    // What is linked is always ELF.
    EXPECT_TRUE(MakeTarget(options)
                    .CreateMachineForLinking()
                    .value()
                    ->getTargetTriple()
                    .isOSBinFormatELF());
  }
}

TEST(TargetTest, OtherContainersAndConventionsAreRefusedByName) {
  const auto refusal = [](absl::string_view system) {
    EngineOptions options;
    options.triple = absl::StrCat(kArchitecture, system);
    return Target::Create(options).status();
  };
  EXPECT_THAT(refusal("-unknown-linux-gnu-coff"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("asks for coff objects, and only those in the containers elf and "
                                 "macho can be linked")));
  EXPECT_THAT(refusal("-pc-windows-msvc"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("asks for coff objects")));
  for (const char* container : {"elf", "macho"}) {
    EXPECT_THAT(refusal(absl::StrCat("-pc-windows-", container)),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("asks for the calling convention of windows, which is not that "
                                   "of this process")));
  }
#if defined(__aarch64__)
  EXPECT_THAT(refusal("-apple-macosx"), StatusIs(absl::StatusCode::kInvalidArgument,
                                                 HasSubstr("asks for the calling convention of")));
#else
  EXPECT_THAT(refusal("-apple-macosx"), IsOk());
  EXPECT_THAT(refusal("-apple-darwin-elf"), IsOk());
  EXPECT_THAT(
      refusal("-unknown-linux-gnux32"),
      StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("asks for pointers of 32 bits")));
#endif
}

TEST(TargetTest, FunctionsNameObstaclesToTheBaselineThemselves) {
  const Target target = MakeTarget({});
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), /*isVarArg=*/false);
  const auto has_obstacle = [&](const std::string& attribute, const std::string& value) {
    auto* function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "f", &module);
    function->addFnAttr(attribute, value);
    return target.HasObstacleToBaseline(*function);
  };
  EXPECT_FALSE(has_obstacle("target-features", std::string(kFeature) + "," + kOtherFeature));
  EXPECT_FALSE(has_obstacle("use-soft-float", "false"));
  EXPECT_TRUE(has_obstacle("use-soft-float", "true"));
#if defined(__aarch64__)
  EXPECT_TRUE(has_obstacle("target-features", "+lse,+reserve-x20"));
#else
  EXPECT_TRUE(has_obstacle("target-features", "+cx8,+retpoline-indirect-calls,+mmx"));
  EXPECT_TRUE(has_obstacle("target-features", "-sse2"));
#endif
}

TEST(TargetTest, UnknownArchitectureIsRefused) {
  EngineOptions options;
  options.architecture = "nonsense";
  EXPECT_THAT(Target::Create(options), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST(TargetTest, UnknownCpuIsRefused) {
  EngineOptions options;
  options.cpu = "nonsense";
  EXPECT_THAT(Target::Create(options),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("no CPU 'nonsense'")));
  options.cpu = "native";
  const auto cpu_of = [](const EngineOptions& chosen) {
    return Target::Create(chosen).value().CreateMachine().value()->getTargetCPU().str();
  };
  EXPECT_EQ(cpu_of(options), cpu_of(EngineOptions()));
}

// LLVM would end the process.
TEST(TargetTest, CodeModelsThatAnArchitectureDoesNotHaveAreRefused) {
  for (const CodeModel model : {CodeModel::kTiny, CodeModel::kSmall, CodeModel::kKernel,
                                CodeModel::kMedium, CodeModel::kLarge}) {
    EngineOptions options;
    options.code_model = model;
    options.relocation_model = RelocationModel::kPic;
    const absl::StatusOr<Target> target = Target::Create(options);
#if defined(__aarch64__)
    const bool is_there = model != CodeModel::kKernel && model != CodeModel::kMedium;
#else
    const bool is_there = model != CodeModel::kTiny;
#endif
    if (is_there) {
      EXPECT_THAT(target, IsOk());
    } else {
      EXPECT_THAT(target, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("code model")));
    }
  }
}

class TargetAdoptTest : public testing::Test {
 protected:
  const Target target_ = MakeTarget();
  llvm::LLVMContext context_;
  llvm::Module module_{"test", context_};
};

TEST_F(TargetAdoptTest, GivesTripleAndLayoutToAModuleWithout) {
  EXPECT_THAT(target_.Adopt(module_), IsOk());
  EXPECT_EQ(llvm_version::TripleTextOf(module_), target_.triple().str());
  EXPECT_EQ(module_.getDataLayout(), target_.CreateMachine().value()->createDataLayout());
  EXPECT_THAT(target_.Adopt(module_), IsOk());  // Its own are not in conflict.
}

TEST_F(TargetAdoptTest, VendorsMayDiffer) {
  const std::string triple = kArchitecture + std::string("-redhat-linux-gnu");
  llvm_version::SetTriple(module_, triple);
  EXPECT_THAT(target_.Adopt(module_), IsOk());
  EXPECT_EQ(llvm_version::TripleTextOf(module_), triple);
}

TEST_F(TargetAdoptTest, OtherTripleIsRefusedWithBoth) {
  const std::string architecture = kArchitecture;
  for (const std::string& triple :
       {std::string("riscv64-unknown-linux-gnu"), architecture + "-pc-windows-msvc",
        architecture + "-apple-macosx"}) {
    llvm_version::SetTriple(module_, triple);
    EXPECT_THAT(target_.Adopt(module_),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         "its triple '" + triple + "' conflicts with the engine's target '" +
                             target_.triple().str() + "'"));
  }
}

// As the option -mtriple of LLVM's tools.
TEST_F(TargetAdoptTest, TripleOfTheSettingsReplacesThatOfAModule) {
  EngineOptions options;
  options.triple = kArchitecture + std::string("-unknown-linux-gnu-macho");
  const Target macho = MakeTarget(options);
  ASSERT_THAT(target_.Adopt(module_), IsOk());
  const std::string elf_layout = module_.getDataLayoutStr();
  EXPECT_THAT(macho.Adopt(module_), IsOk());
  EXPECT_EQ(llvm_version::TripleTextOf(module_), options.triple);
  EXPECT_EQ(module_.getDataLayout(), macho.CreateMachine().value()->createDataLayout());
  EXPECT_NE(module_.getDataLayoutStr(), elf_layout);  // Names are mangled in another way.

  llvm_version::SetTriple(module_, "powerpc64-unknown-linux-gnu");
  EXPECT_THAT(macho.Adopt(module_), IsOk());
  EXPECT_EQ(llvm_version::TripleTextOf(module_), options.triple);
  for (const std::string& layout : {elf_layout + "-i64:32", elf_layout + "-p:32:32",
                                    "E" + elf_layout.substr(1), elf_layout + "-A5"}) {
    module_.setDataLayout(layout);
    EXPECT_THAT(macho.Adopt(module_),
                StatusIs(absl::StatusCode::kInvalidArgument,
                         HasSubstr("its data layout '" + layout + "' conflicts")));
  }
}

TEST_F(TargetAdoptTest, OtherDataLayoutIsRefusedWithBoth) {
  module_.setDataLayout("e-p:32:32");
  EXPECT_THAT(
      target_.Adopt(module_),
      StatusIs(
          absl::StatusCode::kInvalidArgument,
          AllOf(
              HasSubstr("its data layout 'e-p:32:32' conflicts with the engine's '"),
              HasSubstr(
                  target_.CreateMachine().value()->createDataLayout().getStringRepresentation()))));
}

}  // namespace
}  // namespace firstcall
