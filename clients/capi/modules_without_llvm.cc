// The functions that add modules that are objects of LLVM, in the library without LLVM: they fail.

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "clients/capi/error.h"
#include "clients/capi/firstcall.h"

namespace {

fc_error* Refuse(const char* function) {
  return firstcall::capi::Guarded(function, [&] {
    return absl::UnimplementedError(absl::StrCat(
        function, ": this library has no LLVM; use fc_engine_add_bitcode, or libfirstcall.so"));
  });
}

}  // namespace

extern "C" {

fc_error* fc_engine_add_module(fc_engine*, struct LLVMOpaqueContext*, struct LLVMOpaqueModule*,
                               fc_module_id*) {
  return Refuse(__func__);
}

fc_error* fc_engine_add_module_copy(fc_engine*, struct LLVMOpaqueModule*, fc_module_id*) {
  return Refuse(__func__);
}

}  // extern "C"
