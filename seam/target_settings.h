// What code is generated for, and how much work code generation does.
//
// Plain values; copyable. Tested in tests/backend/llvm/target_test.cc.

#ifndef FIRSTCALL_SEAM_TARGET_SETTINGS_H_
#define FIRSTCALL_SEAM_TARGET_SETTINGS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "seam/debug_info.h"
#include "seam/optnone.h"

namespace llvm {
class TargetOptions;
}  // namespace llvm

namespace firstcall {

// How much work code generation does for a function: LLVM's -O0 to -O3.
enum class CodegenLevel { kO0, kO1, kO2, kO3 };

// Which of a lazily compiled module's functions the baseline code generator compiles when they are
// first called. It exists for x86-64 and AArch64, and for code that is not optimized (kO0):
// elsewhere kOn means kOff, and kStrict is an error.
enum class Baseline {
  kOff,     // None: LLVM compiles all functions.
  kOn,      // Those that it covers.
  kStrict,  // All: a function that it does not cover fails. For tests and measurements.
};

// Who makes code. kAuto: the baseline code generator as `Baseline` says, and LLVM the rest.
// kBaseline means Baseline::kStrict, kLlvm means Baseline::kOff: LLVM's code generator makes all,
// in a pipeline that is built once, and this project's linker links it. With kMcjit all code, data
// and optimized bodies included, is compiled by MCJIT, and linked by MCJIT if the compiler is in
// this process; what MCJIT cannot place is linked by this project's linker (docs/limits.md).
enum class Backend { kAuto, kBaseline, kLlvm, kMcjit };

enum class RelocationModel { kPic, kStatic, kDynamicNoPic, kRopi, kRwpi, kRopiRwpi };
enum class CodeModel { kTiny, kSmall, kKernel, kMedium, kLarge };

struct TargetSettings {
  CodegenLevel codegen_level = CodegenLevel::kO0;
  Backend backend = Backend::kAuto;
  Baseline baseline = Baseline::kOn;
  // For tests: the baseline code generator uses three registers for values of each kind.
  bool baseline_has_few_registers = false;
  // Whether functions with `optnone` may be optimized.
  OptNone optnone = OptNone::kAuto;
  // Whether code has the debug information that modules have.
  DebugInfo debug_info = DebugInfo::kAuto;

  // The target. An empty triple is that of this process. If both `cpu` and `features` are empty,
  // the target is this machine's CPU with all its features. A function that names a CPU is compiled
  // for that one at first; on x86-64, its optimized body is compiled for the target ("x86-64" as
  // `cpu` prevents that), with the same results, except with fast-math flags, or under another
  // rounding mode in code that is not compiled for one. A triple may name the container of the
  // objects that LLVM makes, elf or macho ("x86_64-unknown-linux-gnu-macho"); without a name it
  // follows the operating system. It may be for another system than this process if functions are
  // called in the same way. A triple that is set here replaces those of the modules.
  std::string triple;
  std::string architecture;  // As -march. Overrides the triple's.
  std::string cpu;
  std::string features;  // As -mattr: "+avx2,-bmi".
  // Unset: position-independent code and the small code model, which the arena is made for. With
  // kStatic the default code model is kLarge; kStatic together with kSmall is treated as kPic.
  std::optional<RelocationModel> relocation_model;
  std::optional<CodeModel> code_model;
  // Options of LLVM's command-line tools ("-fast-isel=0"). They are given to LLVM when the compiler
  // is made, and hold for all of the process's LLVM. Those that choose a target take effect where
  // the fields here are unset.
  std::vector<std::string> llvm_arguments;
  // Further options of LLVM's code generator. Null: LLVM's defaults. EmulatedTLS has thread-local
  // variables emulated, as they are with kMcjit in any case. If EmulatedTLS is set here and
  // search_process_symbols is false, the client must provide `__emutls_get_address`.
  std::shared_ptr<const llvm::TargetOptions> target_options;
};

// What `settings.baseline` comes to with `settings.backend`. InvalidArgument if they contradict
// each other.
absl::StatusOr<Baseline> BaselineOf(const TargetSettings& settings);

}  // namespace firstcall

#endif  // FIRSTCALL_SEAM_TARGET_SETTINGS_H_
