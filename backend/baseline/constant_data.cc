#include "backend/baseline/constant_data.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backend/baseline/constants.h"
#include "ir/constant.h"
#include "ir/opcode.h"
#include "ir/operand.h"
#include "ir/type.h"

namespace firstcall::baseline {
namespace {

using ir::ConstantKind;

// A larger one would be copied into many functions.
constexpr uint64_t kMostBytes = 16384;
constexpr uint64_t kMostAlignment = 16;
// Contents that consist of more constants than this, one in another, are not written.
constexpr unsigned kMostNested = 256;

bool IsCandidate(const ir::Global& global) {
  return global.IsVariable() && global.is_constant() && !global.is_declaration() &&
         global.HasLocalLinkage() && global.unnamed_address() == ir::UnnamedAddress::kGlobal &&
         !global.IsThreadLocal() && global.section().empty() && !HasImplicitSection(global) &&
         global.alignment() <= kMostAlignment && global.value_type()->is_sized &&
         global.value_type()->alloc_size <= kMostBytes;
}

bool IsLocalVariable(const ir::Global& global) {
  return global.IsVariable() && global.HasLocalLinkage();
}

// Whether references to `global` from its own module go to the same object.
bool IsInSameObject(const ir::Global& global) {
  return global.IsVariable() && !global.is_declaration() && !global.IsWeakForLinker();
}

class DataWriter {
 public:
  DataWriter(const ir::Global& variable, const ir::Module& module, uint32_t label_owner,
             ConstantData& data)
      : variable_(variable), constants_(module), label_owner_(label_owner), data_(data) {}

  bool Write() {
    data_.references.clear();
    data_.labels.clear();
    data_.bytes.clear();
    const ir::Constant& value = constants_[variable_.initializer];
    if (value.type != variable_.value_type() || !value.type->is_sized) return false;
    data_.bytes.resize(value.type->alloc_size, 0);
    return Write(value, 0);
  }

 private:
  bool Write(const ir::Constant& constant, uint64_t offset) {
    // What takes no bytes may be nested in itself many times over.
    if (constant.IsZero() || constant.IsUndefined() || constant.type->alloc_size == 0) return true;
    switch (constant.kind) {
      case ConstantKind::kData:
        WriteBytes(constant.data().data(), constant.data().size(), offset);
        return true;
      case ConstantKind::kAggregate:
        return WriteMembers(constant, offset);
      case ConstantKind::kInteger:
      case ConstantKind::kFloat:
        WriteNumber(constant, offset);
        return true;
      default:
        return WriteReference(constant, offset);
    }
  }

  // Of a structure or an array.
  bool WriteMembers(const ir::Constant& aggregate, uint64_t offset) {
    const ir::Type& type = *aggregate.type;
    if (!type.IsAggregate() || depth_ == kMostNested) return false;
    ++depth_;
    const absl::Span<const ir::Operand> members = aggregate.operands();
    for (size_t i = 0; i < members.size(); ++i) {
      const uint64_t distance = type.IsStruct() ? type.offsets[i] : i * type.element()->alloc_size;
      if (!Write(constants_[members[i]], offset + distance)) return false;
    }
    --depth_;
    return true;
  }

  // What lies above the width of a number is zero in memory.
  void WriteNumber(const ir::Constant& number, uint64_t offset) {
    const uint64_t size = (number.type->bit_size + 7) / 8;
    const absl::Span<const uint64_t> words = number.words();
    if (words.empty()) {
      const uint64_t bits = number.IsInteger() ? number.unsigned_bits() : number.bits();
      WriteBytes(&bits, std::min<uint64_t>(size, sizeof(bits)), offset);
    } else {
      WriteBytes(words.data(), std::min<uint64_t>(size, 8 * words.size()), offset);
    }
  }

  void WriteBytes(const void* bytes, uint64_t size, uint64_t offset) {
    std::memcpy(data_.bytes.data() + offset, bytes, size);
  }

  bool WriteReference(const ir::Constant& constant, uint64_t offset) {
    if (constant.type->IsInteger(32)) return WriteDistance(constant, offset);
    if (!constant.type->IsIntegerOrPointer() || constant.type->bit_size != 64) return false;
    const ConstantPart part = PartOf(constant, 0, constants_);
    if (part.kind == ConstantPart::Kind::kBits) {
      WriteBytes(&part.low, sizeof(part.low), offset);
      return true;
    }
    if (part.kind == ConstantPart::Kind::kBlockAddress) {
      if (constants_.module().NumberOf(*part.global) != label_owner_) return false;
      data_.labels.push_back({static_cast<uint32_t>(offset), part.block});
      return true;
    }
    return part.kind == ConstantPart::Kind::kAddress &&
           AddReference(*part.global, offset, static_cast<int64_t>(part.low), false);
  }

  // trunc(address - an address in the variable itself), as in tables for llvm.load.relative.
  bool WriteDistance(const ir::Constant& narrowed, uint64_t offset) {
    if (!IsExpression(narrowed, ir::Opcode::kTrunc)) return false;
    const ir::Constant& difference = constants_[narrowed.operands()[0]];
    if (!IsExpression(difference, ir::Opcode::kSub)) return false;
    const ConstantPart to = PartOf(constants_[difference.operands()[0]], 0, constants_);
    const ConstantPart from = PartOf(constants_[difference.operands()[1]], 0, constants_);
    // Only what is in the same object is certainly within reach, and each thread has thread-local
    // variables elsewhere.
    return !variable_.IsThreadLocal() && to.kind == ConstantPart::Kind::kAddress &&
           from.kind == ConstantPart::Kind::kAddress && from.global == &variable_ &&
           IsInSameObject(*to.global) &&
           AddReference(*to.global, offset, static_cast<int64_t>(to.low - from.low + offset), true);
  }

  static bool IsExpression(const ir::Constant& constant, ir::Opcode opcode) {
    return constant.kind == ConstantKind::kExpression && constant.opcode == opcode;
  }

  bool AddReference(const ir::Global& global, uint64_t offset, int64_t addend, bool is_distance) {
    if (global.IsThreadLocal()) return false;
    data_.references.push_back({static_cast<uint32_t>(offset), &global, addend, is_distance});
    return true;
  }

  const ir::Global& variable_;
  const ir::Constants constants_;
  const uint32_t label_owner_;
  ConstantData& data_;
  unsigned depth_ = 0;  // The number of aggregates that the one being written is a part of.
};

}  // namespace

bool HasImplicitSection(const ir::Global& variable) {
  const ir::AttributeSet& attributes = variable.variable_attributes();
  return attributes.HasString("bss-section") || attributes.HasString("data-section") ||
         attributes.HasString("relro-section") || attributes.HasString("rodata-section");
}

bool IsCopied(const ir::Global& global, const ir::Module& module) {
  if (!IsCandidate(global) || module.IsUsedByData(module.NumberOf(global))) return false;
  const ir::Constant& value = module.constant(global.initializer);
  if (value.type != global.value_type()) return false;
  // The usual ones, strings, need not be written to know it.
  if (value.kind == ConstantKind::kData || value.IsZero()) return true;
  ConstantData data;
  return WriteData(global, module, data) &&
         std::none_of(data.references.begin(), data.references.end(),
                      [](const ConstantData::Reference& reference) {
                        return IsLocalVariable(*reference.global);
                      });
}

bool WriteData(const ir::Global& variable, const ir::Module& module, ConstantData& data,
               uint32_t label_owner) {
  return DataWriter(variable, module, label_owner, data).Write();
}

}  // namespace firstcall::baseline
