#include "backend/baseline/constants.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "backend/baseline/constant_data.h"
#include "backend/baseline/value_parts.h"
#include "ir/opcode.h"
#include "ir/type.h"

namespace firstcall::baseline {
namespace {

using Kind = ConstantPart::Kind;
using ir::ConstantKind;

// A constant that consists of more others than this, one in another, is not supported.
constexpr unsigned kMostNested = 256;
// A table of labels lies behind the code, whose section would be aligned to more than this.
constexpr uint64_t kMostTableAlignment = 64;

ConstantPart Bits(uint64_t low, uint64_t high = 0) {
  ConstantPart part;
  part.kind = Kind::kBits;
  part.low = low;
  part.high = high;
  return part;
}

// The lowest `bits` bits of `value`, sign-extended. `bits` is 1 to 64.
uint64_t SignExtended(uint64_t value, unsigned bits) {
  return static_cast<uint64_t>(static_cast<int64_t>(value << (64 - bits)) >> (64 - bits));
}

// Of up to 128 bits.
ConstantPart IntegerPart(const ir::Constant& constant, unsigned part) {
  const unsigned bits = constant.type->number;
  if (bits <= 64) return Bits(constant.bits());
  const absl::Span<const uint64_t> words = constant.words();
  if (bits > 128 || part >= words.size()) return ConstantPart();
  return Bits(part == 0 ? words[0] : SignExtended(words[part], bits - 64));
}

// Of 80 bits.
ConstantPart LongDoublePart(const ir::Constant& constant, unsigned part) {
  const absl::Span<const uint64_t> words = constant.words();
  if (part >= words.size()) return ConstantPart();
  return Bits(part == 0 ? words[0] : SignExtended(words[part], 16));
}

// Of an array or a vector of numbers.
ConstantPart DataPart(const ir::Constant& constant, unsigned part) {
  const ir::Type& element = *constant.type->element();
  if (!element.IsInteger() && !element.IsFloat() && !element.IsDouble() &&
      !IsSmallFloat(&element)) {
    return ConstantPart();
  }
  const bool is_vector = constant.type->IsFixedVector();
  const size_t size = is_vector ? 16 : element.store_size;
  const absl::string_view data = constant.data();
  if (size > 16 || part >= (data.size() + size - 1) / size) return ConstantPart();
  uint64_t halves[2] = {0, 0};
  std::memcpy(halves, data.data() + part * size, std::min(size, data.size() - part * size));
  if (is_vector) return Bits(halves[0], halves[1]);
  return Bits(element.IsInteger() ? SignExtended(halves[0], element.number) : halves[0]);
}

// Whether values of the type are eight bytes in a general register.
bool IsWord(const ir::Type& type) { return type.IsIntegerOrPointer() && type.bit_size == 64; }

class PartFinder {
 public:
  explicit PartFinder(const ir::Constants& constants) : constants_(constants) {}

  ConstantPart Find(const ir::Constant& constant, unsigned part) {
    switch (constant.kind) {
      case ConstantKind::kInteger:
        return IntegerPart(constant, part);
      case ConstantKind::kFloat:
        if (IsLongDouble(constant.type)) return LongDoublePart(constant, part);
        if (IsQuad(constant.type)) {
          const absl::Span<const uint64_t> words = constant.words();
          return words.size() == 2 ? Bits(words[0], words[1]) : ConstantPart();
        }
        if (!constant.type->IsFloat() && !constant.type->IsDouble() &&
            !IsSmallFloat(constant.type)) {
          return ConstantPart();
        }
        return Bits(constant.bits());
      case ConstantKind::kNull:
        return Bits(0);
      case ConstantKind::kUndef:
      case ConstantKind::kPoison: {
        ConstantPart undefined = Bits(0);
        undefined.is_undefined = true;
        return undefined;
      }
      case ConstantKind::kAggregate:
        if (constant.type->IsFixedVector()) return VectorPart(constant, part);
        return MemberPart(constant, part);
      case ConstantKind::kData:
        return DataPart(constant, part);
      case ConstantKind::kGlobal:
      case ConstantKind::kDsoLocalEquivalent:
      case ConstantKind::kNoCfi:
        return AddressPart(Kind::kAddress, constant);
      case ConstantKind::kBlockAddress: {
        ConstantPart address = AddressPart(Kind::kBlockAddress, constant);
        address.block = constant.block();
        return address;
      }
      case ConstantKind::kExpression:
        return ExpressionPart(constant);
      case ConstantKind::kInlineAssembly:
      case ConstantKind::kEmptyAssembly:
      case ConstantKind::kMetadata:
      case ConstantKind::kOther:
        break;
    }
    return ConstantPart();
  }

 private:
  // A part of what a constant consists of.
  ConstantPart FindInside(ir::Operand operand, unsigned part) {
    if (depth_ == kMostNested) return ConstantPart();
    ++depth_;
    const ConstantPart found = Find(constants_[operand], part);
    --depth_;
    return found;
  }

  ConstantPart AddressPart(Kind kind, const ir::Constant& constant) const {
    ConstantPart part;
    part.kind = kind;
    part.global = &constants_.module().globals()[constant.global];
    return part;
  }

  // Of an expression whose value is an address, or is computed from one.
  ConstantPart ExpressionPart(const ir::Constant& expression) {
    if (!IsWord(*expression.type)) return ConstantPart();
    const absl::Span<const ir::Operand> operands = expression.operands();
    switch (expression.opcode) {
      case ir::Opcode::kBitCast:
      case ir::Opcode::kIntToPtr:
      case ir::Opcode::kPtrToInt:
        if (!IsWord(*constants_[operands[0]].type)) return ConstantPart();
        return FindInside(operands[0], 0);
      case ir::Opcode::kGetElementPtr: {
        uint64_t offset = 0;
        if (!AddOffset(expression, offset)) return ConstantPart();
        ConstantPart part = FindInside(operands[0], 0);
        if (part.kind == Kind::kBlockAddress) return ConstantPart();
        part.low += offset;
        return part;
      }
      case ir::Opcode::kAdd:
      case ir::Opcode::kSub: {
        if (!expression.type->IsInteger()) return ConstantPart();
        ConstantPart left = FindInside(operands[0], 0);
        const ConstantPart right = FindInside(operands[1], 0);
        if (right.kind != Kind::kBits || left.kind == Kind::kBlockAddress) return ConstantPart();
        left.low += expression.opcode == ir::Opcode::kAdd ? right.low : -right.low;
        return left;
      }
      default:
        return ConstantPart();
    }
  }

  // Adds the distance in bytes from the base of the getelementptr to `offset`. False if an index is
  // no integer, or if a size is not known.
  bool AddOffset(const ir::Constant& address, uint64_t& offset) const {
    const ir::Type* type = address.source_type();
    bool is_first = true;
    for (ir::Operand operand : address.operands().subspan(1)) {
      const ir::Constant& index = constants_[operand];
      if (!index.IsInteger()) return false;
      const uint64_t number = index.type->number <= 64 ? index.bits() : index.words()[0];
      if (is_first) {
        if (number != 0 && !type->is_sized) return false;
        offset += number * type->alloc_size;
        is_first = false;
      } else if (type->IsStruct()) {
        if (number >= type->offsets.size()) return false;
        offset += type->offsets[number];
        type = type->members()[number];
      } else if (type->IsArray() || type->IsVector()) {
        if (number != 0 && !type->element()->is_sized) return false;
        offset += number * type->element_stride();
        type = type->element();
      } else {
        return false;
      }
    }
    return true;
  }

  ConstantPart VectorPart(const ir::Constant& vector, unsigned part) {
    const absl::Span<const ir::Operand> elements = vector.operands();
    if (elements.empty()) return ConstantPart();
    const ir::Type& type = *vector.type->element();
    // The lanes of a vector of i1 are masks.
    const uint64_t bits = type.IsInteger(1) ? MaskLaneBits(elements.size()) : type.bit_size;
    if (bits == 0 || bits > 64) return ConstantPart();
    const uint64_t lanes = std::min<uint64_t>(128 / bits, elements.size());
    uint64_t halves[2] = {0, 0};
    const uint64_t first = part * (128 / bits);
    if (first >= elements.size()) return ConstantPart();
    for (unsigned i = 0; i < lanes; ++i) {
      const uint64_t number = first + i;
      if (number >= elements.size()) break;
      const ConstantPart lane = FindInside(elements[number], 0);
      if (lane.kind != Kind::kBits) return ConstantPart();
      const uint64_t value = bits == 64 ? lane.low : lane.low & ((uint64_t{1} << bits) - 1);
      halves[i * bits / 64] |= value << (i * bits % 64);
    }
    return Bits(halves[0], halves[1]);
  }

  // Of a structure or an array: a part of the member that has the part.
  ConstantPart MemberPart(const ir::Constant& aggregate, unsigned part) {
    for (ir::Operand member : aggregate.operands()) {
      const unsigned count = PartCount(constants_[member].type);
      if (part < count) return FindInside(member, part);
      part -= count;
    }
    return ConstantPart();
  }

  const ir::Constants& constants_;
  unsigned depth_ = 0;  // The number of constants that the one being looked at is a part of.
};

bool HasOnlyZeroIndices(const ir::Constant& address, const ir::Constants& constants) {
  const absl::Span<const ir::Operand> indices = address.operands().subspan(1);
  return std::all_of(indices.begin(), indices.end(), [&](ir::Operand index) {
    return constants[index].IsInteger() && constants[index].IsZero();
  });
}

// What `expression`, a pointer, is a cast of. Nothing if it is none.
ir::Operand UncastOnce(const ir::Constant& expression, const ir::Constants& constants) {
  switch (expression.opcode) {
    case ir::Opcode::kBitCast:
    case ir::Opcode::kAddrSpaceCast:
      break;
    case ir::Opcode::kGetElementPtr:
      if (!HasOnlyZeroIndices(expression, constants)) return ir::Operand();
      break;
    default:
      return ir::Operand();
  }
  const ir::Operand base = expression.operands()[0];
  return constants[base].type->IsPointer() ? base : ir::Operand();
}

// Whether `constant` is the address of a block of the function number `function`.
bool IsLabel(const ir::Constant& constant, uint32_t function) {
  return constant.kind == ConstantKind::kBlockAddress && constant.global == function;
}

// Whether `constant` consists of such an address, and perhaps others.
bool HoldsLabel(const ir::Constant& constant, const ir::Constants& constants, uint32_t function) {
  const absl::Span<const ir::Operand> members = constant.operands();
  return std::any_of(members.begin(), members.end(),
                     [&](ir::Operand member) { return IsLabel(constants[member], function); });
}

// Whether the module's data has such addresses.
bool HasLabelsInData(const ir::Module& module, uint32_t function) {
  const absl::Span<const uint32_t> addresses = module.block_addresses();
  return std::any_of(addresses.begin(), addresses.end(), [&](uint32_t number) {
    return IsLabel(module.constants()[number], function);
  });
}

// Finds the constants of the module that such addresses are a part of, by number. False if one of
// them is no array and no structure, or if there are too many, one in another.
bool FindHolders(const ir::Module& module, uint32_t function, std::vector<bool>& holds) {
  constexpr int kMostPasses = 8;
  const absl::Span<const ir::Constant> all = module.constants();
  holds.assign(all.size(), false);
  for (uint32_t number : module.block_addresses()) holds[number] = IsLabel(all[number], function);
  // Most constants stand behind those that they consist of.
  for (int pass = 0; pass < kMostPasses; ++pass) {
    bool has_changed = false;
    for (size_t i = 0; i < all.size(); ++i) {
      const absl::Span<const ir::Operand> members = all[i].operands();
      if (holds[i] || std::none_of(members.begin(), members.end(),
                                   [&](ir::Operand member) { return holds[member.number()]; })) {
        continue;
      }
      if (all[i].kind != ConstantKind::kAggregate || !all[i].type->IsAggregate()) return false;
      holds[i] = has_changed = true;
    }
    if (!has_changed) return true;
  }
  return false;
}

// Whether the data of the module has addresses of the function's blocks only in tables of labels.
// Adds these to `tables`.
bool AreLabelsInTables(const ir::Module& module, uint32_t function,
                       std::vector<const ir::Global*>& tables) {
  std::vector<bool> holds;
  if (!FindHolders(module, function, holds)) return false;
  const auto has_label = [&](ir::Operand operand) {
    return operand.IsConstant() && holds[operand.number()];
  };
  for (const ir::Global& global : module.globals()) {
    if (has_label(global.personality()) || has_label(global.prefix_data()) ||
        has_label(global.prologue_data())) {
      return false;
    }
    if (!has_label(global.initializer)) continue;
    if (!IsLabelTable(global, module, function)) return false;
    tables.push_back(&global);
  }
  return true;
}

}  // namespace

ConstantPart PartOf(const ir::Constant& constant, unsigned part, const ir::Constants& constants) {
  return PartFinder(constants).Find(constant, part);
}

ir::Operand WithoutCasts(ir::Operand operand, const ir::Constants& constants) {
  for (unsigned i = 0; i < kMostNested && operand.IsConstant(); ++i) {
    const ir::Constant& constant = constants[operand];
    if (constant.kind != ConstantKind::kExpression || !constant.type->IsPointer()) break;
    const ir::Operand base = UncastOnce(constant, constants);
    if (base.IsNothing()) break;
    operand = base;
  }
  return operand;
}

bool IsLabelTable(const ir::Global& global, const ir::Module& module, uint32_t function) {
  // Of most variables, readers have not found out who uses them.
  const uint32_t user = module.OnlyUserOf(module.NumberOf(global));
  if (user != function && user != ir::Module::kNobody) return false;
  if (!global.IsVariable() || !global.is_constant() || global.is_declaration()) return false;
  if (!global.section().empty()) return false;  // Others find it by the section's bounds.
  ConstantData data;
  return global.alignment() <= kMostTableAlignment && WriteData(global, module, data, function) &&
         !data.labels.empty() &&
         std::none_of(data.references.begin(), data.references.end(),
                      [](const ConstantData::Reference& reference) {
                        return reference.is_distance || reference.global->HasLocalLinkage();
                      });
}

bool KeepsItsLabels(const ir::Function& function, std::vector<const ir::Global*>& tables) {
  if (function.has_shared_blocks()) return false;
  const uint32_t number = function.global_number();
  const ir::Constants constants = function.all_constants();
  for (const ir::Constant& constant : function.constants) {
    if (HoldsLabel(constant, constants, number)) return false;
  }
  return !HasLabelsInData(function.module(), number) ||
         AreLabelsInTables(function.module(), number, tables);
}

bool IsSupported(const ir::Constant& constant, const ir::Function& function) {
  if (constant.IsInteger()) return constant.type->number <= 128;
  const absl::Span<const ir::Global> globals = function.module().globals();
  if ((constant.IsGlobal() && globals[constant.global].IsFunction()) ||
      (constant.kind == ConstantKind::kNull && constant.type->IsPointer())) {
    return constant.type->number == 0;
  }
  const unsigned count = PartCount(constant.type);
  if (count == 0) return false;
  const ir::Constants constants = function.all_constants();
  for (unsigned i = 0; i < count; ++i) {
    const ConstantPart part = PartOf(constant, i, constants);
    if (part.kind == Kind::kUnsupported) return false;
    if (part.kind == Kind::kBlockAddress && part.global != &function.global()) return false;
    if (part.kind == Kind::kAddress) {
      if (part.global->IsThreadLocal() || part.global->address_space() != 0) return false;
      // It may be a constant that lies behind the code.
      if (part.global->IsVariable() && part.global->is_constant() &&
          !IsCloseToSymbol(static_cast<int64_t>(part.low))) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace firstcall::baseline
