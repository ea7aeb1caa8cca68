#include "engine/foreign_call.h"

#include <ffi.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "engine/foreign_layout.h"

namespace firstcall {
namespace {

// The types of one call, as libffi wants them.
class FfiTypes {
 public:
  // Integers of at most 64 bits travel as 64 bits, of which the callee looks at its own.
  ffi_type* For(const ForeignType& type) {
    switch (type.kind) {
      case ForeignKind::kVoid:
        return &ffi_type_void;
      case ForeignKind::kFloat:
        return &ffi_type_float;
      case ForeignKind::kDouble:
        return &ffi_type_double;
      case ForeignKind::kPointer:
        return &ffi_type_pointer;
      case ForeignKind::kStruct:
        return Struct(type);
      case ForeignKind::kInt128:
        return Int128();
      default:
        return &ffi_type_uint64;
    }
  }

 private:
  // In a struct, each field has its own width.
  ffi_type* Field(const ForeignType& type) {
    switch (BitsOf(type.kind)) {
      case 1:
      case 8:
        return &ffi_type_uint8;
      case 16:
        return &ffi_type_uint16;
      case 32:
        return &ffi_type_uint32;
      default:
        return For(type);
    }
  }

  ffi_type* Struct(const ForeignType& type) {
    std::vector<ffi_type*>& elements = elements_.emplace_back();
    for (const ForeignType& field : type.fields) elements.push_back(Field(field));
    elements.push_back(nullptr);
    return &types_.emplace_back(ffi_type{0, 0, FFI_TYPE_STRUCT, elements.data()});
  }

  // libffi has none. On x86-64 it goes the way of a struct of two eightbytes, but for its alignment
  // in memory, which libffi leaves alone where it finds the size filled in.
  ffi_type* Int128() {
    elements_.push_back({&ffi_type_uint64, &ffi_type_uint64, nullptr});
    return &types_.emplace_back(ffi_type{16, 16, FFI_TYPE_STRUCT, elements_.back().data()});
  }

  // Deques, because their elements stay where they are.
  std::deque<std::vector<ffi_type*>> elements_;
  std::deque<ffi_type> types_;
};

uint64_t Extend(uint64_t value, unsigned bits, bool is_signed) {
  if (bits >= 64) return value;
  const unsigned unused = 64 - bits;
  return is_signed ? static_cast<uint64_t>(static_cast<int64_t>(value << unused) >> unused)
                   : value << unused >> unused;
}

bool IsInRegister(ForeignKind kind) { return BitsOf(kind) > 0 && BitsOf(kind) <= 64; }

uint64_t Load(const ForeignValue& value, IntegerPassing passing) {
  uint64_t loaded = 0;
  std::memcpy(&loaded, value.bytes, LayoutOf(value.type).size);
  const ForeignKind kind = value.type.kind;
  loaded = Extend(loaded, BitsOf(kind), IsSigned(kind));
  if (passing.extension == Extension::kAsTheValue) return loaded;
  return Extend(loaded, passing.bits, passing.extension == Extension::kSign);
}

void Store(uint64_t result, unsigned bits, const ForeignValue& value) {
  const ForeignKind kind = value.type.kind;
  result = Extend(result, std::min(bits, BitsOf(kind)), IsSigned(kind));
  std::memcpy(value.bytes, &result, LayoutOf(value.type).size);
}

absl::Status CheckType(const ForeignType& type, bool is_field) {
  if (type.kind > ForeignKind::kStruct) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no type ", static_cast<int>(type.kind)));
  }
  if (type.kind == ForeignKind::kInt128) {
    if (is_field) return absl::InvalidArgumentError("a struct has a 128-bit integer in it");
#if !defined(__x86_64__)
    return absl::UnimplementedError("128-bit integers are passed on x86-64 only");
#endif
  }
  if (type.kind == ForeignKind::kVoid && is_field) {
    return absl::InvalidArgumentError("a struct has a void in it");
  }
  if (type.kind != ForeignKind::kStruct) return absl::OkStatus();
  if (type.fields.empty()) return absl::InvalidArgumentError("a struct has no fields");
  for (const ForeignType& field : type.fields) {
    FIRSTCALL_RETURN_IF_ERROR(CheckType(field, /*is_field=*/true));
  }
  return absl::OkStatus();
}

absl::Status CheckValue(const ForeignValue& value) {
  FIRSTCALL_RETURN_IF_ERROR(CheckType(value.type, /*is_field=*/false));
  if (value.bytes == nullptr && value.type.kind != ForeignKind::kVoid) {
    return absl::InvalidArgumentError(
        absl::StrCat("there is no place of the ", NameOf(value.type)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckValues(const ForeignValue& result, absl::Span<const ForeignValue> arguments) {
  FIRSTCALL_RETURN_IF_ERROR(Annotate(CheckValue(result), "the result"));
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::Status status = CheckValue(arguments[i]);
    if (arguments[i].type.kind == ForeignKind::kVoid) {
      status = absl::InvalidArgumentError("it is void");
    }
    FIRSTCALL_RETURN_IF_ERROR(Annotate(status, absl::StrCat("argument ", i + 1)));
  }
  return absl::OkStatus();
}

absl::Status CallForeign(ExecutorAddress address, const ForeignValue& result,
                         absl::Span<const ForeignValue> arguments, const CallPlan* plan) {
  FIRSTCALL_RETURN_IF_ERROR(CheckValues(result, arguments));
  FfiTypes types;
  std::vector<ffi_type*> argument_types;
  std::vector<uint64_t> integers(arguments.size());
  std::vector<void*> places;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ForeignValue& argument = arguments[i];
    argument_types.push_back(types.For(argument.type));
    places.push_back(argument.bytes);
    if (IsInRegister(argument.type.kind)) {
      integers[i] = Load(argument, plan == nullptr ? IntegerPassing() : plan->arguments[i]);
      places.back() = &integers[i];
    }
  }
  ffi_cif interface;
  const auto count = static_cast<unsigned>(arguments.size());
  ffi_type* const result_type = types.For(result.type);
  const ffi_status status =
      // libffi wants a fixed argument; without one, the way is the same on this target.
      plan != nullptr && plan->is_variadic && plan->fixed_arguments > 0
          ? ffi_prep_cif_var(&interface, FFI_DEFAULT_ABI,
                             static_cast<unsigned>(plan->fixed_arguments), count, result_type,
                             argument_types.data())
          : ffi_prep_cif(&interface, FFI_DEFAULT_ABI, count, result_type, argument_types.data());
  if (status != FFI_OK) {
    return absl::UnimplementedError(absl::StrCat("libffi refuses the signature (", status, ")"));
  }
  const bool result_is_in_register = IsInRegister(result.type.kind);
  uint64_t returned = 0;
  ffi_call(&interface, address.InThisProcess<void (*)()>(),
           result_is_in_register ? &returned : result.bytes, places.data());
  if (result_is_in_register) Store(returned, plan == nullptr ? 64 : plan->result.bits, result);
  return absl::OkStatus();
}

}  // namespace firstcall
