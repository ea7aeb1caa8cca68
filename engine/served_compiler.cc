#include "engine/served_compiler.h"

#include <utility>

#include "runtime/process/stoppable_thread.h"
#include "services/server/remote_compiler.h"
#include "services/server/seam_coding.h"
#include "services/server/served_cache.h"

namespace firstcall {

ServedCompiler::ServedCompiler(const EngineOptions& options, CompilerProvider& local)
    : server_{options.compile_server, options.compile_server_budget, local.IdentityOfServer()},
      may_compile_here_(options.compile_without_server),
      local_(local),
      identity_(server_.identity) {}

std::string ServedCompiler::Identity(const CompilerSettings& settings) {
  absl::MutexLock lock(&mutex_);
  if (identity_.empty()) {
    absl::StatusOr<std::string> identity = AskIdentity(server_);
    identity_ = identity.ok() ? *std::move(identity) : local_.Identity(settings);
  }
  return identity_;
}

std::shared_ptr<ObjectCache> ServedCompiler::CacheFor(const CompilerSettings& settings,
                                                      std::shared_ptr<ObjectCache> own) {
  absl::StatusOr<std::string> encoded = EncodeSettings(settings);
  if (!encoded.ok()) return own;
  return std::make_shared<ServedCache>(server_, *std::move(encoded), std::move(own));
}

absl::StatusOr<std::unique_ptr<Compiler>> ServedCompiler::Create(const CompilerSettings& settings,
                                                                 Listener& listener,
                                                                 absl::string_view reason) {
  const RemoteCompiler::Local local = [this, settings, &listener](absl::string_view why) {
    absl::StatusOr<std::unique_ptr<Compiler>> compiler = local_.Create(settings, listener, why);
    if (compiler.ok()) StoppableThread::SetStoppableCode((*compiler)->SomewhereInLibrary());
    return compiler;
  };
  RemoteCompiler::Local fallback;
  if (may_compile_here_) {
    // What is compiled here is said to be the reason, not that the server is gone.
    fallback = [local, reason = std::string(reason)](absl::string_view) { return local(reason); };
  }
  return RemoteCompiler::Create(settings, server_, std::move(fallback), local);
}

}  // namespace firstcall
