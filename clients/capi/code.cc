// Detached code.

#include <string>

#include "absl/status/status.h"
#include "base/status.h"
#include "clients/capi/engine.h"
#include "clients/capi/error.h"

extern "C" {

void fc_code_free(fc_code* code) { delete code; }

const char* fc_code_get_name(const fc_code* code) {
  return code == nullptr ? "" : code->code->name().c_str();
}

size_t fc_code_get_size(const fc_code* code) {
  return code == nullptr ? 0 : code->code->code_bytes();
}

fc_error* fc_code_lookup(const fc_code* code, const char* name, uintptr_t* address) {
  return firstcall::capi::Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(firstcall::capi::RequireAll(
        "fc_code_lookup", {{"code", code}, {"name", name}, {"address", address}}));
    FIRSTCALL_ASSIGN_OR_RETURN(void* found, code->code->LookupAddress(name));
    *address = reinterpret_cast<uintptr_t>(found);
    return absl::OkStatus();
  });
}
}
