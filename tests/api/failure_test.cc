// What happens when a stub is called whose function cannot be compiled.

#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

constexpr char kProgram[] = R"(
  declare void @nowhere()
  define i32 @missing(i32 %x) { call void @nowhere() ret i32 %x }
  define i32 @garbled(i32 %x) { call void asm sideeffect "bogus_instruction", ""() ret i32 %x }
  define i32 @unselectable(i32 %x) {
    %r = call i32 @llvm.read_register.i32(metadata !0)
    ret i32 %r
  }
  declare i32 @llvm.read_register.i32(metadata)
  define i32 @good(i32 %x) { %y = add i32 %x, 1 ret i32 %y }
  define i32 @caller(i32 %x) { %y = call i32 @missing(i32 %x) ret i32 %y }
  !0 = !{!"no such register"})";

std::unique_ptr<Engine> EngineWith(FailureHandler handler) {
  EngineOptions options;
  options.failure_handler = std::move(handler);
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  EXPECT_THAT(engine->AddBitcode(ParseToBitcode(kProgram), "program"), IsOk());
  return engine;
}

int Replacement(int x) { return x * 100; }

TEST(FailureTest, HandlerLearnsFunctionModuleAndStatusAndMaySupplyCode) {
  std::string function, module;
  absl::Status status;
  std::unique_ptr<Engine> engine = EngineWith([&](const FailedCall& call) {
    function = std::string(call.function);
    module = std::string(call.module);
    status = call.status;
    return reinterpret_cast<void*>(&Replacement);
  });
  EXPECT_EQ(engine->Lookup<int(int)>("missing").value()(7), 700);
  EXPECT_EQ(function, "missing");
  EXPECT_EQ(module, "program");
  EXPECT_THAT(status,
              StatusIs(absl::StatusCode::kNotFound,
                       "linking function 'missing' of 'program': JIT session error: Symbols not "
                       "found: [ nowhere ]; 'nowhere' is needed by 'missing'"));
}

TEST(FailureTest, HandlerMayThrowThroughTheReentry) {
  std::unique_ptr<Engine> engine = EngineWith([](const FailedCall& call) -> void* {
    throw std::runtime_error(std::string(call.function));
  });
  ASSERT_OK_AND_ASSIGN(int (*caller)(int), engine->Lookup<int(int)>("caller"));
  for (int round = 0; round < 2; ++round) {  // Failure is kept: the same again.
    try {
      caller(1);
      ADD_FAILURE() << "did not throw";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "missing");
    }
  }
}

#if defined(__aarch64__)
constexpr char kNoSuchInstruction[] = "unrecognized instruction mnemonic";
#else
constexpr char kNoSuchInstruction[] = "invalid instruction mnemonic 'bogus_instruction'";
#endif

TEST(FailureTest, OneBadFunctionLeavesTheOthersAlone) {
  std::unique_ptr<Engine> engine = EngineWith(nullptr);
  EXPECT_THAT(
      engine->Prepare({"garbled"}),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr(absl::StrCat("compiling function 'garbled': generating code: <inline "
                                      "asm>:1:2: ",
                                      kNoSuchInstruction))));
  EXPECT_THAT(engine->Prepare({"unselectable"}),
              StatusIs(absl::StatusCode::kInternal,
                       HasSubstr("compiling function 'unselectable': generating code: ")));
  EXPECT_THAT(engine->Prepare({"missing"}), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(engine->Lookup<int(int)>("good").value()(1), 2);
  EXPECT_EQ(engine->stats().functions_compiled, 1u);
}

TEST(FailureTest, FailureIsKept) {
  std::unique_ptr<Engine> engine = EngineWith(nullptr);
  const absl::Status first = engine->Prepare({"garbled"});
  EXPECT_EQ(engine->Prepare({"garbled"}), first);
}

// The other module was linked because of this one, when its addresses were known already.
TEST(FailureTest, DataThatCannotBeBoundStaysWhereOthersReferToIt) {
  EngineOptions options;
  options.symbol_finder = [](absl::string_view name) -> void* {
    return name == "far" ? reinterpret_cast<void*>(0x10000) : nullptr;
  };
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(R"(
      @far = external global i8
      @other = external global ptr
      @value = global i64 42
      @distance = global i32 trunc (i64 sub (i64 ptrtoint (ptr @far to i64),
                                             i64 ptrtoint (ptr @distance to i64)) to i32)
      @partner = global ptr @other)"),
                                 "failing"),
              IsOk());
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(R"(
      @value = external global i64
      @other = global ptr @value)"),
                                 "other"),
              IsOk());
  EXPECT_THAT(engine->LookupAddress("value"),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("out of reach")));
  ASSERT_OK_AND_ASSIGN(void* other, engine->LookupAddress("other"));
  // What is linked later takes the place of what was given back.
  ASSERT_THAT(
      engine->AddBitcode(ParseToBitcode("@later = global [8 x i64] zeroinitializer"), "later"),
      IsOk());
  ASSERT_THAT(engine->LookupAddress("later"), IsOk());
  EXPECT_EQ(**static_cast<int64_t**>(other), 42);
}

TEST(FailureTest, DataIsTriedAgainWhenWhatItLacksWasAdded) {
  std::unique_ptr<Engine> engine =
      EngineWith([](const FailedCall&) -> void* { return reinterpret_cast<void*>(&Replacement); });
  ASSERT_THAT(engine->AddAssembly(R"(
      @late = external global i32
      @other = external global ptr
      @value = global i32 40
      @place = global ptr @late
      @partner = global ptr @other
      define i32 @sum(i32 %x) {
        %late = load ptr, ptr @place
        %a = load i32, ptr %late
        %b = load i32, ptr @value
        %c = add i32 %a, %b
        %d = add i32 %c, %x
        ret i32 %d
      })",
                                  "needy"),
              IsOk());
  ASSERT_THAT(
      engine->AddAssembly("@value = external global i32 @other = global ptr @value", "partner"),
      IsOk());
  ASSERT_OK_AND_ASSIGN(int (*sum)(int), engine->Lookup<int(int)>("sum"));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(sum(1), 100);
    EXPECT_THAT(
        engine->Prepare({"sum"}),
        StatusIs(absl::StatusCode::kNotFound,
                 HasSubstr("linking function 'sum' of 'needy': 'needy': linking its data and "
                           "code: JIT session error: Symbols not found: [ late ]; 'late' "
                           "is needed by 'place'")));
  }
  ASSERT_OK_AND_ASSIGN(void* other, engine->LookupAddress("other"));
  ASSERT_THAT(engine->AddAssembly("@late = global i32 1", "late"), IsOk());
  EXPECT_EQ(sum(1), 42);
  EXPECT_EQ(**static_cast<int32_t**>(other), 40);
}

// Functions whose module's data refers to a symbol that is missing.
constexpr char kNeedy[] = R"(
  @late = external global i32
  @place = global ptr @late
  define ptr @f0() { %p = load ptr, ptr @place ret ptr %p }
  define ptr @f1() { %p = load ptr, ptr @place ret ptr %p }
  define ptr @f2() { %p = load ptr, ptr @place ret ptr %p })";

TEST(FailureTest, DataIsNotTriedAgainForEachFunction) {
  int asked = 0;
  EngineOptions options;
  options.symbol_finder = [&](absl::string_view name) -> void* {
    if (name == "late") ++asked;
    return nullptr;
  };
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  ASSERT_THAT(engine->AddAssembly(kNeedy, "needy"), IsOk());
  EXPECT_THAT(engine->Prepare({"f0"}), StatusIs(absl::StatusCode::kNotFound));
  const int asked_once = asked;
  EXPECT_GT(asked_once, 0);
  EXPECT_THAT(engine->Prepare({"f1"}), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(engine->Prepare({"f2"}), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(asked, asked_once);
}

// --- Exceptions of the client's callbacks ---

// The first call of the finder for `symbol` throws.
EngineOptions WithFinderThatThrowsOnce(absl::string_view symbol, void* address) {
  EngineOptions options;
  options.symbol_finder = [=, has_thrown = false](absl::string_view name) mutable -> void* {
    if (name != symbol) return nullptr;
    if (!std::exchange(has_thrown, true)) throw std::runtime_error("not now");
    return address;
  };
  return options;
}

int AddOne(int x) { return x + 1; }

TEST(FailureTest, AfterAnExceptionNobodyWaitsForWhatWasCompiledAlong) {
  std::unique_ptr<Engine> engine =
      Engine::Create(WithFinderThatThrowsOnce("extern_add", reinterpret_cast<void*>(&AddOne)))
          .value();
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(R"(
      declare i32 @extern_add(i32)
      define i32 @inner(i32 %x) { %y = mul i32 %x, 3 ret i32 %y }
      define i32 @outer(i32 %x) {
        %p = call i32 @inner(i32 %x)
        %q = call i32 @extern_add(i32 %p)
        ret i32 %q
      })"),
                                 "module"),
              IsOk());
  ASSERT_OK_AND_ASSIGN(auto outer, engine->Lookup<int(int)>("outer"));
  ASSERT_OK_AND_ASSIGN(auto inner, engine->Lookup<int(int)>("inner"));
  EXPECT_THROW(outer(5), std::runtime_error);
  EXPECT_EQ(inner(5), 15);
}

TEST(FailureTest, AfterAnExceptionDataIsBoundTheNextTime) {
  int value = 42;
  std::unique_ptr<Engine> engine = Engine::Create(WithFinderThatThrowsOnce("late", &value)).value();
  ASSERT_THAT(engine->AddAssembly(kNeedy, "needy"), IsOk());
  EXPECT_THROW((void)engine->LookupAddress("place"), std::runtime_error);
  ASSERT_OK_AND_ASSIGN(void* const place, engine->LookupAddress("place"));
  EXPECT_EQ(*static_cast<void**>(place), &value);
}

TEST(FailureTest, AnEngineMayEndBeforeItsDataIsComplete) {
  std::unique_ptr<Engine> engine = EngineWith(nullptr);
  ASSERT_OK_AND_ASSIGN(const ModuleId removed, engine->AddAssembly(kNeedy, "needy"));
  EXPECT_THAT(engine->Prepare({"f0"}), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(engine->Remove(removed), IsOk());
  ASSERT_THAT(engine->AddAssembly(kNeedy, "needy"), IsOk());
  EXPECT_THAT(engine->Prepare({"f0"}), StatusIs(absl::StatusCode::kNotFound));
  const std::string object = ::testing::TempDir() + "/incomplete.o";
  const auto bytes =
      CompileToObject("@nowhere = external global i32  @there = global ptr @nowhere");
  std::ofstream(object).write(reinterpret_cast<const char*>(bytes.data()),
                              static_cast<std::streamsize>(bytes.size()));
  ASSERT_THAT(engine->AddObjectFile(object), IsOk());
  EXPECT_THAT(engine->LookupAddress("there"), StatusIs(absl::StatusCode::kNotFound));
}

// The other module's variable is bound to that of the first one, which is never complete.
TEST(FailureTest, WhatIsSharedStaysWhenIncompleteDataIsRemoved) {
  std::unique_ptr<Engine> engine = EngineWith(nullptr);
  ASSERT_OK_AND_ASSIGN(const ModuleId first, engine->AddAssembly(R"(
      @late = external global i32
      @other = external global ptr
      @value = global i64 40
      @place = global ptr @late
      @partner = global ptr @other)",
                                                                 "first"));
  ASSERT_THAT(engine->AddAssembly("@value = linkonce_odr global i64 40  @other = global ptr @value",
                                  "second"),
              IsOk());
  EXPECT_THAT(engine->LookupAddress("place"), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_OK_AND_ASSIGN(void* other, engine->LookupAddress("other"));
  ASSERT_THAT(engine->Remove(first), IsOk());
  ASSERT_THAT(engine->AddAssembly("@later = global [64 x i64] zeroinitializer", "later"), IsOk());
  ASSERT_THAT(engine->LookupAddress("later"), IsOk());
  EXPECT_EQ(**static_cast<int64_t**>(other), 40);
}

TEST(FailureTest, AfterAnExceptionAnObjectFileIsLinkedTheNextTime) {
  std::unique_ptr<Engine> engine =
      Engine::Create(WithFinderThatThrowsOnce("hook", reinterpret_cast<void*>(&AddOne))).value();
  const std::string object = ::testing::TempDir() + "/weak_reference.o";
  const auto bytes = CompileToObject(R"(
      declare extern_weak i32 @hook(i32)
      define i32 @call_hook(i32 %x) { %y = call i32 @hook(i32 %x) ret i32 %y })");
  std::ofstream(object).write(reinterpret_cast<const char*>(bytes.data()),
                              static_cast<std::streamsize>(bytes.size()));
  ASSERT_THAT(engine->AddObjectFile(object), IsOk());
  EXPECT_THROW((void)engine->Lookup<int(int)>("call_hook"), std::runtime_error);
  ASSERT_OK_AND_ASSIGN(auto call_hook, engine->Lookup<int(int)>("call_hook"));
  EXPECT_EQ(call_hook(1), 2);
}

TEST(FailureDeathTest, DefaultPrintsTheReasonAndExits) {
  std::unique_ptr<Engine> engine = EngineWith(nullptr);
  ASSERT_OK_AND_ASSIGN(int (*missing)(int), engine->Lookup<int(int)>("missing"));
  EXPECT_EXIT(
      missing(1), testing::ExitedWithCode(kFirstCallFailedExitStatus),
      "firstcall: linking function 'missing' of 'program': .*Symbols not found: . nowhere .");
}

}  // namespace
}  // namespace firstcall
