// What an engine offers where the runtime half alone is linked into the program.

#include <map>
#include <string>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/mutex.h"
#include "engine/engine.h"
#include "engine/loaded_compiler.h"

namespace firstcall {
namespace {

// One for each path, for as long as the process exists.
CompilerProvider& CompilerIn(const std::string& path) {
  ABSL_CONST_INIT static absl::Mutex mutex(absl::kConstInit);
  static auto* const compilers = new std::map<std::string, LoadedCompiler>();
  absl::MutexLock lock(&mutex);
  return compilers->try_emplace(path, path, /*identified_by=*/"", /*on_load=*/nullptr)
      .first->second;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Engine>> Engine::Create(EngineOptions options) {
  std::string path = options.compiler_library;
  if (path.empty()) path = absl::StrCat(OwnDirectory(), kCompilerLibraryName);
  return Create(std::move(options), CompilerIn(path));
}

}  // namespace firstcall
