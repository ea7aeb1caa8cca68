#include "backend/llvm/plain_target.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"

namespace firstcall {
namespace {

#if defined(__aarch64__)
constexpr char kCpu[] = "generic", kFeature[] = "lse", kObstacle[] = "+strict-align";
constexpr char kOtherSystem[] = "aarch64-unknown-freebsd";
#else
constexpr char kCpu[] = "x86-64", kFeature[] = "popcnt", kObstacle[] = "+retpoline";
constexpr char kOtherSystem[] = "x86_64-unknown-freebsd";
#endif

TargetSettings WithOptions(const llvm::TargetOptions& options) {
  TargetSettings settings;
  settings.target_options = std::make_shared<llvm::TargetOptions>(options);
  return settings;
}

// Whether the target is plain after `change` of LLVM's default options.
bool IsPlainAfter(const std::function<void(llvm::TargetOptions&)>& change) {
  llvm::TargetOptions options;
  change(options);
  return FindPlainTarget(WithOptions(options)).has_value();
}

TEST(PlainTargetTest, DefaultIsPlain) {
  EXPECT_TRUE(FindPlainTarget({}).has_value());
  EXPECT_TRUE(IsPlainAfter([](llvm::TargetOptions&) {}));
}

TEST(PlainTargetTest, WhatOrcsTargetMachineHasIsPlain) {
  llvm::InitializeNativeTarget();
  llvm::orc::JITTargetMachineBuilder builder{llvm::Triple(llvm::sys::getProcessTriple())};
  const std::unique_ptr<llvm::TargetMachine> machine =
      llvm::cantFail(builder.createTargetMachine());
  TargetSettings settings = WithOptions(machine->Options);
  settings.triple = machine->getTargetTriple().str();
  settings.cpu = "generic";
  const std::optional<Target> target = FindPlainTarget(settings);
  ASSERT_TRUE(target.has_value());
  EXPECT_TRUE(target->emulates_thread_locals());
}

TEST(PlainTargetTest, FeaturesAreThoseOfTheProcessorThatIsNamed) {
  TargetSettings settings;
  settings.cpu = kCpu;
  std::optional<Target> target = FindPlainTarget(settings);
  ASSERT_TRUE(target.has_value());
  EXPECT_TRUE(target->FeaturesAmong({kFeature}).empty());
  settings.features = absl::StrCat("+", kFeature);
  target = FindPlainTarget(settings);
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->FeaturesAmong({kFeature}).size(), 1u);
}

TEST(PlainTargetTest, OptionsThatMakeNoDifferenceMayHaveAnyValue) {
  EXPECT_TRUE(IsPlainAfter([](llvm::TargetOptions& options) {
    options.UseInitArray = true;
    options.FunctionSections = options.DataSections = true;
    options.UniqueSectionNames = false;
    options.TrapUnreachable = options.NoTrapAfterNoreturn = true;
    options.ExceptionModel = llvm::ExceptionHandling::DwarfCFI;
  }));
}

TEST(PlainTargetTest, OtherOptionsAreLlvms) {
  const std::function<void(llvm::TargetOptions&)> kChanges[] = {
      [](llvm::TargetOptions& options) { options.NoInfsFPMath = true; },
      [](llvm::TargetOptions& options) { options.NoNaNsFPMath = true; },
      [](llvm::TargetOptions& options) { options.NoTrappingFPMath = false; },
      [](llvm::TargetOptions& options) { options.NoSignedZerosFPMath = true; },
      [](llvm::TargetOptions& options) { options.HonorSignDependentRoundingFPMathOption = true; },
      [](llvm::TargetOptions& options) { options.AllowFPOpFusion = llvm::FPOpFusion::Fast; },
      [](llvm::TargetOptions& options) { options.FloatABIType = llvm::FloatABI::Soft; },
      [](llvm::TargetOptions& options) { options.ThreadModel = llvm::ThreadModel::Single; },
      [](llvm::TargetOptions& options) { options.GuaranteedTailCallOpt = true; },
      [](llvm::TargetOptions& options) { options.StackSymbolOrdering = false; },
      [](llvm::TargetOptions& options) { options.EmitStackSizeSection = true; },
      [](llvm::TargetOptions& options) { options.BBAddrMap = true; },
      [](llvm::TargetOptions& options) { options.JMCInstrument = true; },
      [](llvm::TargetOptions& options) { options.Hotpatch = true; },
      [](llvm::TargetOptions& options) { options.EnableIPRA = true; },
      [](llvm::TargetOptions& options) { options.NoZerosInBSS = true; },
      [](llvm::TargetOptions& options) { options.TLSSize = 32; },
      [](llvm::TargetOptions& options) { options.LoopAlignment = 32; },
      [](llvm::TargetOptions& options) { options.ExceptionModel = llvm::ExceptionHandling::SjLj; },
      [](llvm::TargetOptions& options) {
        options.SwiftAsyncFramePointer = llvm::SwiftAsyncFramePointerMode::Never;
      },
      [](llvm::TargetOptions& options) { options.MCOptions.X86RelaxRelocations = false; },
      [](llvm::TargetOptions& options) { options.EnableFastISel = true; },
  };
  int number = 0;
  for (const auto& change : kChanges) {
    EXPECT_FALSE(IsPlainAfter(change)) << number;
    ++number;
  }
}

TEST(PlainTargetTest, OtherSettingsAreLlvms) {
  const std::function<void(TargetSettings&)> kChanges[] = {
      [](TargetSettings& settings) { settings.triple = kOtherSystem; },
      [](TargetSettings& settings) { settings.triple = llvm::sys::getProcessTriple() + "-macho"; },
      [](TargetSettings& settings) { settings.triple = "wasm32-unknown-unknown"; },
      [](TargetSettings& settings) { settings.cpu = "no such processor"; },
      [](TargetSettings& settings) {
        settings.cpu = "generic";
        settings.features = kObstacle;
      },
      [](TargetSettings& settings) { settings.codegen_level = CodegenLevel::kO1; },
      [](TargetSettings& settings) { settings.relocation_model = RelocationModel::kStatic; },
      [](TargetSettings& settings) { settings.code_model = CodeModel::kLarge; },
      [](TargetSettings& settings) { settings.baseline = Baseline::kOff; },
      [](TargetSettings& settings) { settings.backend = Backend::kLlvm; },
      [](TargetSettings& settings) { settings.backend = Backend::kMcjit; },
      [](TargetSettings& settings) { settings.llvm_arguments = {"-fast-isel=0"}; },
  };
  int number = 0;
  for (const auto& change : kChanges) {
    TargetSettings settings;
    change(settings);
    EXPECT_FALSE(FindPlainTarget(settings).has_value()) << number;
    ++number;
  }
}

}  // namespace
}  // namespace firstcall
