// Thread-local variables of modules, of given objects and of the process: where they are found,
// what they share, and when their memory is freed. Their lifetimes are compared with native code in
// tests/programs/single/thread_local_lifetimes.cc.

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/synchronization/blocking_counter.h"
#include "absl/synchronization/notification.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "memory/thread_local_blocks.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

thread_local int firstcall_test_own = 6;

namespace firstcall {
namespace {

using ::testing::HasSubstr;

constexpr char kDeclarations[] = "declare ptr @llvm.threadlocal.address.p0(ptr)\n";

// A function that adds to the thread's `variable` and returns the sum.
std::string Adder(absl::string_view function, absl::string_view variable) {
  return absl::StrCat("define i32 @", function, R"((i32 %n) {
    %address = call ptr @llvm.threadlocal.address.p0(ptr @)",
                      variable, R"()
    %old = load i32, ptr %address
    %new = add i32 %old, %n
    store i32 %new, ptr %address
    ret i32 %new
  })");
}

std::string Module(absl::string_view text) { return absl::StrCat(kDeclarations, text); }

// The path of an object file of the module.
std::string ObjectFile(absl::string_view text) {
  const ObjectBytes object = CompileToObject(text);
  return WriteTestFile("given.o", absl::string_view(object.data(), object.size()));
}

struct Case {
  const char* name;
  Mode mode;
  Tier tier;
};

class ThreadLocalsTest : public ::testing::TestWithParam<Case> {
 protected:
  ThreadLocalsTest() {
    EngineOptions options;
    options.mode = GetParam().mode;
    options.tier = GetParam().tier;
    engine_ = Engine::Create(options).value();
  }

  ModuleId Add(absl::string_view text, const char* name = "module") {
    return engine_->AddBitcode(ParseToBitcode(Module(text)), name).value();
  }
  // Whether the module can be added and its `function` be compiled.
  absl::Status AddAndPrepare(absl::string_view text, absl::string_view function) {
    const absl::Status added = engine_->AddBitcode(ParseToBitcode(Module(text)), "user").status();
    return added.ok() ? engine_->Prepare({function}) : added;
  }
  int Call(const char* function, int argument) {
    return engine_->Lookup<int(int)>(function).value()(argument);
  }

  std::unique_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Cases, ThreadLocalsTest,
                         ::testing::Values(Case{"Zero", Mode::kLazy, Tier::kZero},
                                           Case{"One", Mode::kLazy, Tier::kOne},
                                           Case{"Eager", Mode::kEager, Tier::kZero}),
                         [](const auto& info) { return info.param.name; });

TEST_P(ThreadLocalsTest, LookupFindsTheVariableOfTheCallingThread) {
  const ModuleId module = Add(absl::StrCat("@x = thread_local global i32 4 ", Adder("add", "x")));
  EXPECT_EQ(Call("add", 1), 5);
  auto* const own = static_cast<int*>(engine_->LookupAddress("x").value());
  EXPECT_EQ(*own, 5);
  std::thread([&] {
    auto* const other = static_cast<int*>(engine_->LookupAddress(module, "x").value());
    EXPECT_NE(other, own);
    EXPECT_EQ(*other, 4);
    *other = 30;
    EXPECT_EQ(Call("add", 1), 31);
  }).join();
  EXPECT_EQ(*own, 5);
}

TEST_P(ThreadLocalsTest, ModulesShareAVariable) {
  Add(absl::StrCat("@x = thread_local global i32 4 ", Adder("add_own", "x")), "definer");
  Add(absl::StrCat("@x = external thread_local global i32 ", Adder("add", "x")), "user");
  EXPECT_EQ(Call("add", 1), 5);
  EXPECT_EQ(Call("add_own", 1), 6);
}

TEST_P(ThreadLocalsTest, VariableOfTheProcessIsTheProcesss) {
  Add(absl::StrCat("@firstcall_test_own = external thread_local global i32 ",
                   Adder("add", "firstcall_test_own")));
  EXPECT_EQ(Call("add", 1), 7);
  EXPECT_EQ(firstcall_test_own, 7);
  std::thread([&] {
    EXPECT_EQ(Call("add", 10), 16);
    EXPECT_EQ(firstcall_test_own, 16);
  }).join();
  firstcall_test_own = 6;
}

TEST_P(ThreadLocalsTest, GivenObjectsHaveVariablesToo) {
  ASSERT_THAT(engine_->AddObjectFile(
                  ObjectFile(Module(absl::StrCat("@of_object = thread_local global i32 50 "
                                                 "@of_module = external thread_local global i32 ",
                                                 Adder("add_in_object", "of_module"))))),
              IsOk());
  Add(
      absl::StrCat("@of_object = external thread_local global i32 "
                   "@of_module = thread_local global i32 7 ",
                   Adder("add", "of_object")));
  EXPECT_EQ(Call("add", 1), 51);
  EXPECT_EQ(Call("add_in_object", 1), 8);
  EXPECT_EQ(*static_cast<int*>(engine_->LookupAddress("of_object").value()), 51);
  std::thread([&] { EXPECT_EQ(Call("add", 1), 51); }).join();
}

TEST_P(ThreadLocalsTest, MixtureWithAnotherVariableIsAnErrorByName) {
  Add("@x = thread_local global i32 4", "definer");
  EXPECT_THAT(AddAndPrepare("@x = external global i32 define ptr @f() { ret ptr @x }", "f"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("symbol 'x' is a thread-local variable for one module")));
}

// While the threads run.
TEST_P(ThreadLocalsTest, RemovalFreesTheVariablesOfAllThreads) {
  const size_t before = CountThreadLocalMemory().blocks;
  constexpr int kModules = 10, kThreads = 20;
  for (int round = 0; round < 3; ++round) {
    std::vector<ModuleId> modules;
    for (int i = 0; i < kModules; ++i) {
      modules.push_back(Add(absl::StrCat("@x", i, " = thread_local global i32 ", i, " ",
                                         Adder(absl::StrCat("add", i), absl::StrCat("x", i)))));
    }
    absl::BlockingCounter have_called(kThreads);
    absl::Notification are_removed;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        for (int i = 0; i < kModules; ++i) {
          EXPECT_EQ(Call(absl::StrCat("add", i).c_str(), 1), i + 1);
        }
        have_called.DecrementCount();
        are_removed.WaitForNotification();
      });
    }
    have_called.Wait();
    EXPECT_EQ(CountThreadLocalMemory().blocks, before + kModules * kThreads);
    for (const ModuleId module : modules) EXPECT_THAT(engine_->Remove(module), IsOk());
    EXPECT_EQ(CountThreadLocalMemory().blocks, before);
    are_removed.Notify();
    for (std::thread& thread : threads) thread.join();
  }
}

// Such variables are in the object of the function.
TEST_P(ThreadLocalsTest, VariablesMayHoldLabelsOfAFunction) {
  Add(R"(
    @table = internal thread_local global [2 x ptr]
        [ptr blockaddress(@choose, %ten), ptr blockaddress(@choose, %twenty)]
    @other = thread_local global [1 x ptr] [ptr blockaddress(@choose, %twenty)]
    define i32 @choose(i32 %i) noinline {
      %table = call ptr @llvm.threadlocal.address.p0(ptr @table)
      %place = getelementptr ptr, ptr %table, i32 %i
      %label = load ptr, ptr %place
      indirectbr ptr %label, [label %ten, label %twenty]
    ten:
      ret i32 10
    twenty:
      ret i32 20
    }
    define i32 @exchange(i32 %n) noinline {
      %table = call ptr @llvm.threadlocal.address.p0(ptr @table)
      %other = call ptr @llvm.threadlocal.address.p0(ptr @other)
      %label = load ptr, ptr %other
      store ptr %label, ptr %table
      ret i32 %n
    })");
  EXPECT_EQ(Call("choose", 0), 10);
  EXPECT_EQ(Call("choose", 1), 20);
  EXPECT_EQ(Call("exchange", 1), 1);
  EXPECT_EQ(Call("choose", 0), 20);
  std::thread([&] { EXPECT_EQ(Call("choose", 0), 10); }).join();
}

TEST_P(ThreadLocalsTest, VariablesThatAssemblyDefinesAreRefusedByName) {
  constexpr char kDefiner[] =
      "module asm \".section .tdata,\\22awT\\22\\0A.globl av\\0Aav: .long 7\\0A\"\n"
      "@data = global i32 1";
  if (GetParam().mode == Mode::kEager) {
    EXPECT_THAT(engine_->AddBitcode(ParseToBitcode(kDefiner), "assembly"),
                StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("symbol 'av': assembly of")));
    return;
  }
  Add(kDefiner, "assembly");
  Add(absl::StrCat("@av = external thread_local global i32 ", Adder("add", "av")));
  EXPECT_THAT(engine_->Prepare({"add"}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("'av'")));
  EXPECT_THAT(engine_->LookupAddress("av"),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("symbol 'av': assembly of")));
}

#ifdef __x86_64__
TEST_P(ThreadLocalsTest, InlineAssemblyMayUseTheGeneralModel) {
  Add(R"(@x = thread_local global i32 5
    define i32 @get(i32 %n) {
      %p = call ptr asm sideeffect "leaq -128(%rsp), %rsp; pushq %rbx; movq %rsp, %rbx; andq $$-16, %rsp; .byte 0x66; leaq x@tlsgd(%rip), %rdi; .value 0x6666; rex64; call __tls_get_addr@PLT; movq %rbx, %rsp; popq %rbx; leaq 128(%rsp), %rsp", "={ax},~{rcx},~{rdx},~{rsi},~{rdi},~{r8},~{r9},~{r10},~{r11},~{memory},~{flags}"()
      %v = load i32, ptr %p
      %s = add i32 %v, %n
      ret i32 %s
    })");
  EXPECT_EQ(Call("get", 2), 7);
}
#endif

// A module that MCJIT links emulates its variables, and uses those of an object.
TEST(ThreadLocalsOfMcjitTest, AreEmulatedAndFoundAllTheSame) {
  EngineOptions options;
  options.mode = Mode::kEager;
  options.backend = Backend::kMcjit;
  const std::unique_ptr<Engine> engine = Engine::Create(options).value();
  ASSERT_THAT(engine->AddObjectFile(ObjectFile("@of_object = thread_local global i32 50")), IsOk());
  ASSERT_THAT(
      engine->AddBitcode(
          ParseToBitcode(Module(absl::StrCat("@of_object = external thread_local global i32 "
                                             "@own = thread_local global i32 3 ",
                                             Adder("add", "of_object"), Adder("add_own", "own")))),
          "module"),
      IsOk());
  EXPECT_EQ(engine->Lookup<int(int)>("add").value()(1), 51);
  EXPECT_EQ(engine->Lookup<int(int)>("add_own").value()(1), 4);
  EXPECT_EQ(*static_cast<int*>(engine->LookupAddress("own").value()), 4);
  EXPECT_EQ(*static_cast<int*>(engine->LookupAddress("of_object").value()), 51);
}

}  // namespace
}  // namespace firstcall
