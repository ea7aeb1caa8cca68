// Options are compared by the text that has all of LLVM's options that can change code, as the
// object cache compares them. So an option that a later version of LLVM adds is one that LLVM has
// to be asked for, until somebody has looked at it here.

#include "backend/llvm/plain_target.h"

#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"

namespace firstcall {
namespace {

// Whether `triple` is this process's, but for the vendor, which makes no code different.
bool IsOfThisSystem(const llvm::Triple& triple) {
  const llvm::Triple own(llvm::sys::getProcessTriple());
  return triple.getArch() == own.getArch() && triple.getSubArch() == own.getSubArch() &&
         triple.getOS() == own.getOS() && triple.getEnvironment() == own.getEnvironment() &&
         triple.getObjectFormat() == own.getObjectFormat();
}

// The options of `target`, as a machine that is made for it has them. Machines change some, for any
// processor in the same way.
std::optional<llvm::TargetOptions> OptionsOf(const Target& target) {
  absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> machine = target.CreateMachineForLinking();
  if (!machine.ok()) return std::nullopt;
  return (*machine)->Options;
}

// Whether first bodies that the baseline code generator makes with `options` and with `usual` are
// the same, apart from thread-local variables.
bool AreAsUsual(llvm::TargetOptions options, const llvm::TargetOptions& usual) {
  options.EmulatedTLS = usual.EmulatedTLS;  // The target says this.
  // First bodies trap at `unreachable`, whatever these two say.
  options.TrapUnreachable = usual.TrapUnreachable;
  options.NoTrapAfterNoreturn = usual.NoTrapAfterNoreturn;
  // The engine finds constructors in the module's lists.
  options.UseInitArray = usual.UseInitArray;
  // The objects of first bodies are linked by this project's linker, which needs no particular
  // sections.
  options.FunctionSections = usual.FunctionSections;
  options.DataSections = usual.DataSections;
  options.UniqueSectionNames = usual.UniqueSectionNames;
  // DwarfCFI, as the default, means tables for unwinding, which the baseline code generator writes.
  if (options.ExceptionModel == llvm::ExceptionHandling::DwarfCFI) {
    options.ExceptionModel = usual.ExceptionModel;
  }
  return DescribeTargetOptions(options) == DescribeTargetOptions(usual);
}

}  // namespace

std::optional<Target> FindPlainTarget(const TargetSettings& settings) {
  if (settings.codegen_level != CodegenLevel::kO0 || !settings.llvm_arguments.empty()) {
    return std::nullopt;
  }
  absl::StatusOr<Target> target = Target::Create(settings);
  if (!target.ok() || target->baseline() == Baseline::kOff || !IsOfThisSystem(target->triple())) {
    return std::nullopt;
  }
  if (settings.target_options == nullptr) return *std::move(target);
  TargetSettings without_options = settings;
  without_options.target_options = nullptr;
  without_options.cpu = "generic";  // LLVM takes long to read many features.
  without_options.features.clear();
  const absl::StatusOr<Target> usual = Target::Create(without_options);
  if (!usual.ok()) return std::nullopt;
  std::optional<llvm::TargetOptions> options = OptionsOf(*target);
  const std::optional<llvm::TargetOptions> usual_options = OptionsOf(*usual);
  if (!options || !usual_options || !AreAsUsual(*std::move(options), *usual_options)) {
    return std::nullopt;
  }
  return *std::move(target);
}

}  // namespace firstcall
