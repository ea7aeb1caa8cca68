#include "bitcode/constant_reader.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/assembly_text.h"
#include "base/status.h"
#include "bitcode/block_walk.h"
#include "bitcode/constant_values.h"
#include "bitcode/records.h"

namespace firstcall::bitcode {
namespace {

using ir::Constant;
using ir::ConstantKind;
using ir::Type;
using ir::TypeKind;

// Whether there may be constants of the type.
bool HasConstants(const Type& type) {
  return (type.IsFirstClass() && type.kind != TypeKind::kLabel &&
          type.kind != TypeKind::kMetadata) ||
         type.kind == TypeKind::kOpaqueStruct;
}

}  // namespace

absl::Status ConstantReader::Wrong(absl::string_view cause) const {
  return absl::InvalidArgumentError(absl::StrCat("constant ", scope_.size(), ": ", cause));
}

absl::Status ConstantReader::Unknown(absl::string_view cause) const {
  return absl::UnimplementedError(absl::StrCat("constant ", scope_.size(), ": ", cause));
}

absl::Status ConstantReader::ReadOfModule(BitReader& reader, ir::Module& module) {
  module_ = &module;
  scope_.BeginModule(module);
  FIRSTCALL_RETURN_IF_ERROR(ReadBlock(reader));
  highest_reference_ = std::max(highest_reference_, scope_.highest());
  return absl::OkStatus();
}

absl::Status ConstantReader::ReadOfFunction(BitReader& reader, const BitcodeModule& module,
                                            uint32_t first_value, ir::Function& function) {
  module_ = &module.module();
  scope_.BeginFunction(module.value_count(), first_value, function);
  const size_t first = function.constants.size();
  FIRSTCALL_RETURN_IF_ERROR(ReadBlock(reader));
  if (scope_.highest() != 0 && scope_.highest() >= function.constants.size()) {
    return Wrong("it is referred to, and it is not there");
  }
  return CheckBlocks(module, first, function);
}

absl::Status ConstantReader::CheckBlocks(const BitcodeModule& module, size_t first,
                                         const ir::Function& function) const {
  for (size_t i = first; i < function.constants.size(); ++i) {
    const Constant& constant = function.constants[i];
    if (constant.kind != ConstantKind::kBlockAddress) continue;
    if (constant.block() >= module.BodyOf(constant.global).block_count()) {
      return absl::InvalidArgumentError(
          absl::StrCat("constant ", i, ": the function has not the block whose address it is"));
    }
  }
  return absl::OkStatus();
}

absl::Status ConstantReader::ReadBlock(BitReader& reader) {
  type_ = types_.FindInteger(32);
  return WalkRecords(reader, [&](const Record& record) { return ReadRecord(record); });
}

absl::Status ConstantReader::ReadRecord(const Record& record) {
  if (record.code == kConstantSetType) {
    type_ = record.operands.empty() ? nullptr : types_.Find(record.operands[0]);
    return type_ == nullptr ? Wrong("its type is not there") : absl::OkStatus();
  }
  if (type_ == nullptr || !HasConstants(*type_)) return Wrong("there are none of its type");
  if (scope_.size() >= ConstantScope::kMostConstants) return Unknown("there are too many");
  switch (record.code) {
    case kConstantInteger:
    case kConstantWideInteger:
    case kConstantFloat:
      return AddNumber(record);
    case kConstantNull:
    case kConstantUndef:
    case kConstantPoison:
      return AddPlain(record.code);
    case kConstantString:
    case kConstantCString:
    case kConstantData:
      return AddData(record);
    case kConstantAggregate:
      return AddAggregate(record.operands);
    case kConstantBlockAddress:
    case kConstantDsoLocalEquivalent:
    case kConstantNoCfi:
      return AddReference(record);
    case kConstantBinary:
      return AddBinary(record.operands);
    case kConstantCast:
      return AddCast(record.operands);
    case kConstantGep:
    case kConstantGepWithRange:
    case kConstantOldGep:
    case kConstantOldInboundsGep:
    case kConstantOldGepWithRangeIndex:
      return AddGep(record);
    case kConstantExtractElement:
    case kConstantInsertElement:
    case kConstantShuffleVector:
    case kConstantLongShuffleVector:
      return AddElementOperation(record);
    case kConstantAssembly:
      return AddAssembly(record.operands);
    default:
      return AddUnsupported(record);
  }
}

absl::Status ConstantReader::AddPlain(uint32_t code) {
  Constant constant;
  constant.type = type_;
  if (code == kConstantNull) {
    if (!SetZero(constant)) return Wrong("its type has no zero");
  } else if (type_->kind != TypeKind::kOpaqueStruct) {
    constant.kind = code == kConstantUndef ? ConstantKind::kUndef : ConstantKind::kPoison;
  }
  scope_.Append() = constant;
  return absl::OkStatus();
}

// A vector of equal numbers remains kOther.
absl::Status ConstantReader::AddNumber(const Record& record) {
  Constant constant;
  constant.type = type_;
  if (record.code == kConstantFloat) {
    if (!type_->scalar()->IsFloatingPoint()) return Wrong("its type is not that of a number");
    if (!type_->IsVector() && !SetFloat(record.operands, scope_, constant)) {
      return Wrong("a number is too short");
    }
  } else {
    if (!type_->scalar()->IsInteger()) return Wrong("its type is not that of an integer");
    if (!type_->IsVector() && !SetInteger(record.operands, scope_, constant)) {
      return Wrong("an integer has no bits");
    }
  }
  scope_.Append() = constant;
  return absl::OkStatus();
}

absl::Status ConstantReader::AddData(const Record& record) {
  const bool is_sequence = type_->IsArray() || type_->IsFixedVector();
  if (!is_sequence || !IsDataElement(*type_->element()) ||
      (record.code != kConstantData && !(type_->IsArray() && type_->element()->IsInteger(8)))) {
    return Wrong("its type is not that of data");
  }
  const bool has_end = record.code == kConstantCString;
  if (record.operands.size() + (has_end ? 1 : 0) != type_->count) {
    return Wrong("it has not as many elements as its type");
  }
  Constant constant;
  constant.type = type_;
  if (!SetData(record.operands, has_end, scope_, constant)) return Unknown("it is too large");
  scope_.Append() = constant;
  return absl::OkStatus();
}

absl::Status ConstantReader::AddAggregate(Operands operands) {
  uint64_t count;
  if (type_->IsStruct()) {
    count = type_->members().size();
  } else if (type_->IsArray() || type_->IsFixedVector()) {
    count = type_->count;
  } else {
    return Wrong("its type has no members");
  }
  if (operands.size() != count) return Wrong("it has not as many members as its type");
  return AddWith(ConstantKind::kAggregate, ir::Opcode::kUnreachable, operands);
}

// [type, global] or [type, function, block]
absl::Status ConstantReader::AddReference(const Record& record) {
  const bool is_block = record.code == kConstantBlockAddress;
  const Operands operands = record.operands;
  const absl::Span<const ir::Global> globals = module_->globals();
  if (operands.size() < (is_block ? 3 : 2)) return Wrong("it refers to nothing");
  if (operands[1] >= globals.size()) return Wrong("it refers to no global");
  // The entry block has no address.
  if (is_block &&
      (!globals[operands[1]].IsFunction() || operands[2] == 0 || operands[2] > UINT32_MAX)) {
    return Wrong("it is not the address of a block");
  }
  Constant& constant = Append();
  constant.global = static_cast<uint32_t>(operands[1]);
  if (is_block) {
    constant.kind = ConstantKind::kBlockAddress;
    constant.set_bits(operands[2]);
  } else {
    constant.kind =
        record.code == kConstantNoCfi ? ConstantKind::kNoCfi : ConstantKind::kDsoLocalEquivalent;
  }
  return absl::OkStatus();
}

// [type of a function, flags, size of the text, text, size of the constraints, constraints]
absl::Status ConstantReader::AddAssembly(Operands operands) {
  if (operands.size() < 4 || operands[2] > operands.size() - 4) return Wrong("it is cut off");
  const Operands text = operands.subspan(3, static_cast<size_t>(operands[2]));
  if (!IsEmptyAssembly(std::string(text.begin(), text.end()))) {
    Append().kind = ConstantKind::kInlineAssembly;
    return absl::OkStatus();
  }
  const Operands constraints = operands.subspan(4 + text.size());
  const uint64_t size = operands[3 + text.size()];
  if (size > constraints.size()) return Wrong("its constraints are cut off");
  Constant& constant = Append();
  constant.kind = ConstantKind::kEmptyAssembly;
  constant.set_data(scope_.Keep(
      std::string(constraints.begin(), constraints.begin() + static_cast<ptrdiff_t>(size))));
  return absl::OkStatus();
}

}  // namespace firstcall::bitcode
