#include "engine/engine.h"

#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// What IR under test reports to.
std::vector<int> reported;
extern "C" {
void firstcall_test_report(int value) { reported.push_back(value); }
void firstcall_test_throw() { throw std::runtime_error("from the host"); }
// A weak definition of a module gives way to this one.
int firstcall_test_shared = 77;
// As clang's runtime library for -fsanitize=safe-stack defines it.
thread_local void* __safestack_unsafe_stack_ptr = nullptr;
}

class EngineTest : public testing::TestWithParam<Mode> {
 protected:
  void SetUp() override {
    reported.clear();
    EngineOptions options;
    options.mode = GetParam();
    absl::StatusOr<std::unique_ptr<Engine>> engine = Engine::Create(options);
    ASSERT_THAT(engine, IsOk());
    engine_ = *std::move(engine);
  }

  // Adds bitcode, as a program comes.
  absl::Status Add(absl::string_view text, absl::string_view name = "module") {
    return engine_->AddBitcode(ParseToBitcode(text), name).status();
  }

  int CallInt(absl::string_view name, int argument) {
    absl::StatusOr<int (*)(int)> function = engine_->Lookup<int(int)>(name);
    EXPECT_THAT(function, IsOk());
    return function.ok() ? (*function)(argument) : -1;
  }

  bool IsLazy() const { return GetParam() == Mode::kLazy; }

  std::unique_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Modes, EngineTest, testing::Values(Mode::kLazy, Mode::kEager),
                         [](const auto& mode) {
                           return mode.param == Mode::kLazy ? "Lazy" : "Eager";
                         });

TEST_P(EngineTest, RunsFunctionsThatCallEachOther) {
  ASSERT_THAT(Add(R"(
    define i32 @even(i32 %n) {
      %zero = icmp eq i32 %n, 0
      br i1 %zero, label %yes, label %no
    yes:
      ret i32 1
    no:
      %less = sub i32 %n, 1
      %r = call i32 @odd(i32 %less)
      ret i32 %r
    }
    define internal i32 @odd(i32 %n) {
      %zero = icmp eq i32 %n, 0
      br i1 %zero, label %yes, label %no
    yes:
      ret i32 0
    no:
      %less = sub i32 %n, 1
      %r = call i32 @even(i32 %less)
      ret i32 %r
    })"),
              IsOk());
  EXPECT_EQ(CallInt("even", 10), 1);
  EXPECT_EQ(CallInt("even", 7), 0);
}

TEST_P(EngineTest, TextAndModulesInMemoryRunToo) {
  ASSERT_THAT(engine_->AddAssembly("define i32 @f(i32 %x) { ret i32 %x }", "text"), IsOk());
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = ParseModule("define i32 @g(i32 %x) { %y = add i32 %x, 1 ret i32 %y }", *context);
  ASSERT_THAT(engine_->AddModule(std::move(context), std::move(module)), IsOk());
  EXPECT_EQ(CallInt("f", 3), 3);
  EXPECT_EQ(CallInt("g", 3), 4);
}

TEST_P(EngineTest, FilesMayReferToEachOther) {
  const std::string first = testing::TempDir() + "/first.ll";
  const std::string second = testing::TempDir() + "/second.ll";
  std::ofstream(first) << "declare i32 @g(i32)\n @base = global i32 100\n"
                          "define i32 @f(i32 %x) { %y = call i32 @g(i32 %x) ret i32 %y }\n";
  std::ofstream(second) << "@base = external global i32\n"
                           "define i32 @g(i32 %x) { %b = load i32, ptr @base\n"
                           " %y = add i32 %x, %b ret i32 %y }\n";
  ASSERT_OK_AND_ASSIGN(std::vector<ModuleId> ids, engine_->AddFiles({first, second}));
  EXPECT_EQ(ids.size(), 2u);
  EXPECT_EQ(CallInt("f", 5), 105);
}

TEST_P(EngineTest, FilesOfWhichOneFailsCountAsAddedAndRemoved) {
  const std::string good = testing::TempDir() + "/good.ll";
  const std::string twice = testing::TempDir() + "/twice.ll";
  std::ofstream(good) << "define i32 @f() { ret i32 1 }\n define i32 @g() { ret i32 1 }\n";
  std::ofstream(twice) << "define i32 @f() { ret i32 2 }\n";
  EXPECT_THAT(engine_->AddFiles({good, twice}), StatusIs(absl::StatusCode::kAlreadyExists));
  const Stats stats = engine_->stats();
  EXPECT_EQ(stats.modules, 1u);
  EXPECT_EQ(stats.modules_removed, 1u);
  EXPECT_EQ(stats.functions_known, 2u);
}

TEST_P(EngineTest, ModulesMayBeAddedAfterOthersHaveRun) {
  ASSERT_THAT(Add("define i32 @f(i32 %x) { ret i32 %x }", "first"), IsOk());
  EXPECT_EQ(CallInt("f", 2), 2);
  ASSERT_THAT(
      Add("declare i32 @f(i32)\n"
          "define i32 @g(i32 %x) { %y = call i32 @f(i32 %x) %z = mul i32 %y, 3 ret i32 %z }",
          "second"),
      IsOk());
  EXPECT_EQ(CallInt("g", 2), 6);
}

TEST_P(EngineTest, AddressIsTheSameForEverybody) {
  ASSERT_THAT(Add(R"(
    @in_data = global ptr @f
    define i32 @f(i32 %x) { ret i32 %x }
    @other_name = alias i32 (i32), ptr @f
    define ptr @in_code() { ret ptr @f }
    define ptr @by_alias() { ret ptr @other_name })",
                  "first"),
              IsOk());
  ASSERT_THAT(Add("declare i32 @f(i32)\n define ptr @elsewhere() { ret ptr @f }", "second"),
              IsOk());
  ASSERT_OK_AND_ASSIGN(void* address, engine_->LookupAddress("f"));
  for (int round = 0; round < 2; ++round) {
    ASSERT_OK_AND_ASSIGN(void* data, engine_->LookupAddress("in_data"));
    EXPECT_EQ(*static_cast<void**>(data), address);
    for (const char* name : {"in_code", "by_alias", "elsewhere"}) {
      ASSERT_OK_AND_ASSIGN(void* (*function)(), engine_->Lookup<void*()>(name));
      EXPECT_EQ(function(), address) << name;
    }
    EXPECT_EQ(engine_->LookupAddress("f").value(), address);
    EXPECT_EQ(CallInt("f", round), round);  // In the second round it is compiled.
  }
}

TEST_P(EngineTest, SameLocalNamesInTwoModulesAreTwoSymbols) {
  for (int i = 1; i <= 2; ++i) {
    ASSERT_THAT(Add(absl::StrCat("@n = internal global i32 ", i * 10, R"(
      define internal i32 @helper(i32 %x) {
        %n = load i32, ptr @n
        %r = add i32 %x, %n
        store i32 %r, ptr @n
        ret i32 %r
      }
      define i32 @f)",
                                 i, "(i32 %x) { %r = call i32 @helper(i32 %x) ret i32 %r }"),
                    absl::StrCat("module", i)),
                IsOk());
  }
  EXPECT_EQ(CallInt("f1", 1), 11);
  EXPECT_EQ(CallInt("f2", 1), 21);
  EXPECT_EQ(CallInt("f1", 1), 12);
}

TEST_P(EngineTest, TwoStrongDefinitionsAreAnError) {
  ASSERT_THAT(Add("define void @f() { ret void }", "first"), IsOk());
  EXPECT_THAT(Add("define void @f() { ret void }", "second"),
              StatusIs(absl::StatusCode::kAlreadyExists,
                       HasSubstr("symbol 'f' is defined both by 'first' and by 'second'")));
}

TEST_P(EngineTest, WeakDefinitionGivesWayToAnEarlierStrongOne) {
  ASSERT_THAT(Add("define i32 @f(i32 %x) { ret i32 1 }", "strong"), IsOk());
  ASSERT_THAT(Add("define weak i32 @f(i32 %x) { ret i32 2 }\n"
                  "define i32 @g(i32 %x) { %r = call i32 @f(i32 %x) ret i32 %r }",
                  "weak"),
              IsOk());
  EXPECT_EQ(CallInt("f", 0), 1);
  EXPECT_EQ(CallInt("g", 0), 1);
}

TEST_P(EngineTest, WeakDefinitionGivesWayToTheProcess) {
  ASSERT_THAT(Add(R"(
    @firstcall_test_shared = linkonce_odr global i32 1
    define i32 @f(i32 %x) { %v = load i32, ptr @firstcall_test_shared ret i32 %v })"),
              IsOk());
  EXPECT_EQ(CallInt("f", 0), 77);
  EXPECT_EQ(engine_->LookupAddress("firstcall_test_shared").value(), &firstcall_test_shared);
}

TEST_P(EngineTest, ClientsSymbolsComeBeforeTheProcess) {
  static int answer = 42;
  EngineOptions options;
  options.mode = GetParam();
  options.symbol_finder = [](absl::string_view name) -> void* {
    return name == "firstcall_test_shared" ? &answer : nullptr;
  };
  engine_ = Engine::Create(options).value();
  ASSERT_THAT(Add("@firstcall_test_shared = external global i32\n"
                  "define i32 @f(i32 %x) { %v = load i32, ptr @firstcall_test_shared ret i32 %v }"),
              IsOk());
  EXPECT_EQ(CallInt("f", 0), 42);
}

TEST_P(EngineTest, ClientIsToldWhichLibraryAsksForASymbol) {
  static int first = 1, second = 2;
  EngineOptions options;
  options.mode = GetParam();
  options.search_other_libraries = false;
  options.library_symbol_finder = [](absl::string_view name, absl::string_view library) -> void* {
    if (name != "of_library") return nullptr;
    return library == "first" ? &first : &second;
  };
  engine_ = Engine::Create(options).value();
  const std::string bitcode = ParseToBitcode(
      "@of_library = external global i32\n"
      "define i32 @f() { %v = load i32, ptr @of_library ret i32 %v }");
  for (const auto& [library, number] : {std::pair("first", 1), std::pair("second", 2)}) {
    const absl::StatusOr<ModuleId> module = engine_->AddBitcode(bitcode, library, library);
    ASSERT_THAT(module, IsOk());
    const absl::StatusOr<void*> f = engine_->LookupAddress(*module, "f");
    ASSERT_THAT(f, IsOk());
    EXPECT_EQ(reinterpret_cast<int (*)()>(*f)(), number);
  }
}

TEST_P(EngineTest, ConstructorsRunOnceInOrderAndDestructorsInReverse) {
  const char* module = R"(
    declare void @firstcall_test_report(i32)
    @llvm.global_ctors = appending global [2 x { i32, ptr, ptr }] [
      { i32, ptr, ptr } { i32 200, ptr @second, ptr null },
      { i32, ptr, ptr } { i32 100, ptr @first, ptr null }]
    @llvm.global_dtors = appending global [2 x { i32, ptr, ptr }] [
      { i32, ptr, ptr } { i32 100, ptr @fourth, ptr null },
      { i32, ptr, ptr } { i32 200, ptr @third, ptr null }]
    define internal void @first() { call void @firstcall_test_report(i32 1) ret void }
    define internal void @second() { call void @firstcall_test_report(i32 2) ret void }
    define internal void @third() { call void @firstcall_test_report(i32 3) ret void }
    define internal void @fourth() { call void @firstcall_test_report(i32 4) ret void })";
  ASSERT_THAT(Add(module), IsOk());
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  ASSERT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_THAT(reported, ElementsAre(1, 2));
  engine_ = nullptr;
  EXPECT_THAT(reported, ElementsAre(1, 2, 3, 4));
}

TEST_P(EngineTest, ExitHandlersRunWhenTheEngineGoes) {
  ASSERT_THAT(Add(R"(
    declare i32 @atexit(ptr)
    declare void @firstcall_test_report(i32)
    define internal void @handler() { call void @firstcall_test_report(i32 9) ret void }
    define i32 @f(i32 %x) { %r = call i32 @atexit(ptr @handler) ret i32 %r })"),
              IsOk());
  EXPECT_EQ(CallInt("f", 0), 0);
  EXPECT_TRUE(reported.empty());
  engine_ = nullptr;
  EXPECT_THAT(reported, ElementsAre(9));
}

TEST_P(EngineTest, ClientMayRegisterExitHandlersItself) {
  int (*const registers)(void (*)()) = [](void (*)()) { return 12; };
  EngineOptions options;
  options.mode = GetParam();
  options.symbol_finder = [=](absl::string_view name) -> void* {
    return name == "atexit" ? reinterpret_cast<void*>(registers) : nullptr;
  };
  engine_ = Engine::Create(options).value();
  ASSERT_THAT(Add(R"(
    declare i32 @atexit(ptr)
    define i32 @f(i32 %x) { %r = call i32 @atexit(ptr null) ret i32 %r })"),
              IsOk());
  EXPECT_EQ(CallInt("f", 0), 12);
}

TEST_P(EngineTest, RunMainPassesArgumentsAndReturnsStatus) {
  ASSERT_THAT(Add(R"(
    declare i32 @strcmp(ptr, ptr)
    @expected = private constant [4 x i8] c"two\00"
    define i32 @main(i32 %argc, ptr %argv) {
      %slot = getelementptr ptr, ptr %argv, i32 2
      %argument = load ptr, ptr %slot
      %difference = call i32 @strcmp(ptr %argument, ptr @expected)
      %status = add i32 %difference, %argc
      ret i32 %status
    })"),
              IsOk());
  EXPECT_THAT(engine_->RunMain({"program", "one", "two"}), IsOk());
  EXPECT_EQ(engine_->RunMain({"program", "one", "two"}).value(), 3);
}

TEST_P(EngineTest, RunMainRefusesWhatIsNotLikeMain) {
  ASSERT_THAT(Add("define i32 @five(i32 %a, ptr %b, ptr %c, ptr %d) { ret i32 5 }\n"
                  "define double @real() { ret double 1.0 }\n @data = global i32 1"),
              IsOk());
  EXPECT_THAT(engine_->RunMain({"x"}),
              StatusIs(absl::StatusCode::kNotFound, "no module defines the entry function 'main'"));
  EXPECT_THAT(engine_->RunMain({"x"}, "five"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "entry function 'five' cannot be called as main: it takes more than three "
                       "arguments"));
  EXPECT_THAT(engine_->RunMain({"x"}, "real"),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("it returns neither")));
  EXPECT_THAT(engine_->RunMain({"x"}, "data"), StatusIs(absl::StatusCode::kInvalidArgument,
                                                        "entry function 'data' is not a function"));
}

TEST_P(EngineTest, HostsExceptionPassesThroughCompiledFrames) {
  ASSERT_THAT(Add(R"(
    declare void @firstcall_test_throw()
    define i32 @outer(i32 %x) { %r = call i32 @inner(i32 %x) ret i32 %r }
    define i32 @inner(i32 %x) { call void @firstcall_test_throw() ret i32 %x })"),
              IsOk());
  for (int round = 0; round < 2; ++round) {
    EXPECT_THROW(CallInt("outer", 1), std::runtime_error);
  }
}

TEST_P(EngineTest, CompiledCodeCatchesTheHostsException) {
  ASSERT_THAT(Add(R"(
    declare void @firstcall_test_throw()
    declare i32 @__gxx_personality_v0(...)
    declare ptr @__cxa_begin_catch(ptr)
    declare void @__cxa_end_catch()
    define i32 @f(i32 %x) personality ptr @__gxx_personality_v0 {
      invoke void @firstcall_test_throw() to label %on unwind label %pad
    on:
      ret i32 0
    pad:
      %caught = landingpad { ptr, i32 } catch ptr null
      %object = extractvalue { ptr, i32 } %caught, 0
      %begun = call ptr @__cxa_begin_catch(ptr %object)
      call void @__cxa_end_catch()
      ret i32 %x
    })"),
              IsOk());
  EXPECT_EQ(CallInt("f", 5), 5);
}

TEST_P(EngineTest, AThreadLocalVariableThatNobodyDefinesIsNull) {
  ASSERT_THAT(Add(R"(
    @nowhere = extern_weak thread_local global i32
    declare ptr @llvm.threadlocal.address.p0(ptr)
    define i32 @f(i32 %x) {
      %address = call ptr @llvm.threadlocal.address.p0(ptr @nowhere)
      %is_null = icmp eq ptr %address, null
      %y = select i1 %is_null, i32 %x, i32 -1
      ret i32 %y
    })"),
              IsOk());
  EXPECT_EQ(CallInt("f", 5), 5);
}

// What clang makes with -fsanitize=safe-stack of a function whose array others see.
constexpr char kNeedsUnsafeStack[] = R"(
  @array = global ptr null
  define void @fill(ptr %p, i32 %x) {
    store ptr %p, ptr @array
    store volatile i32 %x, ptr %p
    ret void
  }
  define i32 @f(i32 %x) safestack {
    %a = alloca [100 x i32], align 16
    call void @fill(ptr %a, i32 %x)
    %y = load volatile i32, ptr %a
    ret i32 %y
  }
  define i32 @safe(i32 %x) safestack { ret i32 %x })";

TEST_P(EngineTest, UnsafeStackIsTheProcesss) {
  alignas(16) static char unsafe_stack[1 << 16];
  __safestack_unsafe_stack_ptr = std::end(unsafe_stack);
  ASSERT_THAT(Add(kNeedsUnsafeStack), IsOk());
  EXPECT_EQ(CallInt("f", 5), 5);
  ASSERT_OK_AND_ASSIGN(void* variable, engine_->LookupAddress("array"));
  const char* const array = *static_cast<const char**>(variable);
  EXPECT_GE(array, std::begin(unsafe_stack));
  EXPECT_LT(array, std::end(unsafe_stack));
  EXPECT_EQ(__safestack_unsafe_stack_ptr, std::end(unsafe_stack));
  EXPECT_EQ(CallInt("safe", 6), 6);
}

TEST_P(EngineTest, MissingUnsafeStackIsNamed) {
  EngineOptions options;
  options.mode = GetParam();
  options.search_process_symbols = false;
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  const absl::Status added =
      engine->AddBitcode(ParseToBitcode(kNeedsUnsafeStack), "module").status();
  const absl::Status status = added.ok() ? engine->Prepare({"f"}) : added;
  EXPECT_THAT(status,
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("__safestack_unsafe_stack_ptr")));
  if (IsLazy()) {
    EXPECT_THAT(engine->Prepare({"safe"}), IsOk());
  }
}

TEST_P(EngineTest, SeveralEnginesDoNotDisturbEachOther) {
  EngineOptions options;
  options.mode = GetParam();
  std::unique_ptr<Engine> other = Engine::Create(options).value();
  ASSERT_THAT(Add("define i32 @f(i32 %x) { ret i32 1 }"), IsOk());
  ASSERT_THAT(other->AddAssembly("define i32 @f(i32 %x) { ret i32 2 }", "other"), IsOk());
  EXPECT_EQ(CallInt("f", 0), 1);
  EXPECT_EQ(other->Lookup<int(int)>("f").value()(0), 2);
  other = nullptr;
  EXPECT_EQ(CallInt("f", 0), 1);
}

TEST_P(EngineTest, MissingSymbolIsNamedWithWhoNeedsIt) {
  const char* text = R"(
    declare void @nowhere()
    define void @needy() { call void @nowhere() ret void }
    define i32 @fine(i32 %x) { ret i32 %x })";
  if (IsLazy()) {
    ASSERT_THAT(Add(text), IsOk());
    EXPECT_EQ(CallInt("fine", 4), 4);
    EXPECT_THAT(
        engine_->Prepare({"needy"}),
        StatusIs(absl::StatusCode::kNotFound,
                 "linking function 'needy' of 'module': JIT session error: Symbols not found: "
                 "[ nowhere ]; 'nowhere' is needed by 'needy'"));
  } else {
    EXPECT_THAT(Add(text),
                StatusIs(absl::StatusCode::kNotFound,
                         AllOf(HasSubstr("'module'"),
                               HasSubstr("JIT session error: Symbols not found: [ nowhere ]"),
                               HasSubstr("'nowhere' is needed by 'needy'"))));
  }
}

TEST_P(EngineTest, UnknownNameIsNotFound) {
  EXPECT_THAT(engine_->LookupAddress("nothing"),
              StatusIs(absl::StatusCode::kNotFound, "symbol 'nothing' is defined by no module"));
  EXPECT_THAT(engine_->Prepare({"nothing"}),
              StatusIs(absl::StatusCode::kNotFound, "preparing 'nothing': no module defines it"));
}

TEST_P(EngineTest, OtherTargetsAreRefused) {
  EXPECT_THAT(
      Add("target triple = \"powerpc64-unknown-linux-gnu\"\n define void @f() { ret void }"),
      StatusIs(absl::StatusCode::kInvalidArgument,
               HasSubstr("its triple 'powerpc64-unknown-linux-gnu' conflicts")));
  EXPECT_THAT(Add("target datalayout = \"E-p:32:32\"\n define void @f() { ret void }"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("its data layout 'E-p:32:32' conflicts")));
}

TEST(EngineStatsTest, NothingIsCompiledThatIsNotCalled) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  ASSERT_THAT(engine->AddAssembly(R"(
    @table = global [2 x ptr] [ptr @called, ptr @never]
    define i32 @called(i32 %x) {
      %big = icmp sgt i32 %x, 100
      br i1 %big, label %rare, label %end
    rare:
      %r = call i32 @never(i32 %x)
      ret i32 %r
    end:
      ret i32 %x
    }
    define i32 @never(i32 %x) { ret i32 %x })",
                                  "module"),
              IsOk());
  EXPECT_EQ(engine->stats().functions_known, 2u);
  ASSERT_OK_AND_ASSIGN(int (*called)(int), engine->Lookup<int(int)>("called"));
  ASSERT_THAT(engine->LookupAddress("never"), IsOk());
  EXPECT_EQ(engine->stats().functions_compiled, 0u);
  EXPECT_EQ(called(1), 1);
  EXPECT_EQ(engine->stats().functions_compiled, 1u);
  EXPECT_EQ(called(2), 2);  // A second call compiles nothing.
  EXPECT_EQ(engine->stats().functions_compiled, 1u);
  EXPECT_EQ(called(101), 101);
  EXPECT_EQ(engine->stats().functions_compiled, 2u);
}

TEST(EngineStatsTest, PrepareCompilesOnlyWhatItNames) {
  std::unique_ptr<Engine> engine = Engine::Create().value();
  ASSERT_THAT(engine->AddAssembly("define i32 @g(i32 %x) { ret i32 %x }\n"
                                  "define i32 @f(i32 %x) { %r = call i32 @g(i32 %x) ret i32 %r }",
                                  "module"),
              IsOk());
  ASSERT_THAT(engine->Prepare({"f"}), IsOk());
  EXPECT_EQ(engine->stats().functions_compiled, 1u);
  EXPECT_EQ(engine->Lookup<int(int)>("f").value()(3), 3);
  EXPECT_EQ(engine->stats().functions_compiled, 2u);
}

}  // namespace
}  // namespace firstcall
