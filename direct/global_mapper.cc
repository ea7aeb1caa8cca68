#include "direct/global_mapper.h"

#include "ir/constant.h"
#include "ir/instruction.h"
#include "ir/opcode.h"
#include "ir/type.h"

namespace firstcall::direct {
namespace {

using ir::ConstantKind;

// Marks numbers of GlobalMapper::displaced_.
constexpr uint32_t kDisplacedBit = uint32_t{1} << 31;

// Of the parts that functions and variables have for themselves, a declaration of an alias has
// none.
void FillDeclaration(const ir::GlobalTraits& original, ir::GlobalTraits& declaration) {
  declaration.thread_local_mode = original.thread_local_mode;
  declaration.address_space = original.address_space;
  declaration.type = original.type;
  declaration.value_type = original.value_type;
  if (original.linkage == ir::Linkage::kExternalWeak) {
    declaration.linkage = ir::Linkage::kExternalWeak;
  }
  if (original.kind == ir::GlobalKind::kFunction) {
    declaration.convention = original.convention;
    declaration.intrinsic = original.intrinsic;
    declaration.attributes = original.attributes;
  } else if (original.kind == ir::GlobalKind::kVariable) {
    declaration.is_constant = original.is_constant;
    declaration.alignment = original.alignment;
  }
}

}  // namespace

void GlobalMapper::Begin(const ir::Module& source, ReferenceNames& names, ir::Module& module) {
  source_ = &source;
  names_ = &names;
  module_ = &module;
  definitions_.clear();
  displaced_.clear();
  for (NumberMap* map : {&addresses_, &calls_, &table_entries_, &bodies_}) {
    map->Clear(source.globals().size());
  }
}

uint32_t GlobalMapper::Declare(const ir::NewGlobal& declaration) {
  module_->AddGlobal(declaration);
  return static_cast<uint32_t>(module_->globals().size() - 1);
}

uint32_t GlobalMapper::DefineFunction(uint32_t original, absl::string_view name, bool is_near) {
  ir::NewGlobal definition(source_->globals()[original]);
  definition.name = name;
  definition.comdat = ir::kNone;
  definition.traits.linkage = ir::Linkage::kExternal;
  definition.traits.visibility = ir::Visibility::kDefault;
  definition.traits.is_dso_local = is_near;
  definition.traits.section = {};
  const uint32_t number = Declare(definition);
  bodies_.Set(original, number);
  definitions_.push_back({original, number, /*is_table=*/false});
  return number;
}

uint32_t GlobalMapper::DefineVariable(uint32_t original, uint32_t known_as, bool is_table,
                                      const ir::NewGlobal& definition) {
  const uint32_t number = Declare(definition);
  addresses_.Set(known_as, number);
  definitions_.push_back({original, number, is_table});
  return number;
}

uint32_t GlobalMapper::AddCopy(uint32_t original) {
  ir::NewGlobal copy(source_->globals()[original]);
  copy.comdat = ir::kNone;
  copy.traits.linkage = ir::Linkage::kPrivate;
  copy.traits.visibility = ir::Visibility::kDefault;
  copy.traits.is_dso_local = true;
  return DefineVariable(original, original, /*is_table=*/false, copy);
}

uint32_t GlobalMapper::AddDeclaration(uint32_t original, const Reference& reference) {
  const ir::Global& from = source_->globals()[original];
  ir::NewGlobal declaration;
  ir::GlobalTraits& traits = declaration.traits;
  const bool is_function = from.value_type() != nullptr && from.value_type()->IsFunction();
  traits.kind = is_function ? ir::GlobalKind::kFunction : ir::GlobalKind::kVariable;
  FillDeclaration(*from.traits, traits);
  if (is_function && traits.attributes == nullptr)
    traits.attributes = module_->storage().AddAttributes();
  traits.is_dso_local = reference.is_near;
  declaration.name = module_->storage().Keep(reference.name);
  return Declare(declaration);
}

bool GlobalMapper::ReachAddress(uint32_t original) {
  if (addresses_.Has(original)) return false;
  const Reference reference = names_->OfAddress(original);
  if (reference.base != original) {
    const bool is_copied = ReachAddress(reference.base);
    uint32_t number = addresses_[reference.base];
    if (reference.offset != 0 && (number & kDisplacedBit) == 0) {
      displaced_.push_back({number, reference.offset});
      number = static_cast<uint32_t>(displaced_.size() - 1) | kDisplacedBit;
    }
    addresses_.Set(original, number);
    return is_copied;
  }
  if (reference.is_copied) {
    AddCopy(original);
    return true;
  }
  addresses_.Set(original, AddDeclaration(original, reference));
  return false;
}

uint32_t GlobalMapper::ReachTableEntry(uint32_t original) {
  if (table_entries_.Has(original)) return table_entries_[original];
  const Reference reference = names_->OfTableEntry(original);
  if (reference.base == ir::kNone) return kMissing;
  const uint32_t number = AddDeclaration(reference.base, reference);
  table_entries_.Set(original, number);
  return number;
}

uint32_t GlobalMapper::ReachCallee(const ir::Function& body, const ir::Instruction& call,
                                   uint32_t function, Calls calls) {
  const auto is_straight = [&](uint32_t target) {
    return calls == Calls::kStraight || target > function;
  };
  const ir::Operand callee = body.CalleeOf(call);
  if (!callee.IsConstant()) return kMissing;
  const ir::Constant& constant = body.constant(callee);
  if (!constant.IsGlobal()) return kMissing;
  const uint32_t original = constant.global;
  const uint32_t known = bodies_[original];
  if (known != kMissing && is_straight(known)) return known;
  if (calls_.Has(original)) return calls_[original];
  const Reference reference = names_->OfCall(original);
  if (reference.base == ir::kNone) return kMissing;
  if (reference.base != original) {
    const uint32_t base = bodies_[reference.base];
    if (base != kMissing && is_straight(base)) return base;
    if (calls_.Has(reference.base)) return calls_[reference.base];
  }
  const uint32_t number = AddDeclaration(reference.base, reference);
  calls_.Set(reference.base, number);
  if (reference.base != original) calls_.Set(original, number);
  return number;
}

uint32_t GlobalMapper::Number(uint32_t original) const {
  const uint32_t number = addresses_[original];
  return (number & kDisplacedBit) == 0 ? number : displaced_[number & ~kDisplacedBit].base;
}

ir::Operand GlobalMapper::Address(uint32_t original) const {
  const uint32_t number = addresses_[original];
  return ir::Operand::Constant(
      (number & kDisplacedBit) == 0 ? number : displaced_[number & ~kDisplacedBit].constant);
}

void GlobalMapper::AddAddresses() {
  std::vector<ir::Constant>& constants = module_->mutable_constants();
  const absl::Span<const ir::Global> globals = module_->globals();
  constants.reserve(globals.size());
  for (uint32_t number = 0; number < globals.size(); ++number) {
    ir::Constant& address = constants.emplace_back();
    address.kind = ConstantKind::kGlobal;
    address.type = globals[number].type();
    address.global = number;
  }
  AddDisplaced();
}

void GlobalMapper::AddDisplaced() {
  if (displaced_.empty()) return;
  const auto integer_type = [&](uint32_t bits) {
    ir::Type type;
    type.kind = ir::TypeKind::kInteger;
    type.number = bits;
    return module_->AddType(type);
  };
  const ir::Type* const byte = integer_type(8);
  const ir::Type* const word = integer_type(64);
  std::vector<ir::Constant>& constants = module_->mutable_constants();
  for (Displaced& displaced : displaced_) {
    const auto distance = static_cast<uint32_t>(constants.size());
    ir::Constant& number = constants.emplace_back();
    number.kind = ConstantKind::kInteger;
    number.type = word;
    number.set_bits(static_cast<uint64_t>(displaced.offset));
    displaced.constant = static_cast<uint32_t>(constants.size());
    const ir::Type* const type = constants[displaced.base].type;
    ir::Constant& sum = constants.emplace_back();
    sum.kind = ConstantKind::kExpression;
    sum.opcode = ir::Opcode::kGetElementPtr;
    sum.type = type;
    sum.set_source_type(byte);
    sum.set_operands(module_->storage().Keep(std::vector<ir::Operand>{
        ir::Operand::Constant(displaced.base), ir::Operand::Constant(distance)}));
  }
}

}  // namespace firstcall::direct
