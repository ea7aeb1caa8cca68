#include "direct/constant_address.h"

#include "absl/types/span.h"
#include "ir/constant.h"
#include "ir/global.h"
#include "ir/opcode.h"
#include "ir/type.h"

namespace firstcall::direct {
namespace {

// Longer chains of expressions and aliases are not followed, so that a ring ends.
constexpr int kMostSteps = 1024;

// The distance that the indices of the getelementptr `address` make. Nothing if an index is no
// integer, or a type has no layout.
std::optional<int64_t> OffsetOf(const ir::Module& module, const ir::Constant& address) {
  const absl::Span<const ir::Operand> operands = address.operands();
  const ir::Type* type = address.source_type();
  uint64_t offset = 0;
  for (size_t i = 1; i < operands.size(); ++i) {
    const ir::Constant& index = module.constant(operands[i]);
    if (!index.IsInteger() || !type->is_sized) return std::nullopt;
    const uint64_t value = index.words().empty() ? index.bits() : index.words()[0];
    if (i == 1) {
      offset += value * type->alloc_size;
    } else if (type->IsStruct()) {
      const uint64_t member = index.unsigned_bits();
      if (member >= type->offsets.size()) return std::nullopt;
      offset += type->offsets[member];
      type = type->members()[member];
    } else if (type->IsArray() || type->IsFixedVector()) {
      offset += value * type->element_stride();
      type = type->element();
    } else {
      return std::nullopt;
    }
  }
  return static_cast<int64_t>(offset);
}

bool HasOnlyZeroIndices(const ir::Module& module, const ir::Constant& address) {
  for (ir::Operand index : address.operands().subspan(1)) {
    if (!module.constant(index).IsZero()) return false;
  }
  return true;
}

}  // namespace

std::optional<ConstantAddress> AddressOf(const ir::Module& module, ir::Operand address) {
  ConstantAddress found;
  uint64_t offset = 0;
  for (int step = 0; step < kMostSteps; ++step) {
    const ir::Constant& constant = module.constant(address);
    if (!constant.type->IsPointer()) return std::nullopt;
    if (constant.IsGlobal()) {
      const ir::Global& global = module.globals()[constant.global];
      if (global.kind() != ir::GlobalKind::kAlias) {
        if (offset != 0 && global.address_space() != 0) return std::nullopt;
        found.global = constant.global;
        found.offset = static_cast<int64_t>(offset);
        return found;
      }
      address = global.initializer;
      continue;
    }
    if (constant.kind != ir::ConstantKind::kExpression) return std::nullopt;
    if (constant.opcode == ir::Opcode::kGetElementPtr) {
      const std::optional<int64_t> distance = OffsetOf(module, constant);
      if (!distance) return std::nullopt;
      offset += static_cast<uint64_t>(*distance);
    } else if (constant.opcode != ir::Opcode::kBitCast) {
      return std::nullopt;
    }
    address = constant.operands()[0];
  }
  return std::nullopt;
}

uint32_t GlobalWithoutCasts(const ir::Module& module, ir::Operand address) {
  for (int step = 0; step < kMostSteps; ++step) {
    const ir::Constant& constant = module.constant(address);
    if (constant.IsGlobal()) return constant.global;
    if (constant.kind != ir::ConstantKind::kExpression || !constant.type->IsPointer()) break;
    const bool is_cast =
        constant.opcode == ir::Opcode::kBitCast || constant.opcode == ir::Opcode::kAddrSpaceCast;
    const bool is_same_place =
        constant.opcode == ir::Opcode::kGetElementPtr && HasOnlyZeroIndices(module, constant);
    if (!is_cast && !is_same_place) break;
    address = constant.operands()[0];
  }
  return ir::kNone;
}

}  // namespace firstcall::direct
