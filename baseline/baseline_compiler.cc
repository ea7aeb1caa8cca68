#include "baseline/baseline_compiler.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "baseline/analysis.h"
#include "baseline/architecture.h"
#include "baseline/lowering.h"
#include "baseline/lowering_x86_64.h"
#include "llvm/TargetParser/Triple.h"

namespace firstcall::baseline {

struct BaselineCompiler::Parts {
  explicit Parts(const Architecture& architecture) : analysis(architecture) {}

  LoweringOptions options;
  Analysis analysis;
  std::unique_ptr<Lowering> lowering;
};

absl::StatusOr<std::unique_ptr<BaselineCompiler>> BaselineCompiler::Create(
    absl::string_view triple_name, const BaselineOptions& options) {
  const llvm::Triple triple(llvm::StringRef(triple_name.data(), triple_name.size()));
  if (triple.getArch() != llvm::Triple::x86_64 || !triple.isOSBinFormatELF()) {
    return absl::InvalidArgumentError(
        absl::StrCat("create baseline compiler: not for '", triple_name, "'"));
  }
  auto parts = std::make_unique<Parts>(ArchitectureX86_64());
  parts->lowering = std::make_unique<x86_64::LoweringX86_64>(parts->analysis);
  CoverageOptions& coverage = parts->options.coverage;
  coverage.has_few_registers = options.has_few_registers;
  coverage.has_rounding = absl::c_linear_search(options.features, "sse4.1");
  coverage.has_popcnt = absl::c_linear_search(options.features, "popcnt");
  return std::unique_ptr<BaselineCompiler>(new BaselineCompiler(std::move(parts)));
}

BaselineCompiler::BaselineCompiler(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
BaselineCompiler::~BaselineCompiler() = default;

Refusal BaselineCompiler::Compile(const llvm::Function& function, bool is_near, CompiledCode& code,
                                  const llvm::DataLayout* layout) {
  LoweringOptions& lowering_options = parts_->options;
  lowering_options.is_near = is_near;
  lowering_options.layout = layout;
  for (bool is_large : {false, true}) {
    lowering_options.is_large = is_large;
    Refusal refusal = parts_->analysis.Run(function, lowering_options.coverage);
    if (refusal == Refusal::kNone)
      refusal = parts_->lowering->Run(function, lowering_options, code);
    if (refusal != Refusal::kReach) return refusal;
  }
  return Refusal::kReach;
}

}  // namespace firstcall::baseline
