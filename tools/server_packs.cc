#include "tools/server_packs.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/synchronization/mutex.h"
#include "base/status.h"
#include "cache/disk_cache.h"
#include "cache/object_cache.h"
#include "cache/shared_cache.h"
#include "cache/shared_packs.h"
#include "tools/command_line.h"
#include "tools/run_program.h"

namespace firstcall {
namespace {

// A module of the program.
struct Known {
  std::string module;
  std::string signature;
};

// A cache that has nothing, and notes which modules are asked for.
class Recorder final : public ObjectCache {
 public:
  std::optional<Bytes> Find(const ObjectKey& key) override {
    const bool is_first =
        key.part.kind == ModulePart::Kind::kIndex || key.part.kind == ModulePart::Kind::kModule;
    absl::MutexLock lock(&mutex_);
    const bool is_known = std::any_of(known_.begin(), known_.end(), [&](const Known& known) {
      return known.signature == key.signature;
    });
    if (is_first && !is_known) {
      known_.push_back({std::string(key.module), std::string(key.signature)});
    }
    return std::nullopt;
  }
  void Store(const ObjectKey& /*key*/, Bytes /*object*/) override {}
  bool keeps() const override { return false; }

  std::vector<Known> known() {
    absl::MutexLock lock(&mutex_);
    return known_;
  }

 private:
  absl::Mutex mutex_;
  std::vector<Known> known_ ABSL_GUARDED_BY(mutex_);
};

int Report(absl::string_view message) {
  std::fprintf(stderr, "firstcall: %s\n", std::string(message).c_str());
  return 1;
}

absl::StatusOr<std::vector<Known>> ModulesOf(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"firstcall", "--no-object-cache"});
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  CommandLine command_line =
      ParseCommandLine(static_cast<int>(pointers.size() - 1), pointers.data());
  auto recorder = std::make_shared<Recorder>();
  command_line.engine.object_cache = recorder;
  FIRSTCALL_RETURN_IF_ERROR(Load(command_line).status());
  return recorder->known();
}

// What came from the server for one module.
struct Taken {
  size_t entries = 0;
  size_t optimized = 0;
  size_t bytes = 0;
  std::vector<ModulePart> damaged;
};

Taken TakeAll(SharedCache& cache, const Known& known) {
  Taken taken;
  for (const ModulePart part : cache.PartsOf(known.signature)) {
    const std::optional<ObjectCache::Bytes> found =
        cache.Find({known.module, known.signature, part});
    if (!found) {
      taken.damaged.push_back(part);
      continue;
    }
    ++taken.entries;
    if (part.ages()) ++taken.optimized;
    taken.bytes += found->size();
  }
  return taken;
}

void Print(const ServerRequest& request, const Known& known, const Taken& taken) {
  const std::string name = ListPath(known.signature);
  switch (request.verb) {
    case ServerRequest::Verb::kList:
      std::printf("%s %7zu entries, %zu optimized %11zu bytes  %s\n", name.c_str(), taken.entries,
                  taken.optimized, taken.bytes, known.module.c_str());
      break;
    case ServerRequest::Verb::kVerify:
      if (!taken.damaged.empty()) break;
      std::printf("%s is sound: %zu entries\n", name.c_str(), taken.entries);
      break;
    case ServerRequest::Verb::kPull:
      std::printf("%zu entries came for %s\n", taken.entries, known.module.c_str());
      break;
  }
}

}  // namespace

int RunServerRequest(const ServerRequest& request) {
  const absl::StatusOr<std::vector<Known>> modules = ModulesOf(request.run_arguments);
  if (!modules.ok()) return Report(modules.status().message());
  int result = 0;
  bool is_explained = false;  // Why nothing has come for the current module.
  const auto warn = [&](absl::string_view message) {
    result = Report(message);
    is_explained = true;
  };
  std::shared_ptr<ObjectCache> front;
  if (request.verb == ServerRequest::Verb::kPull) {
    DiskCache::Options options;
    options.warn = warn;
    absl::StatusOr<std::unique_ptr<DiskCache>> disk =
        DiskCache::Open(request.directory, std::move(options));
    if (!disk.ok()) return Report(disk.status().message());
    front = *std::move(disk);
  }
  SharedCacheSettings settings = request.settings;
  settings.emplace_back("read-only", "yes");
  for (const Known& known : *modules) {
    // A cache for each module, because a cache without a front keeps all that it has returned.
    absl::StatusOr<std::unique_ptr<SharedCache>> cache =
        OpenSharedCache(request.url, settings, front, warn);
    if (!cache.ok()) return Report(cache.status().message());
    is_explained = false;
    const Taken taken = TakeAll(**cache, known);
    // It would not answer for the other modules, either.
    if ((*cache)->is_lost()) break;
    if (taken.entries == 0 && taken.damaged.empty()) {
      if (is_explained) continue;
      result = Report(absl::StrCat("object cache '", (*cache)->server(), "' has nothing for '",
                                   known.module, "' with these options"));
      continue;
    }
    for (const ModulePart part : taken.damaged) {
      result = Report(absl::StrCat(ListPath(known.signature), ": its ", part.ToString(),
                                   " is damaged, or could not be fetched"));
    }
    Print(request, known, taken);
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return Report("cannot write the output");
  }
  return result;
}

}  // namespace firstcall
