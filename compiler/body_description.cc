#include "compiler/body_description.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "backend/baseline/baseline_generator.h"
#include "backend/baseline/code_map.h"
#include "backend/code_generator.h"
#include "backend/llvm/debug_object.h"
#include "base/status.h"
#include "base/string_ref.h"
#include "compiler/code_lines.h"
#include "compiler/described_function.h"
#include "compiler/first_body.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "object/symbol_name.h"

namespace firstcall {
namespace {

constexpr char kCompileUnits[] = "llvm.dbg.cu";

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
        first_bodies_{order.is_replaced, order.is_far, order.asks_when_called,
                      order.wants_lines ? KeptDebugInfo::kLines : KeptDebugInfo::kAll},
        described_(std::make_unique<llvm::Module>("description", view.module().getContext())) {
    described_->setTargetTriple(view.module().getTargetTriple());
    described_->setDataLayout(view.module().getDataLayout());
  }

  // Adds the function with this index in the order, if it can be described.
  void Add(size_t index) {
    const SymbolOrdinal ordinal = order_.functions[index];
    const absl::StatusOr<std::unique_ptr<llvm::Module>> extracted =
        ExtractFirstBody(view_, module_, ordinal, first_bodies_, context_);
    if (!extracted.ok()) return;
    llvm::Function* function =
        (*extracted)->getFunction(ToStringRef(module_.index().at(ordinal).name));
    if (function != nullptr && function->getSubprogram() != nullptr) Add(index, *function);
  }

  // After an error, the view must be dropped.
  absl::StatusOr<CodeDescription> Finish(const Target& target) {
    CodeDescription description;
    description.described = std::move(ordinals_);
    description.lines = std::move(lines_);
    if (functions_.empty()) return description;
    absl::StatusOr<ObjectBytes> object = MakeDebugObject(target, *described_, functions_);
    if (!object.ok()) (void)described_.release();  // LLVM may still refer to it.
    FIRSTCALL_RETURN_IF_ERROR(object.status());
    description.object = *std::move(object);
    return description;
  }

 private:
  void Add(size_t index, llvm::Function& function) {
    llvm::DISubprogram* subprogram = function.getSubprogram();
    // The code generator refuses functions that have one.
    function.setSubprogram(nullptr);
    const DescribedFunction described(function);
    baseline::CodeMap map;
    if (!MakeRunningBody(index, function, described, map)) return;
    ordinals_.push_back(order_.functions[index]);
    if (order_.wants_lines) {
      lines_.push_back(LinesOf(described.DescribeLines(map), *subprogram));
      return;
    }
    CopyFlags(*function.getParent());
    functions_.emplace(&AddDescribedFunction(*described_, function.getName(), *subprogram),
                       described.Describe(map));
  }

  // False if the code that is made of `function` is not the code that runs.
  bool MakeRunningBody(size_t index, llvm::Function& function, const DescribedFunction& described,
                       baseline::CodeMap& map) {
    // With polls, functions of one object call each other as those of several objects do.
    if (order_.asks_when_called) return IsRunning(index, function, described, map);
    if (order_.is_one_object) {
      CallStraight(*function.getParent(), order_.functions);
      return IsRunning(index, function, described, map);
    }
    return IsRunning(index, function, described, map) ||
           (CallStraight(*function.getParent(), order_.straight_calls(index)) &&
            IsRunning(index, function, described, map));
  }

  // The same for the function as it is.
  bool IsRunning(size_t index, const llvm::Function& function, const DescribedFunction& described,
                 baseline::CodeMap& map) {
    map = baseline::CodeMap();
    if (!order_.wants_lines) map.watched = described.WatchedValues();
    GenerationRequest request;
    request.is_far = order_.is_far;
    absl::StatusOr<GeneratedObject> generated = baseline_.GenerateWithMap(function, request, map);
    return generated.ok() && !generated->is_refused() &&
           order_.is_running(index, std::move(generated->bytes));
  }

  // Has calls of `callees` go straight there. False if there are none.
  bool CallStraight(llvm::Module& extracted, const std::vector<SymbolOrdinal>& callees) {
    bool has_some = false;
    for (llvm::Function& callee : extracted) {
      if (!callee.isDeclaration()) continue;
      const SymbolReference reference = ParseReference(ToStringView(callee.getName()));
      if (reference.kind != ReferenceKind::kCall) continue;
      const std::optional<SymbolOrdinal> ordinal = module_.index().Find(reference.name);
      if (ordinal && std::find(callees.begin(), callees.end(), *ordinal) != callees.end()) {
        callee.setDSOLocal(true);
        has_some = true;
      }
    }
    return has_some;
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
  const FirstBodyOrder first_bodies_;
  std::unique_ptr<llvm::Module> described_;
  DescribedFunctions functions_;
  std::vector<CodeLines> lines_;
  std::vector<SymbolOrdinal> ordinals_;
};

}  // namespace

absl::StatusOr<CodeDescription> DescribeBodiesOf(LoadedModule& module,
                                                 const DescriptionOrder& order,
                                                 const Target& target, CompileContext& context) {
  if (!module.source().is_reopenable()) {
    if (!context.keeps_lines()) return absl::UnimplementedError("the module is given in memory");
    module.source().KeepAsBitcode();  // Perhaps nothing was compiled: bodies come from a cache.
  }
  FIRSTCALL_ASSIGN_OR_RETURN(ModuleView * view, context.View(module));
  absl::MutexLock lock(&view->mutex());
  FIRSTCALL_RETURN_IF_ERROR(view->ReadMetadata());
  if (view->module().getNamedMetadata(kCompileUnits) == nullptr) {
    return absl::NotFoundError("the module has no debug information");
  }
  FIRSTCALL_ASSIGN_OR_RETURN(baseline::BaselineGenerator * baseline, context.Baseline());
  if (baseline == nullptr) {
    return absl::UnimplementedError("the baseline code generator is turned off");
  }
  Description description(module, order, context, *view, *baseline);
  for (size_t i = 0; i < order.functions.size(); ++i) description.Add(i);
  return description.Finish(target);
}

}  // namespace firstcall
