// Adding modules, objects and archives to an engine.

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ids.h"
#include "base/status.h"
#include "clients/capi/engine.h"
#include "clients/capi/error.h"
#include "clients/capi/firstcall.h"

namespace {

using firstcall::ModuleId;
using firstcall::capi::Give;
using firstcall::capi::Guarded;
using firstcall::capi::OrEmpty;
using firstcall::capi::RequireAll;

}  // namespace

extern "C" {

fc_error* fc_engine_add_bitcode(fc_engine* engine, const void* bitcode, size_t size,
                                const char* name, fc_module_id* module) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_engine_add_bitcode", {{"engine", engine}, {"bitcode", bitcode}}));
    const absl::string_view bytes(static_cast<const char*>(bitcode), size);
    return Give(engine->engine->AddBitcode(bytes, OrEmpty(name)), module);
  });
}

fc_error* fc_engine_add_assembly(fc_engine* engine, const char* text, size_t size, const char* name,
                                 fc_module_id* module) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_engine_add_assembly", {{"engine", engine}, {"text", text}}));
    return Give(engine->engine->AddAssembly({text, size}, OrEmpty(name)), module);
  });
}

fc_error* fc_engine_add_file(fc_engine* engine, const char* path, fc_module_id* module) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_engine_add_file", {{"engine", engine}, {"path", path}}));
    return Give(engine->engine->AddFile(path), module);
  });
}

fc_error* fc_engine_add_files(fc_engine* engine, const char* const* paths,
                              const char* const* libraries, size_t count, fc_module_id* modules) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_engine_add_files", {{"engine", engine}, {"paths", paths}}));
    std::vector<firstcall::LibraryFile> files;
    for (size_t i = 0; i < count; ++i) {
      FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_engine_add_files", {{"a path", paths[i]}}));
      const char* const library = libraries == nullptr ? nullptr : libraries[i];
      files.push_back({paths[i], std::string(OrEmpty(library))});
    }
    FIRSTCALL_ASSIGN_OR_RETURN(std::vector<ModuleId> added, engine->engine->AddFiles(files));
    for (size_t i = 0; i < added.size() && modules != nullptr; ++i) modules[i] = added[i].value;
    return absl::OkStatus();
  });
}

fc_error* fc_engine_add_object_file(fc_engine* engine, const char* path, const char* library) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_engine_add_object_file", {{"engine", engine}, {"path", path}}));
    return engine->engine->AddObjectFile(path, OrEmpty(library));
  });
}

fc_error* fc_engine_add_archive(fc_engine* engine, const char* path, const char* library) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_engine_add_archive", {{"engine", engine}, {"path", path}}));
    return engine->engine->AddArchive(path, OrEmpty(library));
  });
}
}
