#include "direct/function_generation.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/baseline/module_compiler.h"
#include "backend/baseline/refusal.h"
#include "backend/identification_text.h"
#include "base/status.h"
#include "base/steady_clock.h"
#include "direct/address_use.h"
#include "direct/data_choice.h"
#include "direct/function_choice.h"
#include "direct/module_mapper.h"
#include "direct/reference_names.h"
#include "direct/replaceable_body.h"
#include "direct/shared_constants.h"
#include "ir/attributes.h"
#include "ir/body_reader.h"
#include "ir/function.h"
#include "ir/global.h"
#include "object/symbol_name.h"
#include "seam/symbol_index.h"

namespace firstcall::direct {
namespace {

// Makes the function-module of a choice, and gives its bodies to the code generator. A body gets
// its new numbers and its counter when the generator asks for it.
class FunctionModule final : public ir::BodyReader {
 public:
  FunctionModule(const FunctionOrder& order, const std::shared_ptr<const ReadModule>& source,
                 CompileContext& context)
      : order_(order), source_(*source), context_(context), mapper_(context.mapper()) {}

  absl::Status Make(const FunctionChoice& choice, ReferenceNames& names) {
    mapper_.Begin(source_.module(), names);
    for (const FunctionChoice::ChosenFunction& chosen : choice.functions) {
      const Symbol symbol = source_.index->at(chosen.ordinal);
      // A body that is made again to be left at a loop must call the function in the same way,
      // though it is made alone.
      const bool is_near = !order_.polls || !symbol.is_weak;
      bodies_.push_back({mapper_.DefineFunction(chosen.global, symbol.name, is_near)});
    }
    FIRSTCALL_RETURN_IF_ERROR(DefineVariables(choice));
    for (size_t i = 0; i < bodies_.size(); ++i) {
      FIRSTCALL_RETURN_IF_ERROR(DeclareCounterOf(i));
    }
    for (size_t i = 0; i < bodies_.size(); ++i) {
      mapper_.Collect(context_.Body(i), bodies_[i].number, calls());
    }
    return mapper_.Complete();
  }

  void AddHotnessSignsTo(CompiledFunction& compiled) const {
    if (!order_.polls) return;
    for (const Body& body : bodies_) {
      compiled.hotness_signs.push_back(body.counter == ir::kNone ? HotnessSigns::kNone
                                                                 : HotnessSigns::kCallsAndLoops);
    }
  }

  const ir::Module& module() const override { return mapper_.module(); }

  // The generator only knows that a body could not be had, not why.
  const absl::Status& status() const { return status_; }

  absl::Status Read(uint32_t global, ir::Function& function) override {
    status_ = ReadBody(global, function);
    return status_;
  }

 private:
  struct Body {
    uint32_t number;               // Of the function in module().
    uint32_t counter = ir::kNone;  // If it can be replaced: the number of its counter in module().
  };

  absl::Status ReadBody(uint32_t global, ir::Function& function) {
    const auto found = std::find_if(bodies_.begin(), bodies_.end(),
                                    [&](const Body& body) { return body.number == global; });
    if (found == bodies_.end()) return absl::InternalError("no such body");
    const auto i = static_cast<size_t>(found - bodies_.begin());
    ir::Function& body = context_.Body(i);
    FIRSTCALL_RETURN_IF_ERROR(mapper_.MapBody(body, global, calls()));
    if (found->counter != ir::kNone) {
      body.poll_counter = found->counter;
      body.polls_when_called = order_.polls->asks_when_called;
    }
    std::swap(function, body);
    return absl::OkStatus();
  }

  // A function that may be replaced calls itself, and those before it, where the linker binds the
  // call; otherwise it would never get to an optimized body.
  ModuleMapper::Calls calls() const {
    return order_.polls ? ModuleMapper::Calls::kStraightIfLater : ModuleMapper::Calls::kStraight;
  }

  bool KeepsOptNone(const ir::Function& body) const {
    if (!body.attributes().function.Has(ir::Attribute::kOptimizeNone)) return false;
    switch (context_.settings().optnone) {
      case OptNone::kAuto:
        return !source_.is_unoptimized;
      case OptNone::kKeep:
        return true;
      case OptNone::kIgnore:
        return false;
    }
    return true;
  }

  absl::Status DefineVariables(const FunctionChoice& choice) {
    if (choice.variables.empty()) return absl::OkStatus();
    std::vector<ir::Operand> initializers;
    for (const FunctionChoice::ChosenVariable& chosen : choice.variables) {
      const ir::Global& variable = source_.module().globals()[chosen.global];
      if (variable.initializer.IsConstant()) initializers.push_back(variable.initializer);
    }
    AddressUse use(context_.Body(0), std::move(initializers));
    for (const FunctionChoice::ChosenVariable& chosen : choice.variables) {
      const Symbol symbol = source_.index->at(chosen.ordinal);
      if (symbol.size > source_.index->largest_near_variable()) {
        return absl::UnimplementedError("a large table of labels");
      }
      FIRSTCALL_ASSIGN_OR_RETURN(const ir::NewGlobal definition,
                                 DefinitionOf(source_.module(), chosen.global, symbol,
                                              context_.settings().drops_debug_info));
      const uint32_t number = mapper_.DefineVariable({chosen.global, chosen.global}, definition);
      // The baseline code generator keeps a table that only its function reads in the code.
      switch (use.Of(chosen.global)) {
        case AddressUse::Kind::kNone:
          mapper_.NoteOnlyUser(number, ir::Module::kNobody);
          break;
        case AddressUse::Kind::kByInstructions:
          mapper_.NoteOnlyUser(number, bodies_[0].number);
          break;
        case AddressUse::Kind::kByData:
          break;
      }
    }
    return absl::OkStatus();
  }

  absl::Status DeclareCounterOf(size_t i) {
    if (!order_.polls) return absl::OkStatus();
    const ir::Function& body = context_.Body(i);
    FIRSTCALL_ASSIGN_OR_RETURN(const bool is_replaceable,
                               context_.replaceable_body().IsReplaceable(body, KeepsOptNone(body)));
    if (is_replaceable) bodies_[i].counter = DeclareCounter(bodies_[i].number);
    return absl::OkStatus();
  }

  uint32_t DeclareCounter(uint32_t number) {
    const ir::Global& function = mapper_.module().globals()[number];
    ir::NewGlobal counter;
    counter.name = mapper_.Keep(absl::StrCat(function.name, kHotnessSuffix));
    counter.traits.type = function.type();
    counter.traits.value_type = function.type();
    counter.traits.is_dso_local = !order_.is_far;
    return mapper_.Declare(counter);
  }

  const FunctionOrder& order_;
  const ReadModule& source_;
  CompileContext& context_;
  ModuleMapper& mapper_;
  std::vector<Body> bodies_;  // Of the choice's functions, in the same order.
  absl::Status status_;
};

// The constants whose addresses escape from what was chosen.
Variables FindShared(const FunctionChoice& choice, const ReadModule& module,
                     CompileContext& context) {
  Variables shared;
  const auto is_copied = [&](uint32_t variable) {
    return IsCopied(module.module(), *module.index, module.numbers, variable);
  };
  for (size_t i = 0; i < choice.functions.size(); ++i) {
    context.shared_constants().Find(context.Body(i), is_copied, shared);
  }
  const ir::Constants constants(module.module());
  for (const FunctionChoice::ChosenVariable& variable : choice.variables) {
    context.shared_constants().FindIn(
        constants, module.module().globals()[variable.global].initializer, is_copied, shared);
  }
  return shared;
}

}  // namespace

absl::StatusOr<CompiledFunction> GenerateFunction(const FunctionOrder& order,
                                                  const std::shared_ptr<const ReadModule>& module,
                                                  CompileContext& context) {
  const absl::Duration start = SteadyNow();
  FIRSTCALL_ASSIGN_OR_RETURN(FunctionChoice choice, ChooseFunctions(order, module, context));
  SymbolReferences names(module->module(), *module->index, order.is_replaced, order.is_far);
  const Variables shared = FindShared(choice, *module, context);
  names.Share(shared);
  FunctionModule made(order, module, context);
  FIRSTCALL_RETURN_IF_ERROR(made.Make(choice, names));
  const absl::Duration chosen = SteadyNow();

  CompiledFunction compiled;
  baseline::ModuleCompiler::Options options;
  options.is_near = !order.is_far;
  if (order.identification) options.comment = IdentificationText(*order.identification);
  const baseline::Refusal refusal =
      context.compiler().Compile(made, options, compiled.object.bytes);
  FIRSTCALL_RETURN_IF_ERROR(made.status());
  if (refusal != baseline::Refusal::kNone) {
    return absl::UnimplementedError(baseline::RefusalName(refusal));
  }
  for (const FunctionChoice::ChosenFunction& function : choice.functions) {
    compiled.functions.push_back(function.ordinal);
  }
  for (const FunctionChoice::ChosenVariable& variable : choice.variables) {
    compiled.variables.push_back(variable.ordinal);
  }
  made.AddHotnessSignsTo(compiled);
  compiled.callees = std::move(choice.callees);
  compiled.object.origin.generator = Generator::kBaseline;
  compiled.object.sources = compiled.functions;
  std::sort(compiled.object.sources.begin(), compiled.object.sources.end());
  compiled.object.split = chosen - start;
  compiled.object.emit = SteadyNow() - chosen;
  return compiled;
}

}  // namespace firstcall::direct
