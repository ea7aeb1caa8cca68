#include "baseline/baseline_compiler.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "baseline/analysis.h"
#include "baseline/lowering_x86_64.h"
#include "llvm/TargetParser/Triple.h"

namespace firstcall::baseline {
struct BaselineCompiler::Parts {
  CoverageOptions coverage;
  LoweringOptions lowering_options;
  Analysis analysis;
  LoweringX86_64 lowering{analysis};
};

absl::StatusOr<std::unique_ptr<BaselineCompiler>> BaselineCompiler::Create(
    absl::string_view triple_name, const BaselineOptions& options) {
  const llvm::Triple triple(llvm::StringRef(triple_name.data(), triple_name.size()));
  if (triple.getArch() != llvm::Triple::x86_64 || !triple.isOSBinFormatELF()) {
    return absl::InvalidArgumentError(
        absl::StrCat("create baseline compiler: not for '", triple_name, "'"));
  }
  auto parts = std::make_unique<Parts>();
  parts->lowering_options.has_sse41 = absl::c_linear_search(options.features, "sse4.1");
  parts->lowering_options.has_popcnt = absl::c_linear_search(options.features, "popcnt");
  parts->lowering_options.has_few_registers = options.has_few_registers;
  parts->coverage.has_few_registers = options.has_few_registers;
  parts->coverage.has_sse41 = parts->lowering_options.has_sse41;
  parts->coverage.has_popcnt = parts->lowering_options.has_popcnt;
  return std::unique_ptr<BaselineCompiler>(new BaselineCompiler(std::move(parts)));
}

BaselineCompiler::BaselineCompiler(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
BaselineCompiler::~BaselineCompiler() = default;

Refusal BaselineCompiler::Compile(const llvm::Function& function, bool is_near, CompiledCode& code,
                                  const llvm::DataLayout* layout) {
  const Refusal refusal = parts_->analysis.Run(function, parts_->coverage);
  if (refusal != Refusal::kNone) return refusal;
  parts_->lowering_options.is_near = is_near;
  parts_->lowering_options.layout = layout;
  return parts_->lowering.Run(function, parts_->lowering_options, code);
}

}  // namespace firstcall::baseline
