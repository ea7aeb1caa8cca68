#include "bitcode/type_table_reader.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "bitcode/block_walk.h"
#include "bitcode/records.h"

namespace firstcall::bitcode {
namespace {

using ir::Type;
using ir::TypeKind;

constexpr uint64_t kWidestInteger = uint64_t{1} << 23;
constexpr uint64_t kAddressSpaces = uint64_t{1} << 24;

// Of a record that says nothing else. kStruct: the record is another one.
TypeKind KindOf(uint32_t code) {
  switch (code) {
    case kTypeVoid:
      return TypeKind::kVoid;
    case kTypeFloat:
      return TypeKind::kFloat;
    case kTypeDouble:
      return TypeKind::kDouble;
    case kTypeLabel:
      return TypeKind::kLabel;
    case kTypeHalf:
      return TypeKind::kHalf;
    case kTypeX86Fp80:
      return TypeKind::kX86Fp80;
    case kTypeFp128:
      return TypeKind::kFp128;
    case kTypePpcFp128:
      return TypeKind::kPpcFp128;
    case kTypeMetadata:
      return TypeKind::kMetadata;
    case kTypeX86Mmx:
      return TypeKind::kX86Mmx;
    case kTypeToken:
      return TypeKind::kToken;
    case kTypeBFloat:
      return TypeKind::kBFloat;
    case kTypeX86Amx:
      return TypeKind::kX86Amx;
    case kTypeTargetExtension:
      return TypeKind::kTargetExtension;
    default:
      return TypeKind::kStruct;
  }
}

bool IsMember(const Type& type) {
  switch (type.kind) {
    case TypeKind::kVoid:
    case TypeKind::kLabel:
    case TypeKind::kMetadata:
    case TypeKind::kFunction:
    case TypeKind::kToken:
      return false;
    default:
      return true;
  }
}

Type TypeOf(TypeKind kind) {
  Type type;
  type.kind = kind;
  return type;
}

}  // namespace

absl::Status TypeTableReader::Wrong(absl::string_view cause) const {
  return absl::InvalidArgumentError(absl::StrCat("type ", table_.size(), ": ", cause));
}

absl::Status TypeTableReader::Unknown(absl::string_view cause) const {
  return absl::UnimplementedError(absl::StrCat("type ", table_.size(), ": ", cause));
}

absl::Status TypeTableReader::Read(BitReader& reader) {
  FIRSTCALL_RETURN_IF_ERROR(
      WalkRecords(reader, [&](const Record& record) { return ReadRecord(record); }));
  if (table_.size() != expected_) return Wrong("the table has not as many types as it says");
  return absl::OkStatus();
}

absl::Status TypeTableReader::ReadRecord(const Record& record) {
  contained_.clear();
  depth_ = 0;
  const absl::Span<const uint64_t> operands = record.operands;
  switch (record.code) {
    case kTypeCount:
      if (operands.empty()) return Wrong("the number of types is missing");
      expected_ = operands[0];
      return absl::OkStatus();
    case kTypeStructName:  // Names of types mean nothing.
      return absl::OkStatus();
    case kTypeInteger:
      return AddInteger(operands);
    case kTypePointer:
      return AddPointer(operands);
    case kTypeTypedPointer:
      return Unknown("a pointer to a type; so the file is from before LLVM 15");
    case kTypeArray:
      return AddSequence(operands, TypeKind::kArray);
    case kTypeVector:
      return AddSequence(operands, operands.size() > 2 && operands[2] != 0
                                       ? TypeKind::kScalableVector
                                       : TypeKind::kFixedVector);
    case kTypeFunction:
      return AddFunction(operands);
    case kTypeLiteralStruct:
      return AddStruct(operands, /*is_literal=*/true);
    case kTypeNamedStruct:
      return AddStruct(operands, /*is_literal=*/false);
    case kTypeOpaqueStruct: {
      Type type = TypeOf(TypeKind::kOpaqueStruct);
      type.is_literal = false;
      return Add(type);
    }
    default:
      break;
  }
  const TypeKind kind = KindOf(record.code);
  if (kind == TypeKind::kStruct) return Unknown(absl::StrCat("code ", record.code));
  return Add(TypeOf(kind));
}

absl::Status TypeTableReader::AddInteger(absl::Span<const uint64_t> operands) {
  if (operands.empty() || operands[0] == 0 || operands[0] > kWidestInteger) {
    return Wrong("an integer has no valid width");
  }
  Type type = TypeOf(TypeKind::kInteger);
  type.number = static_cast<uint32_t>(operands[0]);
  return Add(type);
}

absl::Status TypeTableReader::AddPointer(absl::Span<const uint64_t> operands) {
  if (operands.empty() || operands[0] >= kAddressSpaces) {
    return Wrong("a pointer has no valid address space");
  }
  Type type = TypeOf(TypeKind::kPointer);
  type.number = static_cast<uint32_t>(operands[0]);
  return Add(type);
}

absl::Status TypeTableReader::AddSequence(absl::Span<const uint64_t> operands, TypeKind kind) {
  if (operands.size() < 2) return Wrong("an array or a vector has no element");
  Type type = TypeOf(kind);
  type.count = operands[0];
  if (kind != TypeKind::kArray && (type.count == 0 || type.count > UINT32_MAX)) {
    return Wrong("a vector has no valid number of elements");
  }
  FIRSTCALL_RETURN_IF_ERROR(
      Contain(operands[1], kind == TypeKind::kArray ? Container::kArray : Container::kVector));
  return Add(type);
}

absl::Status TypeTableReader::AddFunction(absl::Span<const uint64_t> operands) {
  if (operands.size() < 2) return Wrong("a function has no result");
  Type type = TypeOf(TypeKind::kFunction);
  type.is_variadic = operands[0] != 0;
  FIRSTCALL_RETURN_IF_ERROR(Contain(operands[1], Container::kResult));
  for (uint64_t parameter : operands.subspan(2)) {
    FIRSTCALL_RETURN_IF_ERROR(Contain(parameter, Container::kParameter));
  }
  return Add(type);
}

absl::Status TypeTableReader::AddStruct(absl::Span<const uint64_t> operands, bool is_literal) {
  if (operands.empty()) return Wrong("a structure has not even a mark");
  Type type = TypeOf(TypeKind::kStruct);
  type.is_packed = operands[0] != 0;
  type.is_literal = is_literal;
  for (uint64_t member : operands.subspan(1)) {
    FIRSTCALL_RETURN_IF_ERROR(Contain(member, Container::kStruct));
  }
  return Add(type);
}

absl::Status TypeTableReader::Contain(uint64_t number, Container container) {
  const Type* const type = table_.Find(number);
  if (type == nullptr) {
    if (number >= expected_) return Wrong(absl::StrCat("there is no type ", number));
    return Unknown(absl::StrCat("type ", number, ", which is a part of it, comes later"));
  }
  bool is_valid = false;
  switch (container) {
    case Container::kStruct:
      is_valid = IsMember(*type);
      break;
    case Container::kArray:
      is_valid = IsMember(*type) && type->kind != TypeKind::kX86Amx;
      break;
    case Container::kVector:
      is_valid = type->IsIntegerOrPointer() || type->IsFloatingPoint();
      break;
    case Container::kResult:
      is_valid = !type->IsFunction() && type->kind != TypeKind::kLabel &&
                 type->kind != TypeKind::kMetadata;
      break;
    case Container::kParameter:
      is_valid = type->IsFirstClass();
      break;
  }
  if (!is_valid) return Wrong(absl::StrCat("type ", number, " cannot be a part of it"));
  contained_.push_back(type);
  depth_ = std::max(depth_, depths_[number]);
  return absl::OkStatus();
}

absl::Status TypeTableReader::Add(Type type) {
  if (depth_ == kDeepest) return Unknown("types are nested too deep");
  type.contained = contained_;
  depths_.push_back(depth_ + 1);
  table_.Append(type, module_);
  return absl::OkStatus();
}

}  // namespace firstcall::bitcode
