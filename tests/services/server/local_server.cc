#include "tests/services/server/local_server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "base/steady_clock.h"
#include "compiler/in_process_compiler.h"
#include "gtest/gtest.h"
#include "seam/listener.h"
#include "services/server/client_socket.h"
#include "services/server/protocol.h"

namespace firstcall {
namespace {

// Shared by all workers: how many have been told to compile a function that fails once.
std::atomic<int>* attempts = nullptr;

// What a worker does that was taken over.
std::function<std::string()>* attack_of_worker = nullptr;

class FaultyCompiler final : public Compiler {
 public:
  explicit FaultyCompiler(std::unique_ptr<Compiler> real) : real_(std::move(real)) {}

  absl::StatusOr<std::shared_ptr<const SymbolIndex>> Add(ModuleOrder order) override {
    const ModuleId id = order.id;
    auto index = real_->Add(std::move(order));
    if (!index.ok()) return index;
    absl::MutexLock lock(&mutex_);
    indexes_[id] = *index;
    return index;
  }
  absl::StatusOr<CompiledFunction> CompileFunction(const FunctionOrder& order) override {
    const std::shared_ptr<const SymbolIndex> index = IndexOf(order.module);
    const absl::string_view name = index->at(order.function).name;
    FailIfAsked(name);
    if (absl::StartsWith(name, "taken")) return absl::InternalError((*attack_of_worker)());
    return real_->CompileFunction(order);
  }
  absl::StatusOr<CompiledObject> CompileData(const DataOrder& order) override {
    return real_->CompileData(order);
  }
  absl::StatusOr<CompiledObject> CompileWhole(const DataOrder& order) override {
    return real_->CompileWhole(order);
  }
  absl::StatusOr<CompiledObject> Optimize(const OptimizationOrder& order) override {
    return real_->Optimize(order);
  }
  absl::StatusOr<BodyDigests> DigestBodies(ModuleId module) override {
    return real_->DigestBodies(module);
  }
  absl::StatusOr<AssemblyLabels> ReadLabels(ModuleId module) override {
    return real_->ReadLabels(module);
  }
  absl::StatusOr<EntryPoint> ReadEntryPoint(ModuleId module, SymbolOrdinal function) override {
    return real_->ReadEntryPoint(module, function);
  }
  absl::StatusOr<FunctionShape> ReadShape(ModuleId module, SymbolOrdinal function,
                                          bool is_last_use) override {
    return real_->ReadShape(module, function, is_last_use);
  }
  void ReadAgain(ModuleId module) override { real_->ReadAgain(module); }
  void ForgetFunctions(ModuleId module, bool data_is_compiled) override {
    real_->ForgetFunctions(module, data_is_compiled);
  }
  void Remove(ModuleId module) override { real_->Remove(module); }
  absl::StatusOr<std::unique_ptr<Linker>> MakeLinker() override { return real_->MakeLinker(); }
  const void* SomewhereInLibrary() override { return real_->SomewhereInLibrary(); }

 private:
  static void FailIfAsked(absl::string_view name) {
    if (absl::StartsWith(name, "crash")) _exit(3);
    if (absl::StartsWith(name, "once") && attempts->fetch_add(1) == 0) _exit(3);
    while (absl::StartsWith(name, "hang")) usleep(100'000);
    while (absl::StartsWith(name, "hungry")) {
      // As LLVM's own handler does when memory runs out. The optimizer may leave out memory that
      // nothing reads, unless its address is volatile.
      void* volatile memory = malloc(size_t{64} << 20);
      if (memory == nullptr) _exit(3);
      memset(memory, 1, size_t{64} << 20);
    }
  }

  // The thread that compiles ahead asks, too, while a request adds a module.
  std::shared_ptr<const SymbolIndex> IndexOf(ModuleId module) {
    absl::MutexLock lock(&mutex_);
    return indexes_.at(module);
  }

  const std::unique_ptr<Compiler> real_;
  absl::Mutex mutex_;
  std::map<ModuleId, std::shared_ptr<const SymbolIndex>> indexes_ ABSL_GUARDED_BY(mutex_);
};

CompileServer::Compilers FaultyCompilers() {
  CompileServer::Compilers compilers;
  compilers.identity = "test";
  compilers.make =
      [](const CompilerSettings& settings) -> absl::StatusOr<std::unique_ptr<Compiler>> {
    static auto* const listener = new Listener;
    absl::StatusOr<std::unique_ptr<InProcessCompiler>> real =
        InProcessCompiler::Create(settings, *listener);
    if (!real.ok()) return real.status();
    return std::make_unique<FaultyCompiler>(*std::move(real));
  };
  return compilers;
}

}  // namespace

LocalServer::LocalServer(CompileServerOptions options, std::function<std::string()> attack) {
  // A path for a socket is at most 107 bytes long, so it cannot lie where a test's files do.
  char directory[] = "/tmp/firstcall_server_XXXXXX";
  EXPECT_NE(mkdtemp(directory), nullptr);
  directory_ = directory;
  socket_ = directory_ + "/socket";
  options.path = socket_;
  attempts = static_cast<std::atomic<int>*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    attack_of_worker = new std::function<std::string()>(std::move(attack));
    {
      absl::StatusOr<std::unique_ptr<CompileServer>> server =
          CompileServer::Create(std::move(options), FaultyCompilers());
      const absl::Status status = server.ok() ? (*server)->Run() : server.status();
      if (!status.ok()) fprintf(stderr, "%s\n", status.ToString().c_str());
    }
    _exit(0);
  }
  while (Count("pid") < 0 && waitpid(process_, nullptr, WNOHANG) == 0) usleep(2000);
}

void LocalServer::End(int signal) {
  if (process_ < 0) return;
  kill(process_, signal);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

LocalServer::~LocalServer() {
  End(SIGTERM);
  unlink(socket_.c_str());
  rmdir(directory_.c_str());
}

std::string LocalServer::Status() const {
  const absl::Duration deadline = SteadyNow() + absl::Seconds(30);
  auto socket = ClientSocket::Connect(socket_, deadline);
  if (!socket.ok()) return "";
  const char question = static_cast<char>(ServerMessage::kStatus);
  if (!SendPacket((*socket)->number(), {&question, 1}).ok()) return "";
  const absl::StatusOr<Packet> answer = ReceivePacket((*socket)->number(), deadline);
  return answer.ok() ? answer->bytes : "";
}

int LocalServer::Count(const std::string& name) const {
  for (absl::string_view line : absl::StrSplit(Status(), '\n')) {
    int count = 0;
    if (absl::ConsumePrefix(&line, name) && absl::SimpleAtoi(line, &count)) return count;
  }
  return -1;
}

std::vector<pid_t> LocalServer::FindWorkers(absl::string_view what) const {
  std::vector<pid_t> workers;
  for (absl::string_view line : absl::StrSplit(Status(), '\n')) {
    pid_t worker = 0;
    if (absl::ConsumePrefix(&line, "worker ") && absl::ConsumeSuffix(&line, what) &&
        absl::SimpleAtoi(line, &worker)) {
      workers.push_back(worker);
    }
  }
  return workers;
}

pid_t LocalServer::FindWorker(absl::string_view what) const {
  const std::vector<pid_t> workers = FindWorkers(what);
  return workers.empty() ? -1 : workers.front();
}

pid_t LocalServer::FindOnlyWorkerOf(pid_t client) const {
  const std::string what = absl::StrCat(" of client ", client);
  std::vector<pid_t> workers = FindWorkers(what);
  for (int i = 0; i < 3000 && workers.size() != 1; ++i) {
    usleep(10'000);
    workers = FindWorkers(what);
  }
  return workers.size() == 1 ? workers.front() : -1;
}

void LocalServer::StopWorker(pid_t worker) {
  kill(worker, SIGSTOP);
  const auto is_stopped = [&] {
    bool all = true;
    for (const auto& task :
         std::filesystem::directory_iterator(absl::StrCat("/proc/", worker, "/task"))) {
      std::ifstream stat(task.path() / "stat");
      std::string number, name, state;
      stat >> number >> name >> state;
      all &= state == "T";
    }
    return all;
  };
  for (int i = 0; i < 3000 && !is_stopped(); ++i) usleep(10'000);
  EXPECT_TRUE(is_stopped());
}

void LocalServer::WaitFor(const std::string& name, int count) const {
  for (int i = 0; i < 3000 && Count(name) != count; ++i) usleep(10'000);
  EXPECT_EQ(Count(name), count) << name;
}

}  // namespace firstcall
