// libffi's trampolines come from a file of code, so no page is writable and executable.

#include "foreign/foreign_closure.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "foreign/foreign_call.h"
#include "foreign/foreign_layout.h"

namespace firstcall {
namespace {

absl::Status CheckTypes(const ForeignType& result, const std::vector<ForeignType>& parameters) {
  std::byte place{};
  std::vector<ForeignValue> values;
  for (const ForeignType& type : parameters) values.push_back({type, &place});
  FIRSTCALL_RETURN_IF_ERROR(CheckValues({result, &place}, values));
  const auto is_wide = [](const ForeignType& type) { return type.kind == ForeignKind::kInt128; };
  if (is_wide(result) || std::any_of(parameters.begin(), parameters.end(), is_wide)) {
    return absl::UnimplementedError("128-bit integers are not passed to a closure");
  }
  return absl::OkStatus();
}

// libffi reads a whole register where it expects an integer.
void ExtendInPlace(const ForeignType& type, void* result) {
  const unsigned bits = BitsOf(type.kind);
  if (bits == 0 || bits >= 64) return;
  uint64_t value = 0;
  std::memcpy(&value, result, LayoutOf(type).size);
  value = Extend(value, bits, IsSigned(type.kind));
  std::memcpy(result, &value, sizeof(value));
}

}  // namespace

ForeignClosure::ForeignClosure(const ForeignType& result,
                               const std::vector<ForeignType>& parameters, Function function)
    : result_(result), parameters_(parameters), function_(std::move(function)) {}

ForeignClosure::~ForeignClosure() {
  if (closure_ != nullptr) ffi_closure_free(closure_);
}

absl::StatusOr<std::unique_ptr<ForeignClosure>> ForeignClosure::Create(
    const ForeignType& result, const std::vector<ForeignType>& parameters, Function function) {
  FIRSTCALL_RETURN_IF_ERROR(CheckTypes(result, parameters));
  std::unique_ptr<ForeignClosure> closure(
      new ForeignClosure(result, parameters, std::move(function)));
  FIRSTCALL_RETURN_IF_ERROR(closure->Prepare());
  return closure;
}

absl::Status ForeignClosure::Prepare() {
  for (const ForeignType& type : parameters_) parameter_types_.push_back(types_.For(type));
  void* code = nullptr;
  closure_ = static_cast<ffi_closure*>(ffi_closure_alloc(sizeof(ffi_closure), &code));
  if (closure_ == nullptr) {
    return absl::ResourceExhaustedError("there is no memory for the code of a closure");
  }
  ffi_status status =
      ffi_prep_cif(&interface_, FFI_DEFAULT_ABI, static_cast<unsigned>(parameters_.size()),
                   types_.For(result_), parameter_types_.data());
  if (status == FFI_OK) status = ffi_prep_closure_loc(closure_, &interface_, Enter, this, code);
  if (status != FFI_OK) {
    return absl::UnimplementedError(absl::StrCat("libffi refuses the signature (", status, ")"));
  }
  address_ = ExecutorAddress(reinterpret_cast<uintptr_t>(code));
  return absl::OkStatus();
}

void ForeignClosure::Enter(ffi_cif*, void* result, void** arguments, void* closure) {
  const auto& self = *static_cast<const ForeignClosure*>(closure);
  std::vector<ForeignValue> values;
  values.reserve(self.parameters_.size());
  for (size_t i = 0; i < self.parameters_.size(); ++i) {
    // A caller that does not extend an i1 leaves anything in the byte's upper bits.
    if (self.parameters_[i].kind == ForeignKind::kBool) *static_cast<uint8_t*>(arguments[i]) &= 1;
    values.push_back({self.parameters_[i], arguments[i]});
  }
  if (self.result_.kind == ForeignKind::kVoid) {
    self.function_(values, {self.result_, nullptr});
    return;
  }
  std::memset(result, 0, LayoutOf(self.result_).size);
  self.function_(values, {self.result_, result});
  ExtendInPlace(self.result_, result);
}

}  // namespace firstcall
