// What happens when a stub is called whose function cannot be compiled.

#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/notification.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
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
  // LLVM 19 ends with a fatal error here, and LLVM 22 reports one.
  const absl::Status unselectable = engine->Prepare({"unselectable"});
  EXPECT_THAT(unselectable.code(),
              AnyOf(absl::StatusCode::kInternal, absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(std::string(unselectable.message()),
              HasSubstr("compiling function 'unselectable': generating code: "));
  EXPECT_THAT(engine->Prepare({"missing"}), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(engine->Lookup<int(int)>("good").value()(1), 2);
  EXPECT_EQ(engine->stats().functions_compiled, 1u);
}

TEST(FailureTest, FailureIsKept) {
  std::unique_ptr<Engine> engine = EngineWith(nullptr);
  const absl::Status first = engine->Prepare({"garbled"});
  EXPECT_EQ(engine->Prepare({"garbled"}), first);
}

// The other module is linked because of this one, to which it refers.
TEST(FailureTest, DataFailsIfWhatItPointsToCannotBeBound) {
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
  EXPECT_THAT(engine->LookupAddress("other"),
              StatusIs(absl::StatusCode::kInternal,
                       AllOf(HasSubstr("'other': linking its data and code: 'failing': "),
                             HasSubstr("out of reach"))));
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
  // What points to it fails with it.
  EXPECT_THAT(engine->LookupAddress("other"),
              StatusIs(absl::StatusCode::kNotFound,
                       HasSubstr("'partner': linking its data and code: 'needy': linking its data "
                                 "and code: JIT session error: Symbols not found: [ late ]")));
  ASSERT_THAT(engine->AddAssembly("@late = global i32 1", "late"), IsOk());
  ASSERT_OK_AND_ASSIGN(void* other, engine->LookupAddress("other"));
  EXPECT_EQ(sum(1), 42);
  EXPECT_EQ(**static_cast<int32_t**>(other), 40);
}

// --- Data that refers to each other in a circle ---

// Adds the object of a module as a file.
absl::Status AddObject(Engine& engine, absl::string_view text) {
  const ObjectBytes object = CompileToObject(text);
  return engine.AddObjectFile(
      WriteTestFile("added.o", absl::string_view(object.data(), object.size())));
}

// An object file that defines @in_object with the given value. Its constructor writes to @count
// what
// @in_object leads to, as the address of an address.
std::string ConstructedObject(absl::string_view value) {
  return absl::StrCat(R"(
      @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }]
        [{ i32, ptr, ptr } { i32 65535, ptr @construct, ptr null }]
      @in_object = global ptr )",
                      value, R"(
      @count = global i32 0
      define internal void @construct() {
        %p = load ptr, ptr @in_object
        %late = load ptr, ptr %p
        %x = load i32, ptr %late
        store i32 %x, ptr @count
        ret void
      })");
}

constexpr char kPointsToObject[] = R"(
      @in_object = external global ptr
      @late = external global i32
      @data = global ptr @late
      @partner = global ptr @in_object)";

TEST(FailureTest, AnObjectFileInACircleIsConstructedOnceAllIsThere) {
  std::unique_ptr<Engine> engine = EngineWith(nullptr);
  ASSERT_THAT(
      AddObject(*engine, absl::StrCat("@data = external global ptr\n", ConstructedObject("@data"))),
      IsOk());
  ASSERT_THAT(engine->AddAssembly(kPointsToObject, "data"), IsOk());
  for (const char* const symbol : {"data", "in_object", "count", "data"}) {
    EXPECT_THAT(engine->LookupAddress(symbol),
                StatusIs(absl::StatusCode::kNotFound,
                         HasSubstr("Symbols not found: [ late ]; 'late' is needed by 'data'")))
        << symbol;
  }
  ASSERT_THAT(engine->AddAssembly("@late = global i32 5", "late"), IsOk());
  ASSERT_THAT(engine->RunConstructors(), IsOk());
  ASSERT_OK_AND_ASSIGN(void* const count, engine->LookupAddress("count"));
  EXPECT_EQ(*static_cast<int32_t*>(count), 5);
}

TEST(FailureTest, AnObjectFileInNoCircleIsConstructedThoughWhatRefersToItFails) {
  std::unique_ptr<Engine> engine = EngineWith(nullptr);
  ASSERT_THAT(AddObject(*engine, absl::StrCat("@seven = global i32 7  @own = global ptr @seven\n",
                                              ConstructedObject("@own"))),
              IsOk());
  ASSERT_THAT(engine->AddAssembly(kPointsToObject, "data"), IsOk());
  EXPECT_THAT(engine->LookupAddress("data"), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_THAT(engine->RunConstructors(), IsOk());
  ASSERT_OK_AND_ASSIGN(void* const count, engine->LookupAddress("count"));
  EXPECT_EQ(*static_cast<int32_t*>(count), 7);
}

// Two circles: `b` and `c`, which lack nothing, and `d`, `e` and `f`, of which one lacks a symbol.
// `a` refers to both.
TEST(FailureTest, OnlyTheCircleThatLacksASymbolFails) {
  std::unique_ptr<Engine> engine = EngineWith(nullptr);
  const auto add = [&](const char* name, const char* text) {
    ASSERT_THAT(engine->AddAssembly(text, name), IsOk());
  };
  add("a",
      "@b = external global ptr @d = external global ptr @a = global [2 x ptr] [ptr @b, ptr @d]");
  add("b", "@c = external global ptr @b = global ptr @c");
  add("c", "@b = external global ptr @c = global ptr @b");
  add("d", "@e = external global ptr @d = global ptr @e");
  add("e", R"(@d = external global ptr @f = external global ptr
              @e = global [2 x ptr] [ptr @d, ptr @f])");
  add("f", R"(@e = external global ptr @late = external global i32
              @f = global [2 x ptr] [ptr @e, ptr @late])");
  EXPECT_THAT(engine->LookupAddress("a"), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_OK_AND_ASSIGN(void* const b, engine->LookupAddress("b"));
  EXPECT_EQ(**static_cast<void***>(b), b);
  for (const char* const symbol : {"f", "d", "e", "a"}) {
    EXPECT_THAT(engine->LookupAddress(symbol),
                StatusIs(absl::StatusCode::kNotFound, HasSubstr("[ late ]")))
        << symbol;
  }
  add("late", "@late = global i32 5");
  ASSERT_OK_AND_ASSIGN(void* const e, engine->LookupAddress("e"));
  ASSERT_OK_AND_ASSIGN(void* const d, engine->LookupAddress("d"));
  ASSERT_OK_AND_ASSIGN(void* const f, engine->LookupAddress("f"));
  ASSERT_OK_AND_ASSIGN(void* const late, engine->LookupAddress("late"));
  EXPECT_THAT(absl::MakeSpan(static_cast<void**>(e), 2), ElementsAre(d, f));
  EXPECT_THAT(absl::MakeSpan(static_cast<void**>(f), 2), ElementsAre(e, late));
  EXPECT_EQ(*static_cast<void**>(d), e);
  EXPECT_THAT(engine->LookupAddress("a"), IsOk());
}

// Data of another thread's that is bound, but refers to what is not, is not used yet.
TEST(FailureTest, AnotherThreadWaitsUntilTheWholeCircleIsThere) {
  absl::Notification is_asked, may_answer;
  int value = 42;
  EngineOptions options;
  options.symbol_finder = [&](absl::string_view name) -> void* {
    if (name != "late") return nullptr;
    if (!is_asked.HasBeenNotified()) is_asked.Notify();
    may_answer.WaitForNotification();
    return &value;
  };
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  ASSERT_THAT(engine->AddAssembly("@second = external global ptr @late = external global i32 "
                                  "@first = global [2 x ptr] [ptr @second, ptr @late]",
                                  "first"),
              IsOk());
  ASSERT_THAT(
      engine->AddAssembly("@first = external global ptr @second = global ptr @first", "second"),
      IsOk());
  std::thread links([&] { EXPECT_THAT(engine->LookupAddress("first"), IsOk()); });
  is_asked.WaitForNotification();
  absl::Notification is_found;
  void* found = nullptr;
  std::thread uses([&] {
    const absl::StatusOr<void*> second = engine->LookupAddress("second");
    EXPECT_THAT(second, IsOk());
    if (second.ok()) found = (*static_cast<void***>(*second))[1];
    is_found.Notify();
  });
  EXPECT_FALSE(is_found.WaitForNotificationWithTimeout(absl::Milliseconds(100)));
  may_answer.Notify();
  uses.join();
  links.join();
  EXPECT_EQ(found, &value);
}

// The finder calls a function that another thread is compiling, which needs data of the circle.
TEST(FailureTest, ACallbackMayNeedAFunctionThatNeedsTheCircle) {
  absl::Notification is_asked;
  int value = 42;
  std::unique_ptr<Engine> engine;
  const auto get = [&] { return engine->Lookup<int(int)>("get").value(); };
  EngineOptions options;
  options.symbol_finder = [&](absl::string_view name) -> void* {
    if (name != "late") return nullptr;
    if (is_asked.HasBeenNotified()) return &value;
    is_asked.Notify();
    absl::SleepFor(absl::Milliseconds(100));  // Until the other thread waits.
    EXPECT_EQ(get()(1), 8);
    return &value;
  };
  engine = Engine::Create(options).value();
  ASSERT_THAT(engine->AddAssembly("@second = external global ptr @late = external global i32 "
                                  "@first = global [2 x ptr] [ptr @second, ptr @late]",
                                  "first"),
              IsOk());
  ASSERT_THAT(engine->AddAssembly(R"(
      @first = external global ptr
      @second = global ptr @first
      @seven = global i32 7
      define i32 @get(i32 %x) {
        %y = load i32, ptr @seven
        %z = add i32 %x, %y
        ret i32 %z
      })",
                                  "second"),
              IsOk());
  std::thread links([&] { EXPECT_THAT(engine->LookupAddress("first"), IsOk()); });
  is_asked.WaitForNotification();
  EXPECT_EQ(get()(2), 9);
  links.join();
}

TEST(FailureTest, DataThatIsBoundToARemovedModuleOfItsCircleIsAnError) {
  std::unique_ptr<Engine> engine = EngineWith(nullptr);
  const char* const faulty = R"(
      @late = external global i32
      @other = external global ptr
      @value = global i64 40
      @place = global ptr @late
      @partner = global ptr @other)";
  ASSERT_OK_AND_ASSIGN(const ModuleId first, engine->AddAssembly(faulty, "first"));
  ASSERT_THAT(
      engine->AddAssembly("@value = external global i64 @other = global ptr @value", "second"),
      IsOk());
  EXPECT_THAT(engine->LookupAddress("place"), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_THAT(engine->Remove(first), IsOk());
  EXPECT_THAT(engine->LookupAddress("other"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("[ value ]")));
  ASSERT_THAT(engine->AddAssembly("@before = global [100 x i64] zeroinitializer "
                                  "@value = global i64 41",
                                  "again"),
              IsOk());
  EXPECT_THAT(engine->LookupAddress("other"),
              StatusIs(absl::StatusCode::kFailedPrecondition,
                       "'second': it is bound to 'value' of a module that was removed before their "
                       "circle was complete"));
}

// The second module's code uses the first one's variable in place of its own, and would find a null
// pointer there.
TEST(FailureTest, CodeWhoseWeakVariableIsReplacedByIncompleteDataFails) {
  std::unique_ptr<Engine> engine =
      EngineWith([](const FailedCall&) -> void* { return reinterpret_cast<void*>(&Replacement); });
  ASSERT_THAT(engine->AddAssembly(R"(
      @late = external global i32
      @other = external global ptr
      @value = global ptr @late
      @partner = global ptr @other)",
                                  "first"),
              IsOk());
  ASSERT_THAT(engine->AddAssembly(R"(
      @value = weak global ptr null
      @other = global ptr @value
      define i32 @get(i32 %x) {
        %late = load ptr, ptr @value
        %y = load i32, ptr %late
        ret i32 %y
      })",
                                  "second"),
              IsOk());
  EXPECT_THAT(engine->LookupAddress("partner"), StatusIs(absl::StatusCode::kNotFound));
  ASSERT_OK_AND_ASSIGN(int (*get)(int), engine->Lookup<int(int)>("get"));
  EXPECT_EQ(get(1), 100);
  EXPECT_THAT(engine->Prepare({"get"}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("[ late ]")));
  ASSERT_THAT(engine->AddAssembly("@late = global i32 5", "late"), IsOk());
  EXPECT_EQ(get(1), 5);
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
  EXPECT_THAT(engine->LookupAddress("other"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("[ late ]")));
  ASSERT_THAT(engine->Remove(first), IsOk());
  ASSERT_OK_AND_ASSIGN(void* other, engine->LookupAddress("other"));
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
