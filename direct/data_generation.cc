#include "direct/data_generation.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "backend/baseline/module_compiler.h"
#include "backend/baseline/refusal.h"
#include "backend/identification_text.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "direct/data_choice.h"
#include "direct/module_mapper.h"
#include "direct/reference_names.h"
#include "ir/body_reader.h"
#include "ir/function.h"
#include "ir/module.h"

namespace firstcall::direct {
namespace {

// A module without functions.
class DataModule final : public ir::BodyReader {
 public:
  explicit DataModule(const ir::Module& module) : module_(module) {}

  const ir::Module& module() const override { return module_; }
  absl::Status Read(uint32_t, ir::Function&) override {
    return absl::InternalError("data has no body");
  }

 private:
  const ir::Module& module_;
};

// The global whose name the definition has: the variable itself, or the alias that keeps the
// variable if another definition replaces it.
uint32_t KnownAs(const ChosenVariable& variable, const ReadModule& module) {
  const SymbolIndex& index = *module.index;
  if (index.at(module.numbers.OrdinalOf(variable.global)).name == variable.name) {
    return variable.global;
  }
  const std::optional<SymbolOrdinal> keeper = index.Find(variable.name);
  return keeper ? module.numbers.GlobalOf(*keeper) : variable.global;
}

}  // namespace

absl::StatusOr<CompiledObject> GenerateData(const DataOrder& order, const ReadModule& module,
                                            CompileContext& context) {
  const absl::Duration start = SteadyNow();
  FIRSTCALL_ASSIGN_OR_RETURN(const std::vector<ChosenVariable> variables,
                             ChooseData(module.module(), *module.index, order.is_replaced,
                                        context.settings().drops_debug_info));
  SymbolReferences names(module.module(), *module.index, order.is_replaced, order.is_far);
  ModuleMapper& mapper = context.mapper();
  mapper.Begin(module.module(), names);
  for (const ChosenVariable& variable : variables) {
    mapper.DefineVariable({variable.global, KnownAs(variable, module), variable.is_table},
                          variable.definition);
  }
  FIRSTCALL_RETURN_IF_ERROR(mapper.Complete());
  const absl::Duration chosen = SteadyNow();

  CompiledObject compiled;
  baseline::ModuleCompiler::Options options;
  options.is_near = !order.is_far;
  if (order.identification) options.comment = IdentificationText(*order.identification);
  DataModule data(mapper.module());
  const baseline::Refusal refusal = context.compiler().Compile(data, options, compiled.bytes);
  if (refusal != baseline::Refusal::kNone) {
    return absl::UnimplementedError(baseline::RefusalName(refusal));
  }
  compiled.origin.generator = Generator::kBaseline;
  compiled.split = chosen - start;
  compiled.emit = SteadyNow() - chosen;
  return compiled;
}

}  // namespace firstcall::direct
