#include "direct/constant_mapper.h"

#include <cstddef>
#include <utility>

#include "ir/global.h"

namespace firstcall::direct {
namespace {

using ir::ConstantKind;

// Constants that are nested more deeply are refused.
constexpr unsigned kMostNested = 256;

}  // namespace

void ConstantMapper::Begin(const ir::Module& source, GlobalMapper& globals, ir::Module& module) {
  source_ = &source;
  globals_ = &globals;
  module_ = &module;
  status_ = absl::OkStatus();
  pending_.clear();
  for (NumberMap* map : {&seen_, &shared_, &tables_, &tables_here_, &of_body_}) {
    map->Clear(source.constants().size());
  }
}

void ConstantMapper::Refuse(absl::string_view what) {
  if (status_.ok()) status_ = absl::UnimplementedError(what);
}

void ConstantMapper::ReachGlobal(uint32_t original) {
  if (!globals_->ReachAddress(original)) return;
  const GlobalMapper::Definition copy = globals_->definitions().back();
  ReachInitializer(copy);
}

void ConstantMapper::ReachConstant(const ir::Constant& constant) {
  switch (constant.kind) {
    case ConstantKind::kGlobal:
    case ConstantKind::kDsoLocalEquivalent:
    case ConstantKind::kNoCfi:
      ReachGlobal(constant.global);
      break;
    case ConstantKind::kBlockAddress:
      if (!globals_->HasBody(constant.global)) {
        Refuse("the address of a block of another function");
      }
      break;
    default:
      break;
  }
}

void ConstantMapper::Reach(ir::Operand root) {
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
void ConstantMapper::ReachInitializer(const GlobalMapper::Definition& definition) {
  const ir::Operand initializer = source_->globals()[definition.original].initializer;
  if (definition.is_table) {
    ReachEntries(initializer);
  } else {
    Reach(initializer);
  }
}

bool ConstantMapper::ReachEntries(ir::Operand initializer) {
  const ir::Constant& constant = source_->constant(initializer);
  if (constant.IsGlobal() && globals_->ReachTableEntry(constant.global) != NumberMap::kMissing)
    return true;
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

void ConstantMapper::ReachOwn(const ir::Function& body) {
  for (const ir::Constant& constant : body.constants) {
    ReachConstant(constant);
    for (ir::Operand operand : constant.operands()) {
      if (operand.number() < source_->constants().size()) Reach(operand);
    }
  }
}

void ConstantMapper::MapGlobal(ir::Constant& constant) const {
  if (constant.kind == ConstantKind::kBlockAddress) {
    constant.global = globals_->Body(constant.global);
  } else if (constant.global != ir::kNone) {
    constant.global = globals_->Number(constant.global);
  }
}

ir::Operand ConstantMapper::AppendShared(const ir::Constant& original,
                                         std::vector<ir::Operand> operands) {
  std::vector<ir::Constant>& constants = module_->mutable_constants();
  ir::Constant& constant = constants.emplace_back(original);
  if (!operands.empty()) constant.set_operands(module_->storage().Keep(std::move(operands)));
  return ir::Operand::Constant(static_cast<uint32_t>(constants.size() - 1));
}

ir::Operand ConstantMapper::MapShared(ir::Operand original, unsigned depth) {
  if (!original.IsConstant()) return original;
  const ir::Constant& constant = source_->constant(original);
  if (constant.IsGlobal()) return globals_->Address(constant.global);
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
  MapGlobal(module_->mutable_constants()[mapped.number()]);
  shared_.Set(original.number(), mapped.number());
  return mapped;
}

bool ConstantMapper::HasEntry(ir::Operand initializer) const {
  const ir::Constant& value = source_->constant(initializer);
  if (value.IsGlobal()) return globals_->HasTableEntry(value.global);
  return tables_.Has(initializer.number()) && tables_[initializer.number()] != 0;
}

// Looks into structures and arrays only, as the splitter does (splitter/table_entries.h).
ir::Operand ConstantMapper::MapTable(ir::Operand initializer, unsigned depth) {
  if (!HasEntry(initializer) || depth == kMostNested) return MapShared(initializer, depth);
  const ir::Constant& constant = source_->constant(initializer);
  if (constant.IsGlobal()) return ir::Operand::Constant(globals_->TableEntry(constant.global));
  const uint32_t number = initializer.number();
  if (tables_here_.Has(number)) return ir::Operand::Constant(tables_here_[number]);
  std::vector<ir::Operand> members;
  members.reserve(constant.operands().size());
  for (ir::Operand member : constant.operands()) members.push_back(MapTable(member, depth + 1));
  const ir::Operand mapped = AppendShared(constant, std::move(members));
  tables_here_.Set(number, mapped.number());
  return mapped;
}

void ConstantMapper::MapOperands(ir::Constant& constant, ir::Function& body, unsigned depth) {
  if (constant.operands().empty()) return;
  std::vector<ir::Operand> operands;
  operands.reserve(constant.operands().size());
  for (ir::Operand operand : constant.operands()) {
    operands.push_back(MapOfBody(operand, body, depth));
  }
  constant.set_operands(body.operand_lists.emplace_back(std::move(operands)));
}

ir::Operand ConstantMapper::MapOfBody(ir::Operand original, ir::Function& body, unsigned depth) {
  const uint32_t number = original.number();
  const auto shared = static_cast<uint32_t>(source_->constants().size());
  const auto first_own = static_cast<uint32_t>(module_->constants().size());
  if (number >= shared) return ir::Operand::Constant(number - shared + first_own);
  const ir::Constant& constant = source_->constants()[number];
  // What is called by another name may have no address here.
  if (constant.IsGlobal()) {
    return globals_->HasAddress(constant.global) ? globals_->Address(constant.global) : original;
  }
  if (shared_.Has(number)) return ir::Operand::Constant(shared_[number]);
  if (of_body_.Has(number)) return ir::Operand::Constant(of_body_[number]);
  if (depth == kMostNested) {
    Refuse("constants that are nested deeply");
    return original;
  }
  ir::Constant copy = constant;
  MapOperands(copy, body, depth + 1);
  MapGlobal(copy);
  const auto mapped = static_cast<uint32_t>(first_own + body.constants.size());
  body.constants.push_back(copy);
  of_body_.Set(number, mapped);
  return ir::Operand::Constant(mapped);
}

// Constants that the body had before keep their places; what is copied from the source module comes
// behind.
void ConstantMapper::MapBody(ir::Function& body) {
  of_body_.Clear();
  const size_t count = body.constants.size();
  for (size_t i = 0; i < count; ++i) {
    ir::Constant constant = body.constants[i];
    if (constant.global == ir::kNone && constant.operands().empty()) continue;
    MapOperands(constant, body, 0);
    MapGlobal(constant);
    body.constants[i] = constant;
  }
  for (ir::Operand& operand : body.operands) {
    if (operand.IsConstant()) operand = MapOfBody(operand, body, 0);
  }
}

}  // namespace firstcall::direct
