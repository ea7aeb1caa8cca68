// The compiler half in the worker of a compile server (services/server/remote_compiler.h).
//
// Thread-safe. Tested in tests/engine/served_compiler_test.cc.

#ifndef FIRSTCALL_ENGINE_SERVED_COMPILER_H_
#define FIRSTCALL_ENGINE_SERVED_COMPILER_H_

#include <functional>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "engine/compiler_provider.h"
#include "engine/options.h"
#include "services/server/worker_session.h"

namespace firstcall {

class ServedCompiler final : public CompilerProvider {
 public:
  // For `options`, which name a server. `local`, which must outlive this, compiles if the server
  // cannot be used and the options allow that. It also describes code (Compiler::DescribeBodies).
  ServedCompiler(const EngineOptions& options, CompilerProvider& local);

  // The server's, which is asked unless `local` knows it. That of `local` if it does not answer.
  std::string Identity(const CompilerSettings& settings) override ABSL_LOCKS_EXCLUDED(mutex_);
  bool is_deferred() const override { return true; }
  bool AsksForEmulatedTls(const TargetSettings& settings) override {
    return local_.AsksForEmulatedTls(settings);
  }
  std::function<ExecutorAddress(const std::string& name)> ProcessSymbols() override {
    return local_.ProcessSymbols();
  }
  std::shared_ptr<ObjectCache> CacheFor(const CompilerSettings& settings,
                                        std::shared_ptr<ObjectCache> own) override;
  // Errors as RemoteCompiler::Create.
  absl::StatusOr<std::unique_ptr<Compiler>> Create(const CompilerSettings& settings,
                                                   Listener& listener,
                                                   absl::string_view reason) override;

 private:
  ServerAddress server_;
  const bool may_compile_here_;
  CompilerProvider& local_;
  absl::Mutex mutex_;  // Held while the server is asked.
  std::string identity_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace firstcall

#endif  // FIRSTCALL_ENGINE_SERVED_COMPILER_H_
