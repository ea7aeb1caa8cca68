#include "clients/capi/options.h"

#include <memory>
#include <new>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "base/status.h"
#include "cache/disk_cache.h"
#include "cache/open_shared_cache.h"
#include "clients/capi/client_memory.h"
#include "clients/capi/duration.h"
#include "clients/capi/event_callback.h"
#include "clients/capi/sized.h"

namespace {

using firstcall::EngineOptions;

// Runs `set` on the options unless they are null. If memory runs out, fc_engine_create reports that
// like any other error.
template <typename Setter>
void Set(fc_options* options, Setter set) {
  if (options == nullptr) return;
  absl::Status status;
  try {
    status = set(options->engine);
  } catch (const std::bad_alloc&) {
    status = absl::ResourceExhaustedError("out of memory");
  }
  options->status.Update(status);
}

// Sets `value` to the entry of `values` at `choice`; entry 0 is the default.
template <typename T, size_t kCount>
absl::Status Choose(const char* what, int choice, const T (&values)[kCount], T& value) {
  if (choice < 0 || static_cast<size_t>(choice) >= kCount) {
    return absl::InvalidArgumentError(absl::StrCat("options: there is no ", what, " ", choice));
  }
  value = values[choice];
  return absl::OkStatus();
}

// Makes the engine's cache of the options' directory and server.
absl::Status OpenCache(fc_options& options) {
  options.engine.object_cache = options.directory;
  if (options.shared_cache.empty()) return absl::OkStatus();
  FIRSTCALL_ASSIGN_OR_RETURN(
      options.engine.object_cache,
      firstcall::OpenSharedCache(options.shared_cache, options.shared_cache_settings,
                                 options.directory, nullptr));
  return absl::OkStatus();
}

void SetString(fc_options* options, std::string EngineOptions::*field, const char* value) {
  Set(options, [&](EngineOptions& engine) {
    engine.*field = value == nullptr ? "" : value;
    return absl::OkStatus();
  });
}

}  // namespace

extern "C" {

fc_options* fc_options_create(void) {
  try {
    return new fc_options;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void fc_options_free(fc_options* options) { delete options; }

void fc_options_set_mode(fc_options* options, fc_mode mode) {
  Set(options, [&](EngineOptions& engine) {
    return Choose("mode", mode, {firstcall::Mode::kLazy, firstcall::Mode::kEager}, engine.mode);
  });
}

void fc_options_set_codegen_level(fc_options* options, int level) {
  using firstcall::CodegenLevel;
  Set(options, [&](EngineOptions& engine) {
    return Choose("level of code generation", level,
                  {CodegenLevel::kO0, CodegenLevel::kO1, CodegenLevel::kO2, CodegenLevel::kO3},
                  engine.codegen_level);
  });
}

void fc_options_set_backend(fc_options* options, fc_backend backend) {
  using firstcall::Backend;
  Set(options, [&](EngineOptions& engine) {
    return Choose("backend", backend,
                  {Backend::kAuto, Backend::kBaseline, Backend::kLlvm, Backend::kMcjit},
                  engine.backend);
  });
}

void fc_options_set_baseline(fc_options* options, fc_baseline baseline) {
  using firstcall::Baseline;
  Set(options, [&](EngineOptions& engine) {
    return Choose("use of the baseline code generator", baseline,
                  {Baseline::kOff, Baseline::kOn, Baseline::kStrict}, engine.baseline);
  });
}

void fc_options_set_debug_info(fc_options* options, fc_debug_info debug_info) {
  using firstcall::DebugInfo;
  Set(options, [&](EngineOptions& engine) {
    return Choose("choice of debug information", debug_info,
                  {DebugInfo::kAuto, DebugInfo::kAlways, DebugInfo::kNever}, engine.debug_info);
  });
}

void fc_options_set_optnone(fc_options* options, fc_optnone optnone) {
  using firstcall::OptNone;
  Set(options, [&](EngineOptions& engine) {
    return Choose("meaning of optnone", optnone, {OptNone::kAuto, OptNone::kKeep, OptNone::kIgnore},
                  engine.optnone);
  });
}

void fc_options_set_tier(fc_options* options, int tier) {
  using firstcall::Tier;
  Set(options, [&](EngineOptions& engine) {
    return Choose("tier", tier, {Tier::kZero, Tier::kOne, Tier::kAuto}, engine.tier);
  });
}

void fc_options_set_compile_threads(fc_options* options, size_t threads) {
  Set(options, [&](EngineOptions& engine) {
    engine.compile_threads = threads;
    return absl::OkStatus();
  });
}

void fc_options_set_speculation_budget(fc_options* options, uint64_t nanoseconds) {
  Set(options, [&](EngineOptions& engine) {
    engine.speculation_budget = firstcall::capi::DurationFrom(nanoseconds);
    return absl::OkStatus();
  });
}

void fc_options_set_contain_crashes(fc_options* options, int enabled) {
  Set(options, [&](EngineOptions& engine) {
    engine.contain_crashes = enabled != 0;
    return absl::OkStatus();
  });
}

void fc_options_set_hold_signals(fc_options* options, int enabled) {
  Set(options, [&](EngineOptions& engine) {
    engine.holds_signals = enabled != 0;
    return absl::OkStatus();
  });
}

void fc_options_set_triple(fc_options* options, const char* triple) {
  SetString(options, &EngineOptions::triple, triple);
}

void fc_options_set_architecture(fc_options* options, const char* architecture) {
  SetString(options, &EngineOptions::architecture, architecture);
}

void fc_options_set_cpu(fc_options* options, const char* cpu) {
  SetString(options, &EngineOptions::cpu, cpu);
}

void fc_options_set_features(fc_options* options, const char* features) {
  SetString(options, &EngineOptions::features, features);
}

void fc_options_set_cache_directory(fc_options* options, const char* directory) {
  Set(options, [&](EngineOptions& /*engine*/) -> absl::Status {
    options->directory = nullptr;
    if (directory != nullptr) {
      FIRSTCALL_ASSIGN_OR_RETURN(options->directory, firstcall::DiskCache::Open(directory, {}));
    }
    return OpenCache(*options);
  });
}

void fc_options_set_shared_cache(fc_options* options, const char* url,
                                 const char* const* settings) {
  Set(options, [&](EngineOptions& /*engine*/) -> absl::Status {
    options->shared_cache = url == nullptr ? "" : url;
    options->shared_cache_settings.clear();
    for (; url != nullptr && settings != nullptr && *settings != nullptr; ++settings) {
      if (!absl::StrContains(*settings, '=')) {
        return absl::InvalidArgumentError(absl::StrCat("options: the setting of a shared cache '",
                                                       *settings, "' has not the form name=value"));
      }
      options->shared_cache_settings.push_back(absl::StrSplit(*settings, absl::MaxSplits('=', 1)));
    }
    return OpenCache(*options);
  });
}

void fc_options_add_cache_key(fc_options* options, const char* name, const char* value) {
  Set(options, [&](EngineOptions& engine) {
    engine.cache_key.emplace_back(name == nullptr ? "" : name, value == nullptr ? "" : value);
    return absl::OkStatus();
  });
}

void fc_options_set_compiler_library(fc_options* options, const char* path) {
  SetString(options, &EngineOptions::compiler_library, path);
}

void fc_options_set_compile_server(fc_options* options, const char* socket) {
  SetString(options, &EngineOptions::compile_server, socket);
}

void fc_options_set_compile_server_budget(fc_options* options, uint64_t nanoseconds) {
  Set(options, [&](EngineOptions& engine) {
    engine.compile_server_budget = firstcall::capi::DurationFrom(nanoseconds);
    return absl::OkStatus();
  });
}

void fc_options_set_compile_without_server(fc_options* options, int enabled) {
  Set(options, [&](EngineOptions& engine) {
    engine.compile_without_server = enabled != 0;
    return absl::OkStatus();
  });
}

void fc_options_set_relocation_model(fc_options* options, fc_relocation_model model) {
  using Model = std::optional<firstcall::RelocationModel>;
  Set(options, [&](EngineOptions& engine) {
    return Choose("relocation model", model,
                  {Model(), Model(firstcall::RelocationModel::kPic),
                   Model(firstcall::RelocationModel::kStatic),
                   Model(firstcall::RelocationModel::kDynamicNoPic)},
                  engine.relocation_model);
  });
}

void fc_options_set_code_model(fc_options* options, fc_code_model model) {
  using Model = std::optional<firstcall::CodeModel>;
  Set(options, [&](EngineOptions& engine) {
    return Choose("code model", model,
                  {Model(), Model(firstcall::CodeModel::kTiny), Model(firstcall::CodeModel::kSmall),
                   Model(firstcall::CodeModel::kKernel), Model(firstcall::CodeModel::kMedium),
                   Model(firstcall::CodeModel::kLarge)},
                  engine.code_model);
  });
}

void fc_options_set_memory_budget(fc_options* options, size_t bytes) {
  Set(options, [&](EngineOptions& engine) {
    engine.memory_budget = bytes;
    return absl::OkStatus();
  });
}

void fc_options_set_search_process(fc_options* options, int enabled) {
  Set(options, [&](EngineOptions& engine) {
    engine.search_process_symbols = enabled != 0;
    return absl::OkStatus();
  });
}

void fc_options_add_shared_library(fc_options* options, const char* path) {
  Set(options, [&](EngineOptions& engine) {
    engine.shared_libraries.emplace_back(path == nullptr ? "" : path);
    return absl::OkStatus();
  });
}

void fc_options_set_symbol_finder(fc_options* options, fc_symbol_finder finder, void* user_data) {
  Set(options, [&](EngineOptions& engine) {
    engine.symbol_finder = nullptr;
    if (finder == nullptr) return absl::OkStatus();
    engine.symbol_finder = [finder, user_data](absl::string_view symbol) {
      return reinterpret_cast<void*>(finder(user_data, std::string(symbol).c_str()));
    };
    return absl::OkStatus();
  });
}

void fc_options_set_failure_handler(fc_options* options, fc_failure_handler handler,
                                    void* user_data) {
  Set(options, [&](EngineOptions& engine) {
    engine.failure_handler = nullptr;
    if (handler == nullptr) return absl::OkStatus();
    engine.failure_handler = [handler, user_data](const firstcall::FailedCall& failed) {
      const std::string function(failed.function);
      const std::string module(failed.module);
      const std::string message(failed.status.message());
      const fc_failed_call call = {sizeof(call), function.c_str(), module.c_str(),
                                   static_cast<fc_error_code>(failed.status.code()),
                                   message.c_str()};
      return reinterpret_cast<void*>(handler(user_data, &call));
    };
    return absl::OkStatus();
  });
}

void fc_options_add_event_handler(fc_options* options, fc_event_handler handler, void* user_data) {
  Set(options, [&](EngineOptions& engine) {
    if (handler == nullptr) return absl::InvalidArgumentError("options: the event handler is null");
    engine.event_listeners.push_back(
        std::make_shared<firstcall::capi::EventCallback>(handler, user_data));
    return absl::OkStatus();
  });
}

void fc_options_set_memory_manager(fc_options* options, const fc_memory_manager* manager) {
  using firstcall::MemoryManager;
  using firstcall::capi::ClientMemory;
  using firstcall::capi::MemoryCallbacks;
  Set(options, [&](EngineOptions& engine) -> absl::Status {
    engine.memory_manager = nullptr;
    if (manager == nullptr) return absl::OkStatus();
    FIRSTCALL_ASSIGN_OR_RETURN(fc_memory_manager known,
                               firstcall::capi::CopyIn(*manager, "fc_memory_manager"));
    auto callbacks = std::make_shared<const MemoryCallbacks>(known);
    engine.memory_manager = [callbacks](std::shared_ptr<MemoryManager> engines_own) {
      return std::make_shared<ClientMemory>(callbacks, std::move(engines_own));
    };
    return absl::OkStatus();
  });
}
}
