#include "compiler/first_body.h"

#include <utility>

#include "backend/llvm/required_lowering.h"
#include "base/status.h"
#include "seam/poll_allowance.h"
#include "splitter/extract_options.h"
#include "splitter/function_extractor.h"

namespace firstcall {
absl::StatusOr<std::unique_ptr<llvm::Module>> ExtractFirstBody(ModuleView& view,
                                                               LoadedModule& module,
                                                               SymbolOrdinal function,
                                                               const FirstBodyOrder& order,
                                                               const CompileContext& context) {
  ExtractOptions options;
  options.verify = !module.source().is_verified();
  options.optnone = context.optnone();
  options.debug_info = order.debug_info.value_or(context.kept_debug_info());
  options.optnone_ignores_debug_info = order.debug_info || context.keeps_lines();
  options.drop_alias_metadata = true;
  options.is_far = order.is_far;
  options.keep_in_view = true;
  if (order.asks_when_called) {
    options.body = ReplaceableBody{kUnlimitedPolls, *order.asks_when_called,
                                   /*polls_in_code=*/true};
  }
  const auto may_join = [](SymbolOrdinal) { return false; };
  const auto is_warm = [](SymbolOrdinal) { return false; };
  const auto simplify = [](llvm::Function&) {};
  FIRSTCALL_ASSIGN_OR_RETURN(FunctionModule extracted,
                             ExtractFunction(view, module.index(), function, options,
                                             {order.is_replaced, may_join, is_warm, simplify}));
  if (extracted.leader) return absl::UnimplementedError("it is inseparable from others");
  if (RequiredLowering::IsNeededFor(*extracted.module)) {
    return absl::NotFoundError("its IR is lowered first");
  }
  return std::move(extracted.module);
}

}  // namespace firstcall
