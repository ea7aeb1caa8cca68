// The order in which numbers are given: first all globals are found (Collect), because the
// constants of a module begin with their addresses. Complete then adds the constants that
// initializers need. Constants that only bodies need go to the bodies' own lists, as ir/from_llvm
// does it.

#include "direct/module_mapper.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "ir/constant.h"
#include "ir/instruction.h"
#include "ir/opcode.h"
#include "ir/type.h"

namespace firstcall::direct {
namespace {

using ir::ConstantKind;

// Constants that are nested more deeply are refused.
constexpr unsigned kMostNested = 256;

// Marks numbers of ModuleMapper::displaced_.
constexpr uint32_t kDisplacedBit = uint32_t{1} << 31;

// The constant has operands, or refers to a global.
bool RefersToSomething(const ir::Constant& constant) {
  return constant.global != ir::kNone || !constant.operands().empty();
}

}  // namespace

void ModuleMapper::Begin(const ir::Module& source, ReferenceNames& names) {
  source_ = &source;
  names_ = &names;
  module_ = std::make_unique<ir::Module>();
  module_->set_triple(source.triple());
  module_->set_layout(source.layout());
  module_->mutable_flags() = source.flags();
  definitions_.clear();
  displaced_.clear();
  labels_.clear();
  pending_.clear();
  status_ = absl::OkStatus();
  for (NumberMap* map : {&addresses_, &calls_, &table_entries_, &bodies_}) {
    map->Clear(source.globals().size());
  }
  for (NumberMap* map : {&seen_, &shared_, &tables_, &tables_here_, &of_body_})
    map->Clear(source.constants().size());
}

void ModuleMapper::Refuse(absl::string_view what) {
  if (status_.ok()) status_ = absl::UnimplementedError(what);
}

uint32_t ModuleMapper::Declare(const ir::NewGlobal& declaration) {
  module_->AddGlobal(declaration);
  return static_cast<uint32_t>(module_->globals().size() - 1);
}

uint32_t ModuleMapper::DefineFunction(uint32_t original, absl::string_view name) {
  ir::NewGlobal definition(source_->globals()[original]);
  definition.name = name;
  definition.comdat = ir::kNone;
  definition.traits.linkage = ir::Linkage::kExternal;
  definition.traits.visibility = ir::Visibility::kDefault;
  definition.traits.is_dso_local = true;
  definition.traits.section = {};
  const uint32_t number = Declare(definition);
  bodies_.Set(original, number);
  definitions_.push_back({original, number, /*is_table=*/false});
  return number;
}

uint32_t ModuleMapper::DefineVariable(const NewVariable& variable,
                                      const ir::NewGlobal& definition) {
  const uint32_t number = Declare(definition);
  addresses_.Set(variable.known_as, number);
  definitions_.push_back({variable.original, number, variable.is_table});
  return number;
}

uint32_t ModuleMapper::DefineLabels(absl::string_view name, uint32_t function,
                                    std::vector<uint32_t> blocks) {
  const ir::Type* const pointer = module_->globals()[function].type();
  ir::Type type;
  type.kind = ir::TypeKind::kArray;
  type.count = blocks.size();
  type.contained = module_->storage().Keep(std::vector<const ir::Type*>{pointer});
  ir::NewGlobal table;
  table.name = name;
  table.traits.linkage = ir::Linkage::kInternal;
  table.traits.is_dso_local = true;
  table.traits.is_declaration = false;
  table.traits.is_constant = true;
  table.traits.type = pointer;
  table.traits.value_type = module_->AddType(type);
  const uint32_t number = Declare(table);
  labels_.push_back({number, function, std::move(blocks)});
  return number;
}

uint32_t ModuleMapper::AddCopy(uint32_t original) {
  ir::NewGlobal copy(source_->globals()[original]);
  copy.comdat = ir::kNone;
  copy.traits.linkage = ir::Linkage::kPrivate;
  copy.traits.visibility = ir::Visibility::kDefault;
  copy.traits.is_dso_local = true;
  return DefineVariable({original, original}, copy);
}

// Of the parts that functions and variables have for themselves, a declaration of an alias has
// none.
void ModuleMapper::FillDeclaration(const ir::GlobalTraits& original,
                                   ir::GlobalTraits& declaration) {
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

uint32_t ModuleMapper::AddDeclaration(uint32_t original, const Reference& reference) {
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

void ModuleMapper::ReachGlobal(uint32_t original) {
  if (addresses_.Has(original)) return;
  const Reference reference = names_->OfAddress(original);
  if (reference.base != original) {
    ReachGlobal(reference.base);
    uint32_t number = addresses_[reference.base];
    if (reference.offset != 0 && (number & kDisplacedBit) == 0) {
      displaced_.push_back({number, reference.offset});
      number = static_cast<uint32_t>(displaced_.size() - 1) | kDisplacedBit;
    }
    addresses_.Set(original, number);
  } else if (reference.is_copied) {
    AddCopy(original);
    ReachInitializer(definitions_.back());
  } else {
    addresses_.Set(original, AddDeclaration(original, reference));
  }
}

void ModuleMapper::ReachConstant(const ir::Constant& constant) {
  switch (constant.kind) {
    case ConstantKind::kGlobal:
    case ConstantKind::kDsoLocalEquivalent:
    case ConstantKind::kNoCfi:
      ReachGlobal(constant.global);
      break;
    case ConstantKind::kBlockAddress:
      if (!bodies_.Has(constant.global)) {
        Refuse("the address of a block of another function");
      }
      break;
    default:
      break;
  }
}

void ModuleMapper::Reach(ir::Operand root) {
  if (!root.IsConstant() || !seen_.Insert(root.number())) return;
  const size_t first = pending_.size();
  pending_.push_back(root.number());
  while (pending_.size() > first) {
    const ir::Constant& constant = source_->constants()[pending_.back()];
    pending_.pop_back();
    ReachConstant(constant);
    for (ir::Operand operand : constant.operands()) {
      if (operand.IsConstant() && seen_.Insert(operand.number())) {
        pending_.push_back(operand.number());
      }
    }
  }
}

// A copy's initializer is looked at while other constants are pending.
void ModuleMapper::ReachInitializer(Definition definition) {
  const ir::Operand initializer = source_->globals()[definition.original].initializer;
  if (definition.is_table) {
    ReachEntries(initializer);
  } else {
    Reach(initializer);
  }
}

// Entries that get names of their own need no other ones.
bool ModuleMapper::ReachEntries(ir::Operand initializer) {
  const ir::Constant& constant = source_->constant(initializer);
  if (constant.IsGlobal() && TableEntry(constant.global) != kMissing) return true;
  if (constant.kind != ConstantKind::kAggregate || constant.type->IsVector()) {
    Reach(initializer);
    return false;
  }
  const uint32_t number = initializer.number();
  if (tables_.Has(number)) return tables_[number] != 0;
  bool has_entry = false;
  for (ir::Operand member : constant.operands()) has_entry |= ReachEntries(member);
  tables_.Set(number, has_entry ? 1 : 0);
  return has_entry;
}

uint32_t ModuleMapper::TableEntry(uint32_t original) {
  if (table_entries_.Has(original)) return table_entries_[original];
  const Reference reference = names_->OfTableEntry(original);
  if (reference.base == ir::kNone) return kMissing;
  const uint32_t number = AddDeclaration(reference.base, reference);
  table_entries_.Set(original, number);
  return number;
}

bool ModuleMapper::IsStraight(uint32_t target, uint32_t caller, Calls calls) const {
  return calls == Calls::kStraight || target > caller;
}

uint32_t ModuleMapper::CallTarget(const ir::Function& body, const ir::Instruction& call,
                                  uint32_t function, Calls calls) {
  const ir::Operand callee = body.CalleeOf(call);
  if (!callee.IsConstant()) return kMissing;
  const ir::Constant& constant = body.constant(callee);
  if (!constant.IsGlobal()) return kMissing;
  const uint32_t original = constant.global;
  const uint32_t known = bodies_[original];
  if (known != kMissing && IsStraight(known, function, calls)) return known;
  if (calls_.Has(original)) return calls_[original];
  const Reference reference = names_->OfCall(original);
  if (reference.base == ir::kNone) return kMissing;
  if (reference.base != original) {
    const uint32_t base = bodies_[reference.base];
    if (base != kMissing && IsStraight(base, function, calls)) return base;
    if (calls_.Has(reference.base)) return calls_[reference.base];
  }
  const uint32_t number = AddDeclaration(reference.base, reference);
  calls_.Set(reference.base, number);
  if (reference.base != original) calls_.Set(original, number);
  return number;
}

void ModuleMapper::ReachOwn(const ir::Function& body) {
  for (const ir::Constant& constant : body.constants) {
    ReachConstant(constant);
    for (ir::Operand operand : constant.operands()) {
      if (operand.number() < source_->constants().size()) Reach(operand);
    }
  }
}

void ModuleMapper::Collect(const ir::Function& body, uint32_t function, Calls calls) {
  const uint32_t shared = static_cast<uint32_t>(source_->constants().size());
  Reach(source_->globals()[body.global_number()].personality());
  ReachOwn(body);
  for (const ir::Instruction& instruction : body.instructions) {
    absl::Span<const ir::Operand> operands = body.OperandsOf(instruction);
    if (instruction.IsCall() && CallTarget(body, instruction, function, calls) != kMissing) {
      operands.remove_suffix(1);
    }
    for (ir::Operand operand : operands) {
      if (operand.IsConstant() && operand.number() < shared) Reach(operand);
    }
  }
}

uint32_t ModuleMapper::MappedNumber(uint32_t original) const {
  const uint32_t number = addresses_[original];
  return (number & kDisplacedBit) == 0 ? number : displaced_[number & ~kDisplacedBit].base;
}

ir::Operand ModuleMapper::MappedAddress(uint32_t original) const {
  const uint32_t number = addresses_[original];
  return ir::Operand::Constant(
      (number & kDisplacedBit) == 0 ? number : displaced_[number & ~kDisplacedBit].constant);
}

void ModuleMapper::AddAddresses() {
  std::vector<ir::Constant>& constants = module_->mutable_constants();
  const absl::Span<const ir::Global> globals = module_->globals();
  constants.reserve(globals.size());
  for (uint32_t number = 0; number < globals.size(); ++number) {
    ir::Constant& address = constants.emplace_back();
    address.kind = ConstantKind::kGlobal;
    address.type = globals[number].type();
    address.global = number;
  }
}

void ModuleMapper::AddDisplaced() {
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

void ModuleMapper::AddLabels(const Labels& labels) {
  std::vector<ir::Constant>& constants = module_->mutable_constants();
  ir::Global& table = module_->mutable_globals()[labels.variable];
  std::vector<ir::Operand> entries;
  for (uint32_t block : labels.blocks) {
    entries.push_back(ir::Operand::Constant(static_cast<uint32_t>(constants.size())));
    ir::Constant& label = constants.emplace_back();
    label.kind = ConstantKind::kBlockAddress;
    label.type = table.type();
    label.global = labels.function;
    label.set_bits(block);
  }
  table.initializer = ir::Operand::Constant(static_cast<uint32_t>(constants.size()));
  ir::Constant& list = constants.emplace_back();
  list.kind = ConstantKind::kAggregate;
  list.type = table.value_type();
  list.set_operands(module_->storage().Keep(std::move(entries)));
}

absl::Status ModuleMapper::Complete() {
  FIRSTCALL_RETURN_IF_ERROR(status_);
  // Tables and copies are looked at only now, because what they refer to comes behind the bodies'
  // own references. Copies that are found on the way are looked at when they are found.
  const size_t count = definitions_.size();
  for (size_t i = 0; i < count; ++i) {
    const ir::Global& original = source_->globals()[definitions_[i].original];
    if (original.IsVariable()) ReachInitializer(definitions_[i]);
  }
  FIRSTCALL_RETURN_IF_ERROR(status_);
  AddAddresses();
  AddDisplaced();
  for (const Labels& labels : labels_) AddLabels(labels);
  for (const Definition& definition : definitions_) {
    const ir::Global& original = source_->globals()[definition.original];
    ir::Global& global = module_->mutable_globals()[definition.number];
    if (original.IsFunction()) {
      module_->mutable_traits(definition.number).personality = MapShared(original.personality(), 0);
      continue;
    }
    if (definition.is_table && HasEntry(original.initializer)) {
      global.initializer = MapTable(original.initializer, 0);
      module_->mutable_traits(definition.number).is_constant = false;
    } else {
      global.initializer = MapShared(original.initializer, 0);
    }
  }
  module_->FindUsesByData();
  return status_;
}

ir::Operand ModuleMapper::AppendShared(const ir::Constant& original,
                                       std::vector<ir::Operand> operands) {
  std::vector<ir::Constant>& constants = module_->mutable_constants();
  ir::Constant& constant = constants.emplace_back(original);
  if (!operands.empty()) constant.set_operands(module_->storage().Keep(std::move(operands)));
  return ir::Operand::Constant(static_cast<uint32_t>(constants.size() - 1));
}

ir::Operand ModuleMapper::MapShared(ir::Operand original, unsigned depth) {
  if (!original.IsConstant()) return original;
  const ir::Constant& constant = source_->constant(original);
  if (constant.IsGlobal()) return MappedAddress(constant.global);
  if (shared_.Has(original.number())) return ir::Operand::Constant(shared_[original.number()]);
  if (depth == kMostNested) {
    Refuse("constants that are nested deeply");
    return original;
  }
  std::vector<ir::Operand> operands;
  operands.reserve(constant.operands().size());
  for (ir::Operand operand : constant.operands()) {
    operands.push_back(MapShared(operand, depth + 1));
  }
  const ir::Operand mapped = AppendShared(constant, std::move(operands));
  ir::Constant& copy = module_->mutable_constants()[mapped.number()];
  if (copy.kind == ConstantKind::kBlockAddress) {
    copy.global = bodies_[constant.global];
  } else if (copy.global != ir::kNone) {
    copy.global = MappedNumber(constant.global);
  }
  shared_.Set(original.number(), mapped.number());
  return mapped;
}

bool ModuleMapper::HasEntry(ir::Operand constant) const {
  const ir::Constant& value = source_->constant(constant);
  if (value.IsGlobal()) return table_entries_.Has(value.global);
  return tables_.Has(constant.number()) && tables_[constant.number()] != 0;
}

// Looks into structures and arrays only, as the splitter does (splitter/table_entries.h).
ir::Operand ModuleMapper::MapTable(ir::Operand initializer, unsigned depth) {
  if (!HasEntry(initializer) || depth == kMostNested) return MapShared(initializer, depth);
  const ir::Constant& constant = source_->constant(initializer);
  if (constant.IsGlobal()) return AddressOf(table_entries_[constant.global]);
  const uint32_t number = initializer.number();
  if (tables_here_.Has(number)) return ir::Operand::Constant(tables_here_[number]);
  std::vector<ir::Operand> members;
  members.reserve(constant.operands().size());
  for (ir::Operand member : constant.operands()) members.push_back(MapTable(member, depth + 1));
  const ir::Operand mapped = AppendShared(constant, std::move(members));
  tables_here_.Set(number, mapped.number());
  return mapped;
}

ir::Operand ModuleMapper::MapOfBody(ir::Operand original, ir::Function& body, unsigned depth) {
  const uint32_t number = original.number();
  const auto shared = static_cast<uint32_t>(source_->constants().size());
  const auto first_own = static_cast<uint32_t>(module_->constants().size());
  if (number >= shared) return ir::Operand::Constant(number - shared + first_own);
  const ir::Constant& constant = source_->constants()[number];
  // What is called by another name may have no address here.
  if (constant.IsGlobal()) {
    return addresses_.Has(constant.global) ? MappedAddress(constant.global) : original;
  }
  if (shared_.Has(number)) return ir::Operand::Constant(shared_[number]);
  if (of_body_.Has(number)) return ir::Operand::Constant(of_body_[number]);
  if (depth == kMostNested) {
    Refuse("constants that are nested deeply");
    return original;
  }
  ir::Constant copy = constant;
  if (RefersToSomething(constant)) {
    if (!constant.operands().empty()) {
      std::vector<ir::Operand> operands;
      operands.reserve(constant.operands().size());
      for (ir::Operand operand : constant.operands()) {
        operands.push_back(MapOfBody(operand, body, depth + 1));
      }
      copy.set_operands(body.operand_lists.emplace_back(std::move(operands)));
    }
    if (constant.kind == ConstantKind::kBlockAddress) {
      copy.global = bodies_[constant.global];
    } else if (constant.global != ir::kNone) {
      copy.global = MappedNumber(constant.global);
    }
  }
  const auto mapped = static_cast<uint32_t>(first_own + body.constants.size());
  body.constants.push_back(copy);
  of_body_.Set(number, mapped);
  return ir::Operand::Constant(mapped);
}

// Their own constants keep their places; what is copied from the source module comes behind.
void ModuleMapper::MapOwnConstants(ir::Function& body) {
  const size_t count = body.constants.size();
  for (size_t i = 0; i < count; ++i) {
    const ir::Constant constant = body.constants[i];
    if (!RefersToSomething(constant)) continue;
    if (!constant.operands().empty()) {
      std::vector<ir::Operand> operands;
      operands.reserve(constant.operands().size());
      for (ir::Operand operand : constant.operands()) {
        operands.push_back(MapOfBody(operand, body, 0));
      }
      body.constants[i].set_operands(body.operand_lists.emplace_back(std::move(operands)));
    }
    if (constant.kind == ConstantKind::kBlockAddress) {
      body.constants[i].global = bodies_[constant.global];
    } else if (constant.global != ir::kNone) {
      body.constants[i].global = MappedNumber(constant.global);
    }
  }
}

absl::Status ModuleMapper::MapBody(ir::Function& body, uint32_t function, Calls calls) {
  of_body_.Clear();
  callees_.clear();
  for (const ir::Instruction& instruction : body.instructions) {
    if (!instruction.IsCall()) continue;
    const uint32_t target = CallTarget(body, instruction, function, calls);
    if (target == kMissing) continue;
    callees_.push_back({instruction.first_operand + instruction.operand_count - 1, target});
  }
  MapOwnConstants(body);
  for (ir::Operand& operand : body.operands) {
    if (operand.IsConstant()) operand = MapOfBody(operand, body, 0);
  }
  for (const Callee& callee : callees_) body.operands[callee.operand] = AddressOf(callee.target);
  body.MoveTo(*module_, function);
  return status_;
}

}  // namespace firstcall::direct
