#include "foreign/foreign_call.h"

#include <ffi.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "foreign/argument_registers.h"
#include "foreign/ffi_types.h"
#include "foreign/foreign_layout.h"

namespace firstcall {
namespace {

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
  }
  if (!kPassesStructs && (type.kind == ForeignKind::kInt128 || type.kind == ForeignKind::kStruct)) {
    return absl::UnimplementedError(
        "only scalars of up to 64 bits are passed on this architecture");
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

// The arguments of one call.
class FfiArguments {
 public:
  // Adds the next argument.
  void Add(const ForeignValue& argument, IntegerPassing passing) {
    const std::optional<RegisterParts> parts = RegisterPartsOf(argument.type);
    if (parts) {
      // libffi leaves out no registers, so zeros fill them.
      for (size_t i = registers_.LeftOutFor(*parts); i > 0; --i) AddInteger(0);
      registers_.Take(*parts);
    } else if (kPassesLargeValuesByAddress) {
      registers_.TakeAddress();
    }
    if (IsInRegister(argument.type.kind)) {
      AddInteger(Load(argument, passing));
      return;
    }
    types_.push_back(ffi_types_.For(argument.type));
    places_.push_back(parts || !kPassesLargeValuesByAddress ? argument.bytes : Copy(argument));
  }

  FfiTypes& ffi_types() { return ffi_types_; }
  unsigned count() const { return static_cast<unsigned>(types_.size()); }
  ffi_type** types() { return types_.data(); }
  void** places() { return places_.data(); }

 private:
  void AddInteger(uint64_t value) {
    types_.push_back(&ffi_type_uint64);
    places_.push_back(&integers_.emplace_back(value));
  }

  // A copy for the callee, which may write to it: libffi passes the address that it is given.
  void* Copy(const ForeignValue& argument) {
    const size_t size = LayoutOf(argument.type).size;
    std::vector<std::max_align_t>& copy =
        copies_.emplace_back(AlignUp(size, sizeof(std::max_align_t)) / sizeof(std::max_align_t));
    std::memcpy(copy.data(), argument.bytes, size);
    return copy.data();
  }

  FfiTypes ffi_types_;
  ArgumentRegisters registers_;
  std::vector<ffi_type*> types_;
  std::vector<void*> places_;
  std::deque<uint64_t> integers_;
  std::deque<std::vector<std::max_align_t>> copies_;
};

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
  FfiArguments ffi;
  ffi_type* result_type = ffi.ffi_types().For(result.type);
  void* result_place = result.bytes;
  size_t next = 0;
  if (plan != nullptr && plan->hidden_result > 0) {
    result_type = ffi.ffi_types().Hidden(plan->hidden_result);
    std::memcpy(&result_place, arguments[next++].bytes, sizeof(result_place));
  }
  unsigned fixed = 0;
  for (; next < arguments.size(); ++next) {
    ffi.Add(arguments[next], plan == nullptr ? IntegerPassing() : plan->arguments[next]);
    if (plan != nullptr && next < plan->fixed_arguments) fixed = ffi.count();
  }
  ffi_cif interface;
  const ffi_status status =
      // libffi needs a fixed argument. Without one, a plain call passes everything in the same way
      // here.
      plan != nullptr && plan->is_variadic && fixed > 0
          ? ffi_prep_cif_var(&interface, FFI_DEFAULT_ABI, fixed, ffi.count(), result_type,
                             ffi.types())
          : ffi_prep_cif(&interface, FFI_DEFAULT_ABI, ffi.count(), result_type, ffi.types());
  if (status != FFI_OK) {
    return absl::UnimplementedError(absl::StrCat("libffi refuses the signature (", status, ")"));
  }
  const bool result_is_in_register = IsInRegister(result.type.kind);
  uint64_t returned = 0;
  ffi_call(&interface, address.InThisProcess<void (*)()>(),
           result_is_in_register ? &returned : result_place, ffi.places());
  if (result_is_in_register) Store(returned, plan == nullptr ? 64 : plan->result.bits, result);
  return absl::OkStatus();
}

}  // namespace firstcall
