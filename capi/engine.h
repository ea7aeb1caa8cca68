// The types behind the C API's handles.

#ifndef FIRSTCALL_CAPI_ENGINE_H_
#define FIRSTCALL_CAPI_ENGINE_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ids.h"
#include "capi/firstcall.h"
#include "engine/engine.h"
#include "runtime/detached_code.h"

struct fc_engine {
  std::unique_ptr<firstcall::Engine> engine;
};

struct fc_code {
  std::unique_ptr<firstcall::DetachedCode> code;
};

namespace firstcall::capi {

// Hands a new module to the client, who may have given null.
inline absl::Status Give(const absl::StatusOr<ModuleId>& added, fc_module_id* module) {
  if (!added.ok()) return added.status();
  if (module != nullptr) *module = added->value;
  return absl::OkStatus();
}

}  // namespace firstcall::capi

#endif  // FIRSTCALL_CAPI_ENGINE_H_
