// The C API's functions that create and destroy an engine, run code, and prepare, remove and detach
// modules.

#include "clients/capi/engine.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/ids.h"
#include "base/status.h"
#include "clients/capi/duration.h"
#include "clients/capi/error.h"
#include "clients/capi/options.h"
#include "clients/capi/sized.h"

namespace {

using firstcall::Engine;
using firstcall::ModuleId;
using firstcall::PrepareOptions;
using firstcall::capi::ArgumentsFrom;
using firstcall::capi::Guarded;
using firstcall::capi::ModuleFrom;
using firstcall::capi::NanosecondsOf;
using firstcall::capi::RequireAll;

absl::StatusOr<PrepareOptions> OptionsFrom(const fc_prepare_options* options) {
  PrepareOptions result;
  if (options == nullptr) return result;
  FIRSTCALL_ASSIGN_OR_RETURN(fc_prepare_options known,
                             firstcall::capi::CopyIn(*options, "fc_prepare_options"));
  if (known.budget_nanoseconds != 0)
    result.budget = firstcall::capi::DurationFrom(known.budget_nanoseconds);
  result.optimizes = known.optimizes != 0;
  if (known.progress != nullptr) {
    result.progress = [known](const firstcall::PrepareProgress& progress) {
      return known.progress(known.user_data, progress.done, progress.failed, progress.total) != 0;
    };
  }
  return result;
}

uint64_t Total(size_t bytes) { return bytes; }
uint64_t Total(const firstcall::SegmentSizes& sizes) {
  return sizes.code + sizes.read_only + sizes.data;
}

}  // namespace

extern "C" {

fc_error* fc_engine_create(const fc_options* options, fc_engine** engine) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_engine_create", {{"engine", engine}}));
    if (options != nullptr) FIRSTCALL_RETURN_IF_ERROR(options->status);
    auto created = std::make_unique<fc_engine>();
    FIRSTCALL_ASSIGN_OR_RETURN(
        created->engine,
        Engine::Create(options == nullptr ? firstcall::EngineOptions() : options->engine));
    *engine = created.release();
    return absl::OkStatus();
  });
}

void fc_engine_destroy(fc_engine* engine) { delete engine; }

fc_error* fc_engine_lookup(fc_engine* engine, const char* name, uintptr_t* address) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_engine_lookup", {{"engine", engine}, {"name", name}, {"address", address}}));
    FIRSTCALL_ASSIGN_OR_RETURN(void* found, engine->engine->LookupAddress(name));
    *address = reinterpret_cast<uintptr_t>(found);
    return absl::OkStatus();
  });
}

fc_error* fc_engine_prepare(fc_engine* engine, const char* const* names, size_t count,
                            const fc_prepare_options* options) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_engine_prepare", {{"engine", engine}, {"names", names}}));
    FIRSTCALL_ASSIGN_OR_RETURN(PrepareOptions known, OptionsFrom(options));
    std::vector<absl::string_view> views;
    for (size_t i = 0; i < count; ++i) {
      FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_engine_prepare", {{"a name", names[i]}}));
      views.push_back(names[i]);
    }
    return engine->engine->Prepare(views, known);
  });
}

fc_error* fc_engine_prepare_all(fc_engine* engine, const fc_prepare_options* options) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_engine_prepare_all", {{"engine", engine}}));
    FIRSTCALL_ASSIGN_OR_RETURN(PrepareOptions known, OptionsFrom(options));
    return engine->engine->PrepareAll(known);
  });
}

fc_error* fc_engine_run_constructors(fc_engine* engine) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_engine_run_constructors", {{"engine", engine}}));
    return engine->engine->RunConstructors();
  });
}

fc_error* fc_engine_run_destructors(fc_engine* engine) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_engine_run_destructors", {{"engine", engine}}));
    engine->engine->RunDestructors();
    return absl::OkStatus();
  });
}

fc_error* fc_engine_run_main(fc_engine* engine, int argc, const char* const* argv,
                             const char* entry, int* status) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_engine_run_main", {{"engine", engine}}));
    FIRSTCALL_ASSIGN_OR_RETURN(const std::vector<std::string> arguments,
                               ArgumentsFrom("fc_engine_run_main", argc, argv));
    FIRSTCALL_ASSIGN_OR_RETURN(
        int returned, engine->engine->RunMain(arguments, entry == nullptr ? "main" : entry));
    if (status != nullptr) *status = returned;
    return absl::OkStatus();
  });
}

fc_error* fc_engine_remove(fc_engine* engine, fc_module_id module) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_engine_remove", {{"engine", engine}}));
    FIRSTCALL_ASSIGN_OR_RETURN(ModuleId id, ModuleFrom(module));
    return engine->engine->Remove(id);
  });
}

fc_error* fc_engine_detach(fc_engine* engine, fc_module_id module, fc_code** code) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_engine_detach", {{"engine", engine}, {"code", code}}));
    FIRSTCALL_ASSIGN_OR_RETURN(ModuleId id, ModuleFrom(module));
    auto detached = std::make_unique<fc_code>();
    FIRSTCALL_ASSIGN_OR_RETURN(detached->code, engine->engine->Detach(id));
    *code = detached.release();
    return absl::OkStatus();
  });
}

fc_error* fc_engine_get_statistics(fc_engine* engine, fc_statistics* statistics) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(
        RequireAll("fc_engine_get_statistics", {{"engine", engine}, {"statistics", statistics}}));
    const firstcall::Stats stats = engine->engine->stats();
    fc_statistics known = {};
    known.modules = stats.modules;
    known.modules_removed = stats.modules_removed;
    known.functions_known = stats.functions_known;
    known.functions_compiled = stats.functions_compiled;
    known.stubs_made = stats.stubs_made;
    known.objects_linked = stats.objects_linked;
    known.object_bytes = stats.object_bytes;
    known.code_bytes = stats.code_bytes;
    known.memory_reserved = Total(stats.memory.reserved);
    known.memory_committed = Total(stats.memory.committed);
    known.memory_used = Total(stats.memory.used);
    known.arenas = stats.memory.arenas;
    known.load_time = NanosecondsOf(stats.load);
    known.split_time = NanosecondsOf(stats.split);
    known.emit_time = NanosecondsOf(stats.emit);
    known.link_time = NanosecondsOf(stats.link);
    known.promotions_made = stats.promotions_made;
    known.promotions_failed = stats.promotions_failed;
    known.functions_baseline = stats.functions_baseline;
    known.compilers_made = stats.compiler_made_for.empty() ? 0 : 1;
    known.promotions_cached = stats.promotions_cached;
    known.functions_mcjit = stats.functions_mcjit;
    known.objects_mcjit = stats.objects_mcjit;
    const firstcall::PromotionTotals& totals = stats.promotions.totals;
    known.optimization_time = NanosecondsOf(totals.time);
    known.optimization_time_predicted = NanosecondsOf(totals.predicted_cost);
    known.time_saved_predicted = NanosecondsOf(totals.predicted_gain);
    known.promotions_put_off = totals.put_off;
    return firstcall::capi::CopyOut(known, *statistics, "fc_statistics");
  });
}

fc_error* fc_engine_get_failed_promotion(fc_engine* engine) {
  return Guarded(__func__, [&]() -> absl::Status {
    FIRSTCALL_RETURN_IF_ERROR(RequireAll("fc_engine_get_failed_promotion", {{"engine", engine}}));
    return engine->engine->stats().last_failed_promotion;
  });
}
}
