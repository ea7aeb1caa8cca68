// The target that an engine generates code for, chosen once from its options.
//
// Immutable after construction, therefore thread-safe.

#ifndef FIRSTCALL_BACKEND_LLVM_TARGET_H_
#define FIRSTCALL_BACKEND_LLVM_TARGET_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "llvm/Target/TargetMachine.h"
#include "seam/target_settings.h"

namespace llvm {
class Module;
class Target;
}  // namespace llvm

namespace firstcall {

class Target {
 public:
  // InvalidArgument if LLVM does not know the target, or if it is not this machine's, or if only
  // the baseline code generator may be used and it does not support the target.
  static absl::StatusOr<Target> Create(const TargetSettings& settings);

  // The same target for code that is worth more time: the IR of function-modules is optimized, and
  // code is generated at kO2 at least.
  Target ThatOptimizes() const;
  // The same target for code that LLVM gets wrong at -O0: code is generated at -O1 at least.
  Target ThatIsNotFast() const;
  // As ThatOptimizes, but the baseline code generator may be used, too: for functions that are hot,
  // whose counting bodies it makes.
  Target ThatReplaces() const;

  // A target machine for the caller, made in about 0.1 ms. InvalidArgument if LLVM refuses a
  // setting.
  absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateMachine() const;

  // The same without a CPU, which generates no code. It is enough for a linker, and several times
  // cheaper.
  absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateMachineForLinking() const;

  // Sets the triple and the data layout of `module`, if it has none, to this target's. If the
  // settings name a triple, that replaces the module's own, and this target's data layout replaces
  // one by which data lies in the same way. InvalidArgument, with both values, if its own conflict.
  absl::Status Adopt(llvm::Module& module) const;

  const llvm::Triple& triple() const { return triple_; }

  // Whether the IR of function-modules is optimized.
  bool optimizes_ir() const { return optimizes_ir_; }

  // Whether code is generated at a level above -O0.
  bool optimizes_code() const { return level_ != llvm::CodeGenOptLevel::None; }

  Backend backend() const { return backend_; }

  // Which functions the baseline code generator compiles: as wished, or kOff if this target is none
  // for it.
  Baseline baseline() const { return baseline_.functions; }
  bool baseline_has_few_registers() const { return baseline_.has_few_registers; }

  OptNone optnone() const { return optnone_; }

  // Which debug information code has.
  DebugInfo debug_info() const { return debug_info_; }

  // Whether thread-local variables go through __emutls_get_address: where descriptors cannot be
  // used, or if the client's options of LLVM say so.
  bool emulates_thread_locals() const { return options_.EmulatedTLS; }
  void EmulateThreadLocals() { options_.EmulatedTLS = true; }

  // Whether `function` names features of its own with which the baseline code generator's code
  // would be wrong.
  bool HasObstacleToBaseline(const llvm::Function& function) const;

  // Those of the features `names` that the CPU has.
  std::vector<std::string> FeaturesAmong(absl::Span<const char* const> names) const;

 private:
  // Which functions the baseline code generator compiles, and with how many registers.
  struct BaselineUse {
    Baseline functions = Baseline::kOff;
    bool has_few_registers = false;
  };

  absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> CreateMachine(
      const std::string& cpu, const std::string& features) const;
  Target() = default;
  // A few words for why the baseline code generator cannot be used; null if it can.
  const char* ObstacleToBaseline(const llvm::TargetMachine& machine) const;
  // LLVM's options, which depend on the level.
  llvm::TargetOptions LlvmOptions() const;

  const llvm::Target* target_ = nullptr;
  llvm::Triple triple_;
  bool replaces_triples_ = false;  // Of modules.
  std::string cpu_;
  std::string features_;
  llvm::TargetOptions options_;
  llvm::Reloc::Model relocation_model_ = llvm::Reloc::PIC_;
  llvm::CodeModel::Model code_model_ = llvm::CodeModel::Small;
  llvm::CodeGenOptLevel level_ = llvm::CodeGenOptLevel::None;
  bool optimizes_ir_ = false;
  Backend backend_ = Backend::kAuto;
  BaselineUse baseline_;
  OptNone optnone_ = OptNone::kAuto;
  DebugInfo debug_info_ = DebugInfo::kAuto;
  std::string data_layout_;
};

// A line of text with every one of LLVM's options that can change generated code.
std::string DescribeTargetOptions(const llvm::TargetOptions& options);

}  // namespace firstcall

#endif  // FIRSTCALL_BACKEND_LLVM_TARGET_H_
