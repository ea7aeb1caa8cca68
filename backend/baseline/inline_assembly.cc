#include "backend/baseline/inline_assembly.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backend/baseline/assembly_plan.h"
#include "backend/baseline/assembly_syntax.h"
#include "backend/baseline/assembly_template.h"
#include "backend/baseline/calls.h"
#include "backend/baseline/moves.h"
#include "backend/baseline/operands.h"
#include "backend/baseline/value_parts.h"
#include "backend/text_assembler.h"
#include "ir/constant.h"

namespace firstcall::baseline {
namespace {

void MoveArguments(FunctionCode& code, const ir::Instruction& call, const AssemblyPlan& plan) {
  const absl::Span<const ir::Operand> arguments = code.function->ArgumentsOf(call);
  RegisterSet moved = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Register reg = plan.arguments[i];
    const ir::Constant* const constant = ConstantOf(code, arguments[i]);
    if (reg == kNoRegister || (constant != nullptr && constant->IsUndefined())) continue;
    // The address of a place may be two arguments.
    if ((moved & SetOf(reg)) != 0) continue;
    moved |= SetOf(reg);
    Move move = SourceOf(code, arguments[i], 0, PartsOf(TypeOf(code, arguments[i])).parts[0]);
    move.to = reg;
    code.moves.Add(move);
  }
  EmitMoves(code);
}

bool EmitText(FunctionCode& code, const ir::Instruction& call, const AssemblyPlan& plan) {
  const ir::InlineAssembly& assembly = *ConstantOf(code, code.function->CalleeOf(call))->assembly();
  const std::optional<std::string> text =
      ExpandTemplate(assembly.text, plan.operands, AssemblySyntaxOf(code.architecture));
  if (!text) return false;
  const absl::StatusOr<std::string> bytes = code.options.text_assembler->Assemble(*text);
  if (!bytes.ok()) return false;
  code.assembler.buffer().Bytes(bytes->data(), bytes->size());
  return true;
}

}  // namespace

void LowerInlineAssembly(FunctionCode& code, const ir::Instruction& call) {
  const AssemblyPlan plan = *PlanAssembly(*code.function, call, code.architecture);
  PrepareCall(code, call);
  MoveArguments(code, call, plan);
  if (!EmitText(code, call, plan)) code.refusal = Refusal::kInlineAssembly;
  code.locations.registers().UnpinAll();
  code.locations.ForgetRegisters();
  if (NumberOf(code, call) == kNone) return;
  for (unsigned part = 0; part < plan.results.size(); ++part) {
    DefineResultIn(code, call, part, plan.results[part]);
  }
}

}  // namespace firstcall::baseline
