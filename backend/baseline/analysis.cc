#include "backend/baseline/analysis.h"

#include "absl/strings/string_view.h"
#include "backend/baseline/cleared_registers.h"
#include "backend/baseline/coverage.h"
#include "backend/baseline/numbering.h"
#include "backend/baseline/stack_protection.h"
#include "backend/baseline/uses.h"

namespace firstcall::baseline {

Refusal Analysis::Run(const ir::Function& function, const CoverageOptions& options) {
  Refusal refusal = RefusalOf(function, architecture_, options);
  if (refusal != Refusal::kNone) return refusal;
  facts_.cleared_registers = 0;
  const absl::string_view cleared = function.attributes().function.ValueOf("zero-call-used-regs");
  if (!cleared.empty() && cleared != "skip") {
    refusal = FindClearedRegisters(function, cleared, architecture_, facts_.cleared_registers);
    if (refusal != Refusal::kNone) return refusal;
  }
  facts_.function = &function;
  facts_.order.Compute(function);
  refusal = NumberValues(facts_, architecture_, options);
  if (refusal != Refusal::kNone) return refusal;
  if (AsksForProtection(function.attributes().function)) {
    refusal = PlanStackProtection(facts_, options);
    if (refusal != Refusal::kNone) return refusal;
  }
  CountUses(facts_, architecture_);
  FindPolls(function);
  facts_.fixed_registers = 0;
  if (!options.has_few_registers) {
    RegisterSet reserved = facts_.swift_registers | facts_.claimed_registers;
    if (facts_.returns_error) reserved |= SetOf(architecture_.swift.error);
    facts_.fixed_registers = fixer_.Fix(facts_.values, facts_.weights, facts_.blocks, reserved);
  }
  return Refusal::kNone;
}

// A landing pad is entered by the unwinder only, so a loop cannot be continued there.
void Analysis::FindPolls(const ir::Function& function) {
  facts_.polled_loops.clear();
  if (function.poll_counter == ir::kNone) return;
  const absl::Span<const uint32_t> headers = headers_.Find(function);
  if (headers.empty()) return;
  facts_.polled_loops.assign(function.blocks.size(), kNone);
  for (uint32_t loop = 0; loop < headers.size(); ++loop) {
    const ir::Block& header = function.blocks[headers[loop]];
    if (function.FirstBehindPhis(header).opcode == ir::Opcode::kLandingPad) continue;
    facts_.polled_loops[headers[loop]] = loop;
  }
}

}  // namespace firstcall::baseline
