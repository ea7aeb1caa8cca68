#include "direct/address_use.h"

#include <utility>

#include "absl/types/span.h"
#include "ir/constant.h"
#include "ir/module.h"

namespace firstcall::direct {

AddressUse::AddressUse(const ir::Function& body, std::vector<ir::Operand> initializers)
    : body_(body), initializers_(std::move(initializers)) {
  seen_.assign(body.module().constants().size() + body.constants.size(), false);
  for (ir::Operand operand : body.operands) {
    if (!operand.IsConstant() || seen_[operand.number()]) continue;
    seen_[operand.number()] = true;
    roots_.push_back(operand);
  }
}

bool AddressUse::LeadTo(uint32_t variable, const std::vector<ir::Operand>& constants,
                        bool through_data) {
  seen_.assign(seen_.size(), false);
  bool is_found = false;
  pending_ = constants;
  while (!pending_.empty()) {
    const ir::Operand operand = pending_.back();
    pending_.pop_back();
    if (seen_[operand.number()]) continue;
    seen_[operand.number()] = true;
    const ir::Constant& constant = body_.constant(operand);
    is_found |= constant.IsGlobal() && constant.global == variable;
    const bool is_followed = through_data || constant.kind == ir::ConstantKind::kExpression;
    std::vector<ir::Operand>& parts = is_followed ? pending_ : data_;
    const absl::Span<const ir::Operand> operands = constant.operands();
    parts.insert(parts.end(), operands.begin(), operands.end());
  }
  return is_found;
}

AddressUse::Kind AddressUse::Of(uint32_t variable) {
  data_ = initializers_;
  const bool is_used = LeadTo(variable, roots_, /*through_data=*/false);
  if (LeadTo(variable, data_, /*through_data=*/true)) {
    return Kind::kByData;
  }
  return is_used ? Kind::kByInstructions : Kind::kNone;
}

}  // namespace firstcall::direct
