#include "direct/label_finder.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "bitcode/bit_reader.h"
#include "bitcode/block_walk.h"
#include "bitcode/records.h"
#include "ir/constant.h"
#include "ir/global.h"

namespace firstcall::direct {
namespace {

using bitcode::BitReader;

absl::Status Shared() {
  return absl::UnimplementedError("labels that are in data and in several functions");
}

// Whether the record in front of the reader is the address of a block of another function than
// number `global`. Leaves the record behind.
bool IsLabelOfAnother(BitReader& reader, uint32_t global) {
  if (reader.ReadCode() != bitcode::kConstantBlockAddress) {
    reader.SkipOperands();
    return false;
  }
  const bitcode::Record& record = reader.ReadOperands();
  return record.operands.size() < 2 || record.operands[1] != global;
}

absl::Status CheckConstants(BitReader& reader, uint32_t global) {
  if (!reader.EnterBlock(bitcode::kConstantsBlock)) return reader.status();
  return bitcode::WalkBlock(
      reader, [&](uint32_t) { return bitcode::SkipBlock(reader); },
      [&] { return IsLabelOfAnother(reader, global) ? Shared() : absl::OkStatus(); });
}

// LLVM's writer lists the functions that use labels of a body in a record of the body.
absl::Status CheckBody(BitReader& reader, uint64_t bit, uint32_t global) {
  if (!reader.Restart(bit) || !reader.EnterBlock(bitcode::kFunctionBlock)) return reader.status();
  return bitcode::WalkBlock(
      reader,
      [&](uint32_t id) {
        return id == bitcode::kConstantsBlock ? CheckConstants(reader, global)
                                              : bitcode::SkipBlock(reader);
      },
      [&] {
        if (reader.ReadCode() == bitcode::kFunctionBlockAddressUsers) return Shared();
        reader.SkipOperands();
        return absl::OkStatus();
      });
}

}  // namespace

LabelFinder::LabelFinder(const ir::Module& module)
    : constants_(module.constants()),
      facts_(constants_.size(), Fact::kUnknown),
      seen_in_(constants_.size(), 0) {}

// Constants may refer to later ones, so each is looked at when all that it refers to has been
// looked at.
bool LabelFinder::HasLabels(uint32_t root) {
  pending_.assign(1, root);
  while (!pending_.empty()) {
    const uint32_t number = pending_.back();
    const ir::Constant& constant = constants_[number];
    if (facts_[number] == Fact::kUnknown) {
      facts_[number] = Fact::kBegun;
      for (ir::Operand part : constant.operands()) {
        if (facts_[part.number()] == Fact::kUnknown) pending_.push_back(part.number());
      }
      continue;
    }
    pending_.pop_back();
    if (facts_[number] != Fact::kBegun) continue;
    const auto parts = constant.operands();
    const bool has_labels = constant.kind == ir::ConstantKind::kBlockAddress ||
                            std::any_of(parts.begin(), parts.end(), [&](ir::Operand part) {
                              return facts_[part.number()] == Fact::kLabels;
                            });
    facts_[number] = has_labels ? Fact::kLabels : Fact::kNone;
  }
  return facts_[root] == Fact::kLabels;
}

absl::Span<const uint32_t> LabelFinder::OwnersIn(ir::Operand root) {
  owners_.clear();
  if (!root.IsConstant() || !HasLabels(root.number())) return owners_;
  ++search_;
  pending_.assign(1, root.number());
  while (!pending_.empty()) {
    const ir::Constant& constant = constants_[pending_.back()];
    pending_.pop_back();
    if (constant.kind == ir::ConstantKind::kBlockAddress) {
      // Most tables have the labels of one function.
      if (owners_.empty() || owners_.back() != constant.global) owners_.push_back(constant.global);
    }
    for (ir::Operand part : constant.operands()) {
      if (facts_[part.number()] != Fact::kLabels || seen_in_[part.number()] == search_) continue;
      seen_in_[part.number()] = search_;
      pending_.push_back(part.number());
    }
  }
  std::sort(owners_.begin(), owners_.end());
  owners_.erase(std::unique(owners_.begin(), owners_.end()), owners_.end());
  return owners_;
}

absl::Status CheckOwnersOfLabels(const bitcode::BitcodeModule& source) {
  const ir::Module& module = source.module();
  if (module.block_addresses().empty()) return absl::OkStatus();
  std::vector<uint32_t> owners;
  for (uint32_t number : module.block_addresses()) {
    const uint32_t owner = module.constants()[number].global;
    if (owners.empty() || owners.back() != owner) owners.push_back(owner);
  }
  std::sort(owners.begin(), owners.end());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  BitReader reader(source.bytes(), &source.block_info());
  for (uint32_t owner : owners) {
    const uint64_t bit = source.BodyOf(owner).bit();
    if (bit == 0) return absl::UnimplementedError("labels of a function without a body");
    FIRSTCALL_RETURN_IF_ERROR(
        Annotate(CheckBody(reader, bit, owner),
                 absl::StrCat("function '", module.globals()[owner].name, "'")));
  }
  return absl::OkStatus();
}

}  // namespace firstcall::direct
