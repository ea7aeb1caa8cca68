#include "direct/replaceable_body.h"

#include "ir/attributes.h"
#include "ir/global.h"

namespace firstcall::direct {
namespace {

// Functions with these conventions cannot call others.
bool MayCallOthers(ir::CallingConvention convention) {
  constexpr ir::CallingConvention kGhc = 10, kHipe = 11, kAnyReg = 13, kX86Interrupt = 83;
  return convention != kGhc && convention != kHipe && convention != kAnyReg &&
         convention != kX86Interrupt;
}

}  // namespace

absl::StatusOr<bool> ReplaceableBody::IsReplaceable(const ir::Function& body, bool keeps_optnone) {
  const ir::Global& function = body.global();
  const ir::AttributeSet& attributes = body.attributes().function;
  if (!MayCallOthers(function.convention()) || keeps_optnone || !function.collector().empty() ||
      attributes.Has(ir::Attribute::kPresplitCoroutine) || attributes.Has(ir::Attribute::kNaked)) {
    return false;
  }
  users_.Begin(body);
  labels_.Find(body, users_);
  if (labels_.place() == Labels::Place::kUnknown) {
    return absl::UnimplementedError("what becomes of labels is not known");
  }
  return labels_.place() == Labels::Place::kInside;
}

}  // namespace firstcall::direct
