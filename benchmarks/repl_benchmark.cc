// What does a session cost that adds modules of one function each, as a REPL does?
//
// Baseline: plain MCJIT at the same code generation level, one instance that gets each module. Both
// contestants make the same modules in memory and call each function once. Their sessions take
// turns, each in its own process. MCJIT's session is shorter, because MCJIT slows down with the
// number of its modules; only its first modules count.
//
// Bars: the last 1,000 entries cost at most 1.1 times the first 1,000; an entry is at least three
// times as fast as MCJIT's; at most 10 KiB of bookkeeping per module; and if modules are added and
// removed 100,000 times, the resident memory at the end is at most 1 MiB larger than after the
// first 1,000.

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backend/llvm/host_target.h"
#include "benchmarks/bars.h"
#include "benchmarks/report.h"
#include "engine/engine.h"
#include "llvm/ExecutionEngine/MCJIT.h"
#include "llvm/ExecutionEngine/SectionMemoryManager.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "tools/measure/statistics.h"

namespace firstcall::benchmarks {
namespace {

constexpr int kEntries = 20000;
constexpr int kMcjitEntries = 2000;
constexpr int kRemovals = 100000;
constexpr int kPart = 1000;
constexpr int kRuns = 5;

// The result of one session, which its process sends to this one.
struct Session {
  double first = 0;        // Microseconds of CPU time per entry, for the first kPart.
  double last = 0;         // The same for the last kPart.
  double bookkeeping = 0;  // Bytes of the heap per module.
  double resident_first = 0;
  double resident_last = 0;  // Bytes, after the first kPart and after the last entry.
};

// An entry: one function that differs from all others, with some arithmetic.
std::unique_ptr<llvm::Module> MakeModule(llvm::LLVMContext& context, const std::string& name,
                                         int number) {
  auto module = std::make_unique<llvm::Module>(name, context);
  llvm::IRBuilder<> builder(context);
  auto* type = llvm::FunctionType::get(builder.getInt32Ty(), {builder.getInt32Ty()}, false);
  auto* function =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, name, module.get());
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", function));
  llvm::Value* value = function->getArg(0);
  for (int i = 0; i < 4; ++i) {
    value = builder.CreateMul(builder.CreateAdd(value, builder.getInt32(number + i)), value);
  }
  builder.CreateRet(value);
  return module;
}

int Expected(int argument, int number) {
  unsigned value = argument;
  for (int i = 0; i < 4; ++i) value = (value + number + i) * value;
  return static_cast<int>(value);
}

double ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  double all = 0, resident = 0;
  statm >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

double HeapBytes() { return static_cast<double>(mallinfo2().uordblks); }

// CPU time, because a session has one thread and never waits: the time on a quiet machine.
double CpuMicroseconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) / 1e3;
}

// Times `entry` for 0 to `count` - 1.
Session Run(int count, const std::function<bool(int)>& entry) {
  Session session;
  const double heap = HeapBytes();
  double start = CpuMicroseconds();
  for (int i = 0; i < count; ++i) {
    if (i == count - kPart) start = CpuMicroseconds();
    if (!entry(i)) {
      std::fprintf(stderr, "entry %d gave a wrong result\n", i);
      _exit(1);
    }
    if (i == kPart - 1) {
      session.first = (CpuMicroseconds() - start) / kPart;
      session.resident_first = ResidentBytes();
    }
  }
  session.last = (CpuMicroseconds() - start) / kPart;
  session.resident_last = ResidentBytes();
  session.bookkeeping = (HeapBytes() - heap) / count;
  return session;
}

std::string NameOf(int number) { return absl::StrCat("entry", number); }

Session RunFirstcall(int count, bool removes) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  const auto entry = [&](int i) {
    auto context = std::make_unique<llvm::LLVMContext>();
    std::unique_ptr<llvm::Module> module = MakeModule(*context, NameOf(i), i);
    const ModuleId id = engine->AddModule(std::move(context), std::move(module)).value();
    const int result = (*engine->Lookup<int(int)>(NameOf(i)).value())(3);
    if (removes && !engine->Remove(id).ok()) return false;
    return result == Expected(3, i);
  };
  // The first entry also pays for things that are made only once, so it is not timed.
  if (!entry(count)) _exit(1);
  return Run(count, entry);
}

Session RunMcjit(int count) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::ExecutionEngine> engine(
      llvm::EngineBuilder(std::make_unique<llvm::Module>("empty", context))
          .setEngineKind(llvm::EngineKind::JIT)
          .setOptLevel(llvm::CodeGenOptLevel::None)
          .setMCJITMemoryManager(std::make_unique<llvm::SectionMemoryManager>())
          .create());
  const auto entry = [&](int i) {
    std::unique_ptr<llvm::Module> module = MakeModule(context, NameOf(i), i);
    module->setDataLayout(engine->getDataLayout());
    engine->addModule(std::move(module));
    auto* function = reinterpret_cast<int (*)(int)>(engine->getFunctionAddress(NameOf(i)));
    return function(3) == Expected(3, i);
  };
  if (!entry(count)) _exit(1);
  return Run(count, entry);
}

// Runs a session in its own process, so that it does not reuse another session's memory.
Session InProcess(const std::function<Session()>& run) {
  int ends[2];
  if (pipe(ends) != 0) std::abort();
  const pid_t child = fork();
  if (child == 0) {
    const Session session = run();
    const bool sent = write(ends[1], &session, sizeof(session)) == sizeof(session);
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  Session session;
  const bool received = read(ends[0], &session, sizeof(session)) == sizeof(session);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  if (!received || status != 0) {
    std::fprintf(stderr, "a session failed\n");
    std::exit(1);
  }
  return session;
}

// Runs one session of one kind, for a profiler.
int RunAlone(const std::string& kind, int count) {
  const Session session = kind == "mcjit" ? RunMcjit(count) : RunFirstcall(count, kind == "remove");
  absl::PrintF("%.1f us an entry, the last %.1f; resident %.0f KiB, in the end %.0f\n",
               session.first, session.last, session.resident_first / 1024,
               session.resident_last / 1024);
  return 0;
}

int Main(int argc, char** argv) {
  InitializeHostTarget();
  LLVMLinkInMCJIT();
  if (argc == 3) return RunAlone(argv[1], std::stoi(argv[2]));
  std::vector<double> first, last, mcjit, growth, bookkeeping;
  for (int run = 0; run < kRuns; ++run) {
    const Session ours = InProcess([] { return RunFirstcall(kEntries, /*removes=*/false); });
    const Session theirs = InProcess([] { return RunMcjit(kMcjitEntries); });
    first.push_back(ours.first);
    last.push_back(ours.last);
    growth.push_back(ours.last / ours.first);
    mcjit.push_back(theirs.first);
    bookkeeping.push_back(ours.bookkeeping);
    absl::PrintF("run %d: firstcall %.1f us an entry, the last %.1f; mcjit %.1f, the last %.1f\n",
                 run + 1, ours.first, ours.last, theirs.first, theirs.last);
  }
  const Session removing = InProcess([] { return RunFirstcall(kRemovals, /*removes=*/true); });
  absl::PrintF("added and removed: %.1f us an entry, the last %.1f\n", removing.first,
               removing.last);
  constexpr double kKiB = 1024;
  const double grown = (removing.resident_last - removing.resident_first) / kKiB;
  absl::PrintF(
      "\n%s",
      FormatBars({
          AtMost(
              absl::StrFormat("the last 1,000 of %d entries, times the first, at most 1.1",
                              kEntries),
              measure::Median(growth), 1.1,
              absl::StrFormat("%.1f us : %.1f us", measure::Median(last), measure::Median(first))),
          AtLeast(
              "times faster an entry than plain MCJIT, at least 3",
              measure::Median(mcjit) / measure::Median(first), 3,
              absl::StrFormat("%.1f us : %.1f us", measure::Median(mcjit), measure::Median(first))),
          AtMost("KiB of bookkeeping a module, at most 10", measure::Median(bookkeeping) / kKiB, 10,
                 "heap in use"),
          AtMost(absl::StrFormat("KiB of resident memory more after %d additions and removals "
                                 "than after 1,000, at most 1024",
                                 kRemovals),
                 grown, 1024,
                 absl::StrFormat("%.0f KiB : %.0f KiB", removing.resident_last / kKiB,
                                 removing.resident_first / kKiB)),
      }));
  return 0;
}

}  // namespace
}  // namespace firstcall::benchmarks

int main(int argc, char** argv) { return firstcall::benchmarks::Main(argc, argv); }
