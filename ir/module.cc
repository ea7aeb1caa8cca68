#include "ir/module.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "ir/constant.h"
#include "ir/operand.h"

namespace firstcall::ir {
namespace {

// Finds the globals whose addresses are part of data. Walks over initializers and the like, and
// over the constants in them, each once.
class DataWalk {
 public:
  DataWalk(const Module& module, std::vector<bool>& used)
      : module_(module), used_(used), seen_(module.constants().size(), false) {}

  void Visit(Operand root) {
    Reach(root);
    while (!pending_.empty()) {
      const Constant& constant = module_.constants()[pending_.back()];
      pending_.pop_back();
      if (constant.global < used_.size()) used_[constant.global] = true;
      for (Operand operand : constant.operands()) Reach(operand);
    }
  }

 private:
  void Reach(Operand operand) {
    if (!operand.IsConstant()) return;
    const uint32_t number = operand.number();
    if (number >= seen_.size() || seen_[number]) return;
    seen_[number] = true;
    pending_.push_back(number);
  }

  const Module& module_;
  std::vector<bool>& used_;        // By global.
  std::vector<bool> seen_;         // By constant.
  std::vector<uint32_t> pending_;  // Seen, but their operands not yet.
};

}  // namespace

void Module::Lay(Type& type) {
  offsets_.clear();
  layout_.Lay(type, offsets_);
  if (!offsets_.empty()) type.offsets = storage_.Keep(std::vector<uint64_t>(offsets_));
}

Type* Module::AddType(Type type) {
  type.index = static_cast<uint32_t>(types_.size());
  Lay(type);
  return &types_.emplace_back(type);
}

void Module::Complete(Type* structure, absl::Span<const Type* const> members, bool is_packed) {
  structure->kind = TypeKind::kStruct;
  structure->is_packed = is_packed;
  structure->contained = storage_.Keep(std::vector<const Type*>(members.begin(), members.end()));
  Lay(*structure);
}

void Module::FindUsesByData() {
  used_by_data_.assign(globals_.size(), false);
  DataWalk walk(*this, used_by_data_);
  const GlobalTraits* visited = &kDefaultTraits;
  for (const Global& global : globals_) {
    if (global.initializer.IsConstant()) walk.Visit(global.initializer);
    if (global.traits == visited) continue;
    visited = global.traits;
    walk.Visit(global.personality());
    walk.Visit(global.prefix_data());
    walk.Visit(global.prologue_data());
  }
  block_addresses_.clear();
  for (uint32_t number = 0; number < constants_.size(); ++number) {
    if (constants_[number].kind == ConstantKind::kBlockAddress) block_addresses_.push_back(number);
  }
}

}  // namespace firstcall::ir
