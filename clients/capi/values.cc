#include "clients/capi/values.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace firstcall::capi {
namespace {

static_assert(FC_BOOL == static_cast<int>(ForeignKind::kBool));
static_assert(FC_UINT64 == static_cast<int>(ForeignKind::kUint64));
static_assert(FC_INT128 == static_cast<int>(ForeignKind::kInt128));
static_assert(FC_STRUCT == static_cast<int>(ForeignKind::kStruct));
static_assert(sizeof(fc_int128) == 16);
// More than any signature needs. A struct that contains itself exceeds the depth.
constexpr size_t kMostFields = 10000;
constexpr size_t kMostDepth = 100;

absl::StatusOr<ForeignType> TypeFrom(const fc_type& type, size_t depth, size_t& fields_left) {
  if (type.kind < FC_VOID || type.kind > FC_STRUCT) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no type ", static_cast<int>(type.kind)));
  }
  ForeignType result(static_cast<ForeignKind>(type.kind));
  if (type.kind != FC_STRUCT) return result;
  if (depth == kMostDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("structs are nested more than ", kMostDepth, " deep"));
  }
  if (type.field_count > fields_left) {
    return absl::InvalidArgumentError(
        absl::StrCat("a struct has more than ", kMostFields, " fields"));
  }
  if (type.field_count != 0 && type.fields == nullptr) {
    return absl::InvalidArgumentError("the fields of a struct are null");
  }
  fields_left -= type.field_count;
  for (size_t i = 0; i < type.field_count; ++i) {
    FIRSTCALL_ASSIGN_OR_RETURN(ForeignType field, TypeFrom(type.fields[i], depth + 1, fields_left));
    result.fields.push_back(std::move(field));
  }
  return result;
}

}  // namespace

absl::StatusOr<ForeignType> TypeFrom(const fc_type& type) {
  size_t fields_left = kMostFields;
  return TypeFrom(type, /*depth=*/0, fields_left);
}

absl::StatusOr<ForeignValue> ValueFrom(fc_value& value, absl::string_view which) {
  absl::StatusOr<ForeignType> type = TypeFrom(value.type);
  if (!type.ok()) return Annotate(type.status(), which);
  void* const bytes = value.type.kind == FC_STRUCT ? value.as.structure : &value.as;
  return ForeignValue{*std::move(type), bytes};
}

absl::Status CallWith(const fc_value* arguments, size_t count, fc_value* result, Callee callee) {
  if (count != 0 && arguments == nullptr) {
    return absl::InvalidArgumentError("the arguments are null");
  }
  std::vector<ForeignValue> values;
  for (size_t i = 0; i < count; ++i) {
    FIRSTCALL_ASSIGN_OR_RETURN(ForeignValue value, ValueFrom(const_cast<fc_value&>(arguments[i]),
                                                             absl::StrCat("argument ", i + 1)));
    values.push_back(std::move(value));
  }
  ForeignValue returned;
  if (result != nullptr) {
    FIRSTCALL_ASSIGN_OR_RETURN(returned, ValueFrom(*result, "the result"));
  }
  return callee(returned, values);
}

}  // namespace firstcall::capi
