#include "compiler/body_description.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "backend/baseline/baseline_generator.h"
#include "backend/baseline/code_map.h"
#include "backend/code_generator.h"
#include "backend/llvm/debug_object.h"
#include "base/status.h"
#include "base/string_ref.h"
#include "compiler/described_function.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "seam/poll_allowance.h"
#include "splitter/extract_options.h"
#include "splitter/function_extractor.h"

namespace firstcall {
namespace {

constexpr char kCompileUnits[] = "llvm.dbg.cu";

// What polls may take. An engine limits that for the whole program, so the limit of one function is
// not known any more: nearly always, it was not reached, or there was nothing left.
// So these two are tried first, and then this many between them.
constexpr int64_t kOtherAllowances = 48;

ExtractOptions OptionsFor(const DescriptionOrder& order, const ModuleSource& source,
                          const CompileContext& context) {
  ExtractOptions options;
  options.verify = !source.is_verified();
  options.optnone = context.optnone();
  options.optnone_ignores_debug_info = true;
  options.drop_alias_metadata = true;
  options.is_far = order.is_far;
  options.keep_in_view = true;
  return options;
}

// The functions of one order, on their way to an object.
class Description {
 public:
  Description(LoadedModule& module, const DescriptionOrder& order, CompileContext& context,
              ModuleView& view, baseline::BaselineGenerator& baseline)
      : module_(module),
        order_(order),
        context_(context),
        view_(view),
        baseline_(baseline),
        options_(OptionsFor(order, module.source(), context)),
        described_(std::make_unique<llvm::Module>("description", view.module().getContext())) {
    described_->setTargetTriple(view.module().getTargetTriple());
    described_->setDataLayout(view.module().getDataLayout());
  }

  // Adds the function with this index in the order, if it can be described.
  void Add(size_t index) {
    if (!order_.asks_when_called) {
      options_.body = PlainBody{};
      (void)TryToAdd(index);
      return;
    }
    if (TryToAdd(index, kUnlimitedPolls)) return;
    const int64_t most_taken = taken_;
    // What has no polls is the same with any limit.
    if (order_.bodies[index].is_final || most_taken == 0 || TryToAdd(index, 0)) return;
    int64_t last = 0;
    for (int64_t i = 1; i < kOtherAllowances; ++i) {
      const int64_t allowance = most_taken * i / kOtherAllowances;
      if (allowance != last && TryToAdd(index, allowance)) return;
      last = allowance;
    }
  }

  // After an error, the view must be dropped.
  absl::StatusOr<CodeDescription> Finish(const Target& target) {
    CodeDescription description;
    if (functions_.empty()) return description;
    absl::StatusOr<ObjectBytes> object = MakeDebugObject(target, *described_, functions_);
    if (!object.ok()) (void)described_.release();  // LLVM may still refer to it.
    FIRSTCALL_RETURN_IF_ERROR(object.status());
    description.object = *std::move(object);
    description.described = std::move(ordinals_);
    return description;
  }

 private:
  // False if the body is another one than the one that runs.
  bool TryToAdd(size_t index, int64_t allowance) {
    options_.body = ReplaceableBody{allowance, *order_.asks_when_called};
    return TryToAdd(index);
  }

  bool TryToAdd(size_t index) {
    const SymbolOrdinal ordinal = order_.bodies[index].function;
    const auto may_join = [](SymbolOrdinal) { return false; };
    const auto is_warm = [](SymbolOrdinal) { return false; };
    const auto simplify = [](llvm::Function&) {};
    absl::StatusOr<FunctionModule> extracted =
        ExtractFunction(view_, module_.index(), ordinal, options_,
                        {order_.is_replaced, may_join, is_warm, simplify});
    if (!extracted.ok() || extracted->leader) return true;
    if (!context_.Lower(extracted->module).ok()) return true;
    llvm::Function* function =
        extracted->module->getFunction(ToStringRef(module_.index().at(ordinal).name));
    if (function == nullptr || function->getSubprogram() == nullptr) return true;
    taken_ = function->getInstructionCount() / kInstructionsPerPoll - extracted->poll_balance;
    return TryToAdd(index, *function);
  }

  bool TryToAdd(size_t index, llvm::Function& function) {
    llvm::DISubprogram* subprogram = function.getSubprogram();
    // The code generator refuses functions that have one.
    function.setSubprogram(nullptr);
    const DescribedFunction described(function);
    baseline::CodeMap map;
    map.watched = described.WatchedValues();
    GenerationRequest request;
    request.is_far = order_.is_far;
    absl::StatusOr<GeneratedObject> generated = baseline_.GenerateWithMap(function, request, map);
    if (!generated.ok() || generated->is_refused()) return true;
    if (!order_.is_running(index, std::move(generated->bytes))) return false;
    CopyFlags(*function.getParent());
    functions_.emplace(&AddDescribedFunction(*described_, function.getName(), *subprogram),
                       described.Describe(map));
    ordinals_.push_back(order_.bodies[index].function);
    return true;
  }

  // What the code generator wants to know of the module.
  void CopyFlags(llvm::Module& from) {
    if (described_->getNamedMetadata(kCompileUnits) != nullptr) return;
    for (const char* name : {"llvm.module.flags", kCompileUnits}) {
      llvm::NamedMDNode* source = from.getNamedMetadata(name);
      if (source == nullptr) continue;
      llvm::NamedMDNode* copy = described_->getOrInsertNamedMetadata(name);
      for (llvm::MDNode* node : source->operands()) copy->addOperand(node);
    }
  }

  LoadedModule& module_;
  const DescriptionOrder& order_;
  CompileContext& context_;
  ModuleView& view_;
  baseline::BaselineGenerator& baseline_;
  ExtractOptions options_;
  int64_t taken_ = 0;  // At most so many instructions are the polls of the last body.
  std::unique_ptr<llvm::Module> described_;
  DescribedFunctions functions_;
  std::vector<SymbolOrdinal> ordinals_;
};

}  // namespace

absl::StatusOr<CodeDescription> DescribeBodiesOf(LoadedModule& module,
                                                 const DescriptionOrder& order,
                                                 const Target& target, CompileContext& context) {
  if (!module.source().is_reopenable()) {
    return absl::UnimplementedError("the module is given in memory");
  }
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context.View(module));
  absl::MutexLock lock(&view->mutex());
  FIRSTCALL_RETURN_IF_ERROR(view->ReadMetadata());
  if (view->module().getNamedMetadata(kCompileUnits) == nullptr) {
    return absl::UnimplementedError("the module has no debug information");
  }
  FIRSTCALL_ASSIGN_OR_RETURN(baseline::BaselineGenerator * baseline, context.Baseline());
  if (baseline == nullptr) {
    return absl::UnimplementedError("the baseline code generator is turned off");
  }
  Description description(module, order, context, *view, *baseline);
  for (size_t i = 0; i < order.bodies.size(); ++i) description.Add(i);
  return description.Finish(target);
}

}  // namespace firstcall
