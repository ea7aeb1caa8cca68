// The types behind the C API's handles, and what a client gives for their functions.

#ifndef FIRSTCALL_CLIENTS_CAPI_ENGINE_H_
#define FIRSTCALL_CLIENTS_CAPI_ENGINE_H_

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/ids.h"
#include "clients/capi/firstcall.h"
#include "engine/engine.h"
#include "runtime/program/detached_code.h"

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

// NotFound if no engine can have such a module.
inline absl::StatusOr<ModuleId> ModuleFrom(fc_module_id module) {
  if (module > std::numeric_limits<uint32_t>::max()) {
    return absl::NotFoundError(absl::StrCat("there is no module ", module));
  }
  return ModuleId{static_cast<uint32_t>(module)};
}

// What a client gives as main's arguments. InvalidArgument, with the name of the C API's function,
// if one is null, or if their number is negative.
inline absl::StatusOr<std::vector<std::string>> ArgumentsFrom(absl::string_view function, int argc,
                                                              const char* const* argv) {
  if (argc < 0) {
    return absl::InvalidArgumentError(absl::StrCat(function, ": ", argc, " arguments"));
  }
  std::vector<std::string> arguments;
  for (int i = 0; i < argc; ++i) {
    if (argv == nullptr || argv[i] == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(function, ": an argument is null"));
    }
    arguments.emplace_back(argv[i]);
  }
  return arguments;
}

}  // namespace firstcall::capi

#endif  // FIRSTCALL_CLIENTS_CAPI_ENGINE_H_
