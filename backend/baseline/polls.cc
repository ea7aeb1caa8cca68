#include "backend/baseline/polls.h"

#include "backend/baseline/control_flow.h"
#include "backend/baseline/function_code.h"
#include "backend/baseline/register_variables.h"
#include "seam/hotness_counter.h"

namespace firstcall::baseline {
namespace {

// The memory of the counter. Its address is in the scratch register if the counter is far away.
Mem CounterOf(FunctionCode& code) {
  const ir::Global* const counter = &code.function->module().globals()[code.function->poll_counter];
  const uint32_t symbol = code.symbols.NumberOf(counter);
  if (IsNear(code, counter)) return Mem::Relative(RelativeTo::kSymbol, symbol);
  code.assembler.Load(8, code.architecture.scratch, LiteralOf(code, symbol));
  return Mem::At(code.architecture.scratch);
}

}  // namespace

void EmitPoll(FunctionCode& code, uint32_t loop) {
  PollCode::Ask ask;
  ask.loop = loop;
  ask.label = code.labels.New();
  ask.back = code.labels.New();
  code.assembler.AluMi(Alu::kSub, 4, CounterOf(code), 1);
  code.assembler.Jcc(Cond::kS, ask.label);
  code.labels.Bind(ask.back);
  code.polls.asks.push_back(ask);
}

void EmitAsks(FunctionCode& code) {
  bool has_loops = false;
  for (const PollCode::Ask& ask : code.polls.asks) {
    code.labels.Bind(ask.label);
    const Mem counter = CounterOf(code);
    if (counter.relative_to != RelativeTo::kNothing) {
      code.assembler.Lea(code.architecture.scratch, counter);
    }
    code.native.frame.AskAtPoll(code, ask.loop);
    code.assembler.Jmp(ask.back);
    has_loops |= ask.loop != kNoLoop;
  }
  if (!has_loops) return;
  code.polls.leave = static_cast<uint32_t>(code.assembler.size());
  if (code.native.frame.is_protected()) code.assembler.LandingMark();
  StoreVariablesToFrame(code);
  code.assembler.CallR(code.architecture.callee);
  LoadResultAddress(code);
  code.native.frame.EmitReturn(code);
}

}  // namespace firstcall::baseline
