#include "clients/orc/orc_c.h"

#include "clients/orc/orc_compiler.h"
#include "clients/orc/orc_statistics.h"

// LLVM's C interface gives out the address of an llvm::orc::LLJITBuilder as it is.
void fc_orc_set_compile_function(LLVMOrcLLJITBuilderRef builder, fc_orc_baseline baseline) {
  firstcall::OrcCompilerOptions options;
  if (baseline == FC_ORC_BASELINE_ALWAYS) options.baseline = firstcall::OrcBaseline::kAlways;
  if (baseline == FC_ORC_BASELINE_NEVER) options.baseline = firstcall::OrcBaseline::kNever;
  reinterpret_cast<llvm::orc::LLJITBuilder*>(builder)->setCompileFunctionCreator(
      firstcall::OrcCompileFunctionCreator(options));
}

void fc_orc_get_statistics(uint64_t* baseline_functions, uint64_t* llvm_functions,
                           uint64_t* whole_modules) {
  const firstcall::OrcStatistics sum = firstcall::GetOrcStatistics();
  if (baseline_functions != nullptr) *baseline_functions = sum.baseline_functions;
  if (llvm_functions != nullptr) *llvm_functions = sum.llvm_functions;
  if (whole_modules != nullptr) *whole_modules = sum.whole_modules;
}
