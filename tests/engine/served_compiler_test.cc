// Engines whose functions a compile server compiles. The server runs in a child of the test.

#include "engine/served_compiler.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/steady_clock.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DerivedTypes.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetOptions.h"
#include "tests/services/server/local_server.h"
#include "tests/testing/host.h"
#include "tests/testing/ir.h"
#include "tests/testing/limits.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kProgram[] = R"(
  @counter = global i32 5
  define weak i32 @square(i32 %x) {
    %1 = mul i32 %x, %x
    ret i32 %1
  }
  define i32 @cube(i32 %x) {
    %1 = call i32 @square(i32 %x)
    %2 = mul i32 %1, %x
    ret i32 %2
  }
  define i32 @count() {
    %1 = load i32, ptr @counter
    %2 = add i32 %1, 1
    store i32 %2, ptr @counter
    ret i32 %2
  }
  define i32 @sum(i32 %n) {
  entry:
    br label %loop
  loop:
    %i = phi i32 [ 0, %entry ], [ %next, %loop ]
    %s = phi i32 [ 0, %entry ], [ %t, %loop ]
    %q = call i32 @square(i32 %i)
    %t = add i32 %s, %q
    %next = add i32 %i, 1
    %more = icmp slt i32 %next, %n
    br i1 %more, label %loop, label %end
  end:
    ret i32 %t
  }
  define i32 @crash(i32 %x) { ret i32 1 }
  define i32 @once(i32 %x) { ret i32 7 }
  define i32 @hang(i32 %x) { ret i32 1 }
  define i32 @hungry(i32 %x) { ret i32 1 }
)";

using Unary = int(int);

// What the failure handler was told; the call returns -1.
std::string* failure = nullptr;
int Failed() { return -1; }

EngineOptions OptionsFor(const LocalServer& server) {
  EngineOptions options;
  options.compile_server = server.socket();
  options.failure_handler = [](const FailedCall& call) {
    *failure = std::string(call.status.message());
    return reinterpret_cast<void*>(&Failed);
  };
  delete failure;
  failure = new std::string;
  return options;
}

std::unique_ptr<Engine> EngineWith(const EngineOptions& options,
                                   const std::string& program = ParseToBitcode(kProgram)) {
  absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Create(options);
  EXPECT_TRUE(engine.ok()) << engine.status();
  if (!engine.ok()) return nullptr;
  const absl::StatusOr<ModuleId> module = (*engine)->AddBitcode(program, "program");
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(engine);
}

int Call(Engine& engine, const char* name, int argument) {
  const auto function = engine.Lookup<Unary>(name);
  EXPECT_TRUE(function.ok()) << function.status();
  return function.ok() ? (*function)(argument) : -2;
}

CompileServerOptions WithLittleMemory() {
  CompileServerOptions options;
  options.worker_memory = size_t{256} << 20;
  return options;
}

TEST(ServedCompilerTest, ModulesInMemoryAreVerified) {
  LocalServer server;
  const std::unique_ptr<Engine> engine = EngineWith(OptionsFor(server));
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("broken", *context);
  llvm::Function* const function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getVoidTy(*context), /*isVarArg=*/false),
      llvm::GlobalValue::ExternalLinkage, "no_end", *module);
  llvm::BasicBlock::Create(*context, "entry", function);
  EXPECT_THAT(engine->AddModule(std::move(context), std::move(module)),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("'broken': "), HasSubstr("does not have terminator"))));
}

// The worker compiles ahead what a module's functions call, and must give that up.
TEST(ServedCompilerTest, ModulesAreRemovedWhileTheWorkerCompilesAhead) {
  constexpr int kFunctions = 40;
  std::string text;
  for (int i = 0; i < kFunctions; ++i) {
    const int next = (i + 1) % kFunctions, other = (7 * i + 3) % kFunctions;
    absl::StrAppend(&text, "define void @g", i, "(i1 %x) {\n br i1 %x, label %a, label %b\na:\n",
                    " call void @g", next, "(i1 true)\n call void @g", other,
                    "(i1 true)\n br label %b\nb:\n ret void\n}\n");
  }
  const std::string program = ParseToBitcode(text);
  const LocalServer server;
  const std::unique_ptr<Engine> engine = EngineWith(OptionsFor(server));
  for (int round = 0; round < 100; ++round) {
    ASSERT_OK_AND_ASSIGN(const ModuleId module, engine->AddBitcode(program, "module"));
    ASSERT_OK_AND_ASSIGN(auto* const function, engine->Lookup<void(bool)>("g0"));
    function(false);
    if (round % 2 == 1) absl::SleepFor(absl::Microseconds(20 * round));
    ASSERT_THAT(engine->Remove(module), IsOk());
  }
  EXPECT_EQ(*failure, "");
  EXPECT_EQ(server.Count("workers that failed"), 0);
}

TEST(ServedCompilerTest, CompilesFunctionsAndData) {
  const LocalServer server;
  const auto engine = EngineWith(OptionsFor(server));
  EXPECT_EQ(Call(*engine, "cube", 3), 27);
  EXPECT_EQ(Call(*engine, "count", 0), 6);
  EXPECT_EQ(Call(*engine, "count", 0), 7);
  EXPECT_EQ(server.Count("clients "), 1);
}

TEST(ServedCompilerTest, CompilesWholeModules) {
  const LocalServer server;
  EngineOptions options = OptionsFor(server);
  options.mode = Mode::kEager;
  const auto engine = EngineWith(options);
  EXPECT_EQ(Call(*engine, "cube", 3), 27);
  EXPECT_EQ(Call(*engine, "count", 0), 6);
}

TEST(ServedCompilerTest, OptimizesHotFunctions) {
  const LocalServer server;
  EngineOptions options = OptionsFor(server);
  options.compile_server_budget = absl::InfiniteDuration();
  options.promotion.threshold = 1;
  options.promotion.threads = 0;
  const auto engine = EngineWith(options);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(Call(*engine, "sum", 100), 328350);
  const Stats stats = engine->stats();
  EXPECT_GT(stats.promotions_made, 0u);
  EXPECT_EQ(stats.promotions_failed, 0u);
}

TEST(ServedCompilerTest, IsUsedForAModuleInMemory) {
  const LocalServer server;
  auto engine = Engine::Create(OptionsFor(server));
  ASSERT_TRUE(engine.ok()) << engine.status();
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = ParseModule(kProgram, *context);
  ASSERT_TRUE((*engine)->AddModule(std::move(context), std::move(module)).ok());
  EXPECT_EQ(Call(**engine, "cube", 3), 27);
  EXPECT_EQ(server.Count("clients so far "), 1);
}

TEST(ServedCompilerTest, ALaterClientGetsWhatAnEarlierOneHadCompiled) {
  const LocalServer server;
  const std::string program = ParseToBitcode(kProgram);
  EXPECT_EQ(Call(*EngineWith(OptionsFor(server), program), "cube", 3), 27);
  server.WaitFor("modules known ", 1);
  const auto engine = EngineWith(OptionsFor(server), program);
  EXPECT_EQ(Call(*engine, "cube", 3), 27);
  EXPECT_EQ(engine->stats().compiler_made_for, "");  // It needed no worker.
  EXPECT_EQ(Call(*engine, "count", 0), 6);
  EXPECT_NE(engine->stats().compiler_made_for, "");
}

// Each has an open file in the server.
TEST(ServedCompilerTest, NoMoreModulesAreKeptThanAreAllowed) {
  CompileServerOptions server_options;
  server_options.kept_modules = 2;
  const LocalServer server(std::move(server_options));
  for (int i = 0; i < 4; ++i) {
    const std::string program = absl::StrCat("define i32 @f() { ret i32 ", i, " }");
    {
      auto engine = Engine::Create(OptionsFor(server)).value();
      ASSERT_TRUE(engine->AddBitcode(ParseToBitcode(program), "program").ok());
      EXPECT_EQ(engine->Lookup<int()>("f").value()(), i);
    }
    server.WaitFor("clients ", 0);  // Its worker has ended, and published what it had made.
    EXPECT_EQ(server.Count("modules known "), std::min(i + 1, 2));
  }
}

// So they have not in the client, which may have few.
TEST(ServedCompilerTest, AClientKeepsNoFilesOfModulesOpen) {
  constexpr int kModules = 100;
  const LocalServer server;
  const auto add_all = [&](Engine& engine) {
    for (int i = 0; i < kModules; ++i) {
      const std::string program = absl::StrCat("define i32 @f", i, "() { ret i32 ", i, " }\n",
                                               "define i32 @g", i, "() { ret i32 ", i + 1, " }\n");
      EXPECT_TRUE(engine.AddBitcode(ParseToBitcode(program), absl::StrCat("module", i)).ok());
    }
  };
  const auto call_all = [&](Engine& engine) {
    for (int i = 0; i < kModules; ++i) {
      EXPECT_EQ(engine.Lookup<int()>(absl::StrCat("f", i)).value()(), i);
    }
    for (int i = 0; i < kModules; ++i) {
      EXPECT_EQ(engine.Lookup<int()>(absl::StrCat("g", i)).value()(), i + 1);
    }
  };
  {
    const auto maker = Engine::Create(OptionsFor(server)).value();
    add_all(*maker);
    call_all(*maker);
  }
  server.WaitFor("clients ", 0);
  EXPECT_EQ(server.Count("modules known "), kModules);
  const auto engine = Engine::Create(OptionsFor(server)).value();
  const int before = ::firstcall::testing::OpenFiles();
  add_all(*engine);
  call_all(*engine);
  EXPECT_EQ(engine->stats().compiler_made_for, "");  // It needed no worker.
  EXPECT_LE(::firstcall::testing::OpenFiles() - before, 10);
  EXPECT_EQ(*failure, "");
}

TEST(ServedCompilerTest, AClientWaitsForWhatAnotherOneIsMaking) {
  CompileServerOptions server_options;
  server_options.makers_of_a_module = 1;
  const LocalServer server(std::move(server_options));
  EngineOptions options = OptionsFor(server);
  options.compile_server_budget = absl::Hours(1);  // A part of that is how long it waits.
  const auto maker = EngineWith(options);
  EXPECT_EQ(Call(*maker, "cube", 3), 27);
  EXPECT_EQ(server.Count("modules known "), 0);
  const auto engine = EngineWith(options);
  EXPECT_EQ(Call(*engine, "cube", 3), 27);
  EXPECT_EQ(engine->stats().compiler_made_for, "");  // It needed no worker.
  EXPECT_EQ(server.Count("clients so far "), 1);
}

TEST(ServedCompilerTest, OtherSettingsAreOtherCode) {
  const LocalServer server;
  const std::string program = ParseToBitcode(kProgram);
  EXPECT_EQ(Call(*EngineWith(OptionsFor(server), program), "cube", 3), 27);
  server.WaitFor("modules known ", 1);
  EngineOptions options = OptionsFor(server);
  options.codegen_level = CodegenLevel::kO2;
  const auto engine = EngineWith(options, program);
  EXPECT_EQ(Call(*engine, "cube", 3), 27);
  EXPECT_NE(engine->stats().compiler_made_for, "");
}

TEST(ServedCompilerTest, ErrorsAreTheCompilers) {
  const LocalServer server;
  auto engine = Engine::Create(OptionsFor(server));
  ASSERT_TRUE(engine.ok());
  EXPECT_THAT((*engine)->AddAssembly("define i32 @f(", "bad.ll").status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("bad.ll:1:")));
  EXPECT_TRUE((*engine)->AddBitcode(ParseToBitcode(kProgram), "program").ok());
  EXPECT_EQ(Call(**engine, "cube", 2), 8);
}

TEST(ServedCompilerTest, ACrashFailsTheFunctionOnly) {
  const LocalServer server;
  const auto engine = EngineWith(OptionsFor(server));
  EXPECT_EQ(Call(*engine, "square", 3), 9);
  EXPECT_EQ(Call(*engine, "crash", 3), -1);
  EXPECT_THAT(*failure, AllOf(HasSubstr("'crash'"), HasSubstr("has ended twice")));
  EXPECT_EQ(Call(*engine, "square", 4), 16);
  EXPECT_EQ(Call(*engine, "cube", 3), 27);  // By a further worker.
  server.WaitFor("workers that failed ", 2);
}

TEST(ServedCompilerTest, AFunctionIsTriedOnceMore) {
  const LocalServer server;
  const auto engine = EngineWith(OptionsFor(server));
  EXPECT_EQ(Call(*engine, "square", 3), 9);
  EXPECT_EQ(Call(*engine, "once", 3), 7);
  server.WaitFor("workers that failed ", 1);
}

TEST(ServedCompilerTest, RunningOutOfMemoryFailsTheFunctionOnly) {
  if (kSanitizerTakesMemory) GTEST_SKIP() << "sanitizers reserve memory of their own";
  if (IsEmulated()) GTEST_SKIP() << "the emulator does not limit memory";
  const LocalServer server(WithLittleMemory());
  const auto engine = EngineWith(OptionsFor(server));
  EXPECT_EQ(Call(*engine, "hungry", 3), -1);
  EXPECT_THAT(*failure, HasSubstr("has ended twice"));
  EXPECT_EQ(Call(*engine, "cube", 3), 27);
}

// Longer than a request takes that ends.
absl::Duration LongEnough() {
  return absl::Seconds(IsEmulated() || kSanitizerTakesMemory ? 10 : 2);
}

TEST(ServedCompilerTest, ARequestThatTakesTooLongIsEndedByTheServer) {
  CompileServerOptions server_options;
  server_options.request_time = LongEnough();
  const LocalServer server(std::move(server_options));
  const auto engine = EngineWith(OptionsFor(server));
  EXPECT_EQ(Call(*engine, "hang", 3), -1);
  EXPECT_THAT(*failure, HasSubstr("has ended twice"));
}

TEST(ServedCompilerTest, AnAnswerThatDoesNotComeIsAFailure) {
  const LocalServer server;
  EngineOptions options = OptionsFor(server);
  options.compile_server_budget = LongEnough();
  const auto engine = EngineWith(options);
  EXPECT_EQ(Call(*engine, "hang", 3), -1);
  EXPECT_THAT(*failure, HasSubstr("does not answer"));
  EXPECT_EQ(Call(*engine, "cube", 3), 27);
}

TEST(ServedCompilerTest, WithoutAServerThereIsAClearStatus) {
  LocalServer server;
  server.End(SIGTERM);
  auto engine = Engine::Create(OptionsFor(server));
  ASSERT_TRUE(engine.ok());
  EXPECT_THAT((*engine)->AddBitcode(ParseToBitcode(kProgram), "program").status(),
              StatusIs(absl::StatusCode::kUnavailable,
                       HasSubstr("connecting to the compile server '" + server.socket())));
}

TEST(ServedCompilerTest, CompiledCodeRunsOnWithoutTheServer) {
  LocalServer server;
  const auto engine = EngineWith(OptionsFor(server));
  EXPECT_EQ(Call(*engine, "square", 3), 9);
  server.End(SIGKILL);
  EXPECT_EQ(Call(*engine, "square", 4), 16);
  EXPECT_EQ(Call(*engine, "cube", 3), -1);
  EXPECT_THAT(*failure, HasSubstr("compile server"));
}

TEST(ServedCompilerTest, AStoppedServerIsAClearStatus) {
  const LocalServer server;
  EngineOptions options = OptionsFor(server);
  options.compile_server_budget = absl::Milliseconds(300);
  kill(server.process(), SIGSTOP);
  auto engine = Engine::Create(options);
  ASSERT_TRUE(engine.ok());
  EXPECT_THAT((*engine)->AddBitcode(ParseToBitcode(kProgram), "program").status(),
              StatusIs(absl::StatusCode::kDeadlineExceeded, HasSubstr("does not answer")));
  kill(server.process(), SIGCONT);
}

TEST(ServedCompilerTest, WhatFailedWhileTheServerWasStoppedIsCompiledLater) {
  const LocalServer server;
  EngineOptions options = OptionsFor(server);
  options.compile_server_budget = LongEnough();
  const auto engine = Engine::Create(options).value();
  const std::string program = ParseToBitcode(kProgram);
  kill(server.process(), SIGSTOP);
  EXPECT_THAT(engine->AddBitcode(program, "program").status(),
              StatusIs(absl::StatusCode::kDeadlineExceeded));
  kill(server.process(), SIGCONT);
  ASSERT_THAT(engine->AddBitcode(program, "program"), IsOk());
  EXPECT_EQ(Call(*engine, "square", 3), 9);
  const pid_t worker = server.FindOnlyWorkerOf(getpid());
  ASSERT_GT(worker, 0);
  LocalServer::StopWorker(worker);
  EXPECT_EQ(Call(*engine, "cube", 3), -1);
  EXPECT_THAT(*failure, HasSubstr("does not answer"));
  EXPECT_EQ(Call(*engine, "cube", 3), 27);  // By another worker.
  EXPECT_EQ(Call(*engine, "count", 0), 6);
  kill(worker, SIGCONT);
}

TEST(ServedCompilerTest, TheProcessCompilesItselfIfThatIsAllowed) {
  LocalServer server;
  EngineOptions options = OptionsFor(server);
  options.compile_without_server = true;
  const auto engine = EngineWith(options);
  EXPECT_EQ(Call(*engine, "square", 3), 9);
  server.End(SIGKILL);
  EXPECT_EQ(Call(*engine, "cube", 3), 27);
  EXPECT_EQ(Call(*engine, "count", 0), 6);
  // And so does one that finds no server at all.
  EXPECT_EQ(Call(*EngineWith(options), "cube", 2), 8);
}

TEST(ServedCompilerTest, OptionsThatAreObjectsOfLlvmCannotBeSent) {
  const LocalServer server;
  EngineOptions options = OptionsFor(server);
  options.target_options = std::make_shared<const llvm::TargetOptions>();
  auto engine = Engine::Create(options);
  ASSERT_TRUE(engine.ok());
  EXPECT_THAT((*engine)->AddBitcode(ParseToBitcode(kProgram), "program").status(),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("cannot be sent")));
}

// Removing stops all other work in the process.
TEST(ServedCompilerTest, RemovingDoesNotWaitForTheServer) {
  const LocalServer server;
  EngineOptions options = OptionsFor(server);
  options.compile_server_budget = absl::InfiniteDuration();
  auto engine = Engine::Create(options).value();
  const auto add = [&] { return engine->AddBitcode(ParseToBitcode(kProgram), "program").value(); };
  const ModuleId first = add();
  EXPECT_EQ(Call(*engine, "square", 3), 9);
  const pid_t worker = server.FindOnlyWorkerOf(getpid());
  ASSERT_GT(worker, 0);
  LocalServer::StopWorker(worker);
  EXPECT_TRUE(engine->Remove(first).ok());
  kill(worker, SIGCONT);
  add();
  EXPECT_EQ(Call(*engine, "square", 4), 16);
}

TEST(ServedCompilerTest, MoreClientsThanWorkersAreRefused) {
  CompileServerOptions server_options;
  server_options.most_workers = 1;
  const LocalServer server(std::move(server_options));
  const auto engine = EngineWith(OptionsFor(server));
  EXPECT_EQ(Call(*engine, "square", 3), 9);
  auto second = Engine::Create(OptionsFor(server));
  ASSERT_TRUE(second.ok());
  EXPECT_THAT((*second)->AddBitcode(ParseToBitcode("define i32 @g() { ret i32 1 }"), "g").status(),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("workers are busy")));
}

TEST(ServedCompilerTest, AForkedChildHasAWorkerOfItsOwn) {
  const LocalServer server;
  const auto engine = EngineWith(OptionsFor(server));
  EXPECT_EQ(Call(*engine, "square", 3), 9);
  const pid_t child = fork();
  if (child == 0) _exit(Call(*engine, "cube", 3) == 27 && Call(*engine, "count", 0) == 6 ? 0 : 1);
  EXPECT_EQ(Call(*engine, "cube", 2), 8);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(server.Count("clients so far "), 2);
}

TEST(ServedCompilerTest, ThreadsCompileAtTheSameTime) {
  const LocalServer server;
  std::string program;
  constexpr int kThreads = 4, kFunctions = 40;
  for (int i = 0; i < kThreads * kFunctions; ++i) {
    program += "define i32 @f" + std::to_string(i) + "(i32 %x) { %r = add i32 %x, " +
               std::to_string(i) + "\n ret i32 %r }\n";
  }
  const auto engine = EngineWith(OptionsFor(server), ParseToBitcode(program));
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kFunctions; ++i) {
        // Two threads meet at each function.
        const int number = (t / 2 * kFunctions * 2 + i) % (kThreads * kFunctions);
        const std::string name = "f" + std::to_string(number);
        if (Call(*engine, name.c_str(), 1000) == 1000 + number) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, kThreads * kFunctions);
}

// Each function is bound to call some others, so that they are compiled along, ahead, or when they
// are asked for; every third one is weak.
TEST(ServedCompilerTest, FunctionsAreCalledInAnyOrder) {
  const LocalServer server;
  constexpr int kFunctions = 120;
  std::string program;
  std::vector<int64_t> results;
  for (int i = 0; i < kFunctions; ++i) {
    const std::string name = "@f" + std::to_string(i);
    program += std::string("define ") + (i % 3 == 0 ? "weak " : "") + "i32 " + name +
               "(i32 %x) {\n %v0 = add i32 %x, " + std::to_string(i) + "\n";
    int64_t result = 1 + i;
    int calls = 0;
    for (int callee : {i / 2, i - 7, i - 40}) {
      if (callee < 0 || callee >= i) continue;
      const std::string next = std::to_string(++calls);
      program += " %c" + next + " = call i32 @f" + std::to_string(callee) + "(i32 1)\n %v" + next +
                 " = xor i32 %v" + std::to_string(calls - 1) + ", %c" + next + "\n";
      result ^= results[static_cast<size_t>(callee)];
    }
    program += " ret i32 %v" + std::to_string(calls) + "\n}\n";
    results.push_back(result);
  }
  const std::string bitcode = ParseToBitcode(program);
  for (int step : {1, 7, 31, 119}) {
    EngineOptions options = OptionsFor(server);
    options.cache_key.emplace_back("step", std::to_string(step));  // Nothing is known of it.
    const auto engine = EngineWith(options, bitcode);
    for (int i = 0; i < kFunctions; ++i) {
      const int number = (i + 1) * step % kFunctions;
      EXPECT_EQ(Call(*engine, ("f" + std::to_string(number)).c_str(), 1),
                results[static_cast<size_t>(number)])
          << *failure;
    }
  }
}

TEST(ServedCompilerTest, NothingIsLeftOfAClient) {
  const LocalServer server;
  EXPECT_EQ(Call(*EngineWith(OptionsFor(server)), "square", 3), 9);
  server.WaitFor("clients ", 0);
  server.WaitFor("workers ", 1);  // The one that waits.
}

TEST(ServedCompilerTest, ModulesAreRemoved) {
  const LocalServer server;
  auto engine = Engine::Create(OptionsFor(server));
  ASSERT_TRUE(engine.ok());
  for (int i = 0; i < 3; ++i) {
    const auto module = (*engine)->AddBitcode(ParseToBitcode(kProgram), "program");
    ASSERT_TRUE(module.ok()) << module.status();
    EXPECT_EQ(Call(**engine, "count", 0), 6);
    EXPECT_TRUE((*engine)->Remove(*module).ok());
  }
}

}  // namespace
}  // namespace firstcall
