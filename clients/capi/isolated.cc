// The C API's engines in processes of their own.

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/ids.h"
#include "base/status.h"
#include "clients/capi/duration.h"
#include "clients/capi/engine.h"
#include "clients/capi/error.h"
#include "clients/capi/firstcall.h"
#include "clients/capi/options.h"
#include "clients/capi/sized.h"
#include "clients/capi/values.h"
#include "foreign/foreign_layout.h"
#include "foreign/foreign_value.h"
#include "services/isolation/isolated_engine.h"

struct fc_isolated {
  std::unique_ptr<firstcall::IsolatedEngine> engine;
};

namespace {

using firstcall::ForeignKind;
using firstcall::ForeignType;
using firstcall::ForeignValue;
using firstcall::IsolatedCallback;
using firstcall::IsolatedEngine;
using firstcall::IsolationOptions;
using firstcall::ModuleId;
using firstcall::capi::Guarded;
using firstcall::capi::OrEmpty;
using firstcall::capi::RequireAll;

// A type of C's, with the memory for the fields of its structs.
class TypeInC {
 public:
  explicit TypeInC(const ForeignType& type) {
    type_.kind = static_cast<fc_kind>(type.kind);
    for (const ForeignType& field : type.fields) parts_.emplace_back(field);
    for (const TypeInC& part : parts_) fields_.push_back(part.type());
  }
  // A copy would refer to the fields of the original.
  TypeInC(TypeInC&&) = default;
  TypeInC(const TypeInC&) = delete;
  TypeInC& operator=(const TypeInC&) = delete;

  fc_type type() const {
    fc_type type = type_;
    type.field_count = fields_.size();
    type.fields = fields_.data();
    return type;
  }

 private:
  fc_type type_ = {};
  std::vector<TypeInC> parts_;
  std::vector<fc_type> fields_;
};

// `foreign` as a value of C's. The struct of a value stays where it is.
fc_value ValueInC(const ForeignValue& foreign, const TypeInC& type) {
  fc_value value = {};
  value.type = type.type();
  if (foreign.type.kind == ForeignKind::kStruct) {
    value.as.structure = foreign.bytes;
  } else if (foreign.bytes != nullptr) {
    std::memcpy(&value.as, foreign.bytes, firstcall::LayoutOf(foreign.type).size);
  }
  return value;
}

absl::Status CallClient(const fc_isolated_callback& client, fc_isolated* isolated,
                        absl::Span<const ForeignValue> arguments, const ForeignValue& result) {
  std::vector<TypeInC> types;
  for (const ForeignValue& argument : arguments) types.emplace_back(argument.type);
  std::vector<fc_value> values;
  for (size_t i = 0; i < arguments.size(); ++i) values.push_back(ValueInC(arguments[i], types[i]));
  const bool is_void = result.type.kind == ForeignKind::kVoid;
  const TypeInC result_type(result.type);
  fc_value returned = ValueInC(result, result_type);
  FIRSTCALL_RETURN_IF_ERROR(firstcall::capi::TakeError(client.function(
      client.user_data, isolated, values.data(), values.size(), is_void ? nullptr : &returned)));
  if (!is_void && result.type.kind != ForeignKind::kStruct) {
    std::memcpy(result.bytes, &returned.as, firstcall::LayoutOf(result.type).size);
  }
  return absl::OkStatus();
}

absl::StatusOr<IsolatedCallback> CallbackFrom(const fc_isolated_callback& client,
                                              fc_isolated* isolated) {
  IsolatedCallback callback;
  if (client.name == nullptr || client.function == nullptr ||
      (client.parameters == nullptr && client.parameter_count > 0)) {
    return absl::InvalidArgumentError("fc_isolated_create: a part of a callback is null");
  }
  callback.name = client.name;
  const std::string which = absl::StrCat("fc_isolated_create: the callback '", client.name, "'");
  const auto type = [&](const fc_type& theirs) -> absl::StatusOr<ForeignType> {
    absl::StatusOr<ForeignType> known = firstcall::capi::TypeFrom(theirs);
    if (!known.ok()) return firstcall::Annotate(known.status(), which);
    return known;
  };
  FIRSTCALL_ASSIGN_OR_RETURN(callback.result, type(client.result));
  for (size_t i = 0; i < client.parameter_count; ++i) {
    FIRSTCALL_ASSIGN_OR_RETURN(ForeignType parameter, type(client.parameters[i]));
    callback.parameters.push_back(std::move(parameter));
  }
  callback.function = [client, isolated](IsolatedEngine&, absl::Span<const ForeignValue> arguments,
                                         const ForeignValue& result) {
    return CallClient(client, isolated, arguments, result);
  };
  return callback;
}

absl::StatusOr<IsolationOptions> OptionsFrom(const fc_isolation_options* options,
                                             fc_isolated* isolated) {
  IsolationOptions result;
  if (options == nullptr) return result;
  FIRSTCALL_ASSIGN_OR_RETURN(const fc_isolation_options known,
                             firstcall::capi::CopyIn(*options, "fc_isolation_options"));
  if (known.call_nanoseconds != 0) {
    result.call_time = firstcall::capi::DurationFrom(known.call_nanoseconds);
  }
  if (known.memory_bytes != 0) result.memory = known.memory_bytes;
  if (known.callback_count != 0 && known.callbacks == nullptr) {
    return absl::InvalidArgumentError("fc_isolated_create: the callbacks are null");
  }
  for (size_t i = 0; i < known.callback_count; ++i) {
    FIRSTCALL_ASSIGN_OR_RETURN(IsolatedCallback callback,
                               CallbackFrom(known.callbacks[i], isolated));
    result.callbacks.push_back(std::move(callback));
  }
  return result;
}

}  // namespace

extern "C" {

fc_error* fc_isolated_create(const fc_options* options, const fc_isolation_options* isolation,
                             fc_isolated** isolated) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_isolated_create", {{"isolated", isolated}}));
    if (options != nullptr) FIRSTCALL_RETURN_IF_ERROR(options->status);
    auto created = std::make_unique<fc_isolated>();
    FIRSTCALL_ASSIGN_OR_RETURN(IsolationOptions known, OptionsFrom(isolation, created.get()));
    FIRSTCALL_ASSIGN_OR_RETURN(
        created->engine,
        IsolatedEngine::Create(options == nullptr ? firstcall::EngineOptions() : options->engine,
                               std::move(known)));
    *isolated = created.release();
    return absl::OkStatus();
  });
}

void fc_isolated_destroy(fc_isolated* isolated) { delete isolated; }

fc_error* fc_isolated_add_bitcode(fc_isolated* isolated, const void* bitcode, size_t size,
                                  const char* name, fc_module_id* module) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_isolated_add_bitcode", {{"isolated", isolated}, {"bitcode", bitcode}}));
    return firstcall::capi::Give(
        isolated->engine->AddBitcode({static_cast<const char*>(bitcode), size}, OrEmpty(name)),
        module);
  });
}

fc_error* fc_isolated_add_assembly(fc_isolated* isolated, const char* text, size_t size,
                                   const char* name, fc_module_id* module) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_isolated_add_assembly", {{"isolated", isolated}, {"text", text}}));
    return firstcall::capi::Give(isolated->engine->AddAssembly({text, size}, OrEmpty(name)),
                                 module);
  });
}

fc_error* fc_isolated_add_file(fc_isolated* isolated, const char* path, fc_module_id* module) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_isolated_add_file", {{"isolated", isolated}, {"path", path}}));
    return firstcall::capi::Give(isolated->engine->AddFile(path), module);
  });
}

fc_error* fc_isolated_remove(fc_isolated* isolated, fc_module_id module) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_isolated_remove", {{"isolated", isolated}}));
    FIRSTCALL_ASSIGN_OR_RETURN(const ModuleId id, firstcall::capi::ModuleFrom(module));
    return isolated->engine->Remove(id);
  });
}

fc_error* fc_isolated_run_constructors(fc_isolated* isolated) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_isolated_run_constructors", {{"isolated", isolated}}));
    return isolated->engine->RunConstructors();
  });
}

fc_error* fc_isolated_run_main(fc_isolated* isolated, int argc, const char* const* argv,
                               const char* entry, int* status) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_isolated_run_main", {{"isolated", isolated}}));
    FIRSTCALL_ASSIGN_OR_RETURN(const std::vector<std::string> arguments,
                               firstcall::capi::ArgumentsFrom("fc_isolated_run_main", argc, argv));
    FIRSTCALL_ASSIGN_OR_RETURN(
        const int returned,
        isolated->engine->RunMain(arguments, entry == nullptr ? "main" : entry));
    if (status != nullptr) *status = returned;
    return absl::OkStatus();
  });
}

fc_error* fc_isolated_call(fc_isolated* isolated, const char* name, const fc_value* arguments,
                           size_t count, fc_value* result) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_isolated_call", {{"isolated", isolated}, {"name", name}}));
    return firstcall::capi::CallWith(
        arguments, count, result,
        [&](const ForeignValue& returned, absl::Span<const ForeignValue> values) {
          return isolated->engine->Call(name, returned, values);
        });
  });
}

fc_error* fc_isolated_allocate(fc_isolated* isolated, size_t size, uint64_t* address) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_isolated_allocate", {{"isolated", isolated}, {"address", address}}));
    FIRSTCALL_ASSIGN_OR_RETURN(*address, isolated->engine->Allocate(size));
    return absl::OkStatus();
  });
}

fc_error* fc_isolated_free(fc_isolated* isolated, uint64_t address) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_isolated_free", {{"isolated", isolated}}));
    return isolated->engine->Free(address);
  });
}

fc_error* fc_isolated_read(fc_isolated* isolated, uint64_t address, void* bytes, size_t size) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_isolated_read", {{"isolated", isolated}, {"bytes", bytes}}));
    FIRSTCALL_ASSIGN_OR_RETURN(const std::string read, isolated->engine->Read(address, size));
    std::memcpy(bytes, read.data(), read.size());
    return absl::OkStatus();
  });
}

fc_error* fc_isolated_write(fc_isolated* isolated, uint64_t address, const void* bytes,
                            size_t size) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_isolated_write", {{"isolated", isolated}, {"bytes", bytes}}));
    return isolated->engine->Write(address, {static_cast<const char*>(bytes), size});
  });
}

void fc_isolated_interrupt(fc_isolated* isolated) {
  if (isolated != nullptr) isolated->engine->Interrupt();
}

fc_error* fc_isolated_restart(fc_isolated* isolated) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_isolated_restart", {{"isolated", isolated}}));
    return isolated->engine->Restart();
  });
}
}
