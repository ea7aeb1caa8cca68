// Where an engine's program finds symbols that it does not define: libraries that are given, in
// their order, and then the process. And what it finds by dlsym.

#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/engine.h"
#include "engine/options.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

extern "C" {
// Found in the process: this program exports its symbols.
int defined_by_all() { return 3; }
int replaced_by_host() { return 3; }
int only_of_host() { return 3; }
}

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kFirst[] = "tests/api/libgiven_first.so";
constexpr char kSecond[] = "tests/api/libgiven_second.so";

std::unique_ptr<Engine> EngineWith(std::vector<std::string> libraries,
                                   bool search_process_symbols = true, Mode mode = Mode::kLazy) {
  EngineOptions options;
  options.mode = mode;
  options.shared_libraries = std::move(libraries);
  options.search_process_symbols = search_process_symbols;
  return Engine::Create(std::move(options)).value();
}

// What the function `name` returns if a module calls it that does not define it, or why it cannot
// be called.
absl::StatusOr<int> Call(Engine& engine, absl::string_view name) {
  static int modules = 0;
  const std::string caller = absl::StrCat("call_", name, "_", ++modules);
  const absl::StatusOr<ModuleId> added =
      engine.AddAssembly(absl::StrCat("declare i32 @", name, "()\ndefine i32 @", caller,
                                      "() {\n  %r = call i32 @", name, "()\n  ret i32 %r\n}\n"),
                         caller);
  if (!added.ok()) return added.status();
  const absl::string_view names[] = {caller};
  const absl::Status prepared = engine.Prepare(names);
  if (!prepared.ok()) return prepared;
  return engine.Lookup<int()>(caller).value()();
}

TEST(SharedLibrariesTest, ComeInTheirOrder) {
  const auto engine = EngineWith({kFirst, kSecond});
  EXPECT_EQ(Call(*engine, "given_first").value(), 1);
  EXPECT_EQ(Call(*engine, "given_second").value(), 2);
  EXPECT_EQ(Call(*engine, "given_by_both").value(), 1);
  EXPECT_EQ(Call(*EngineWith({kSecond, kFirst}), "given_by_both").value(), 2);
}

TEST(SharedLibrariesTest, ComeBeforeTheProcess) {
  EXPECT_EQ(Call(*EngineWith({}), "defined_by_all").value(), 3);
  const auto engine = EngineWith({kSecond});
  EXPECT_EQ(Call(*engine, "defined_by_all").value(), 2);
  EXPECT_EQ(Call(*engine, "replaced_by_host").value(), 2);
  EXPECT_EQ(Call(*engine, "only_of_host").value(), 3);
  EXPECT_EQ(Call(*EngineWith({kFirst}), "rand").value(), 1);
}

TEST(SharedLibrariesTest, ComeBehindTheProgram) {
  for (const Mode mode : {Mode::kLazy, Mode::kEager}) {
    const auto engine = EngineWith({kFirst}, true, mode);
    ASSERT_THAT(engine->AddAssembly("define i32 @given_first() { ret i32 4 }", "own"), IsOk());
    EXPECT_EQ(Call(*engine, "given_first").value(), 4);
    EXPECT_EQ(Call(*engine, "given_by_both").value(), 1);
  }
}

// As if the process's came first: a static linker takes the first definition that it finds, too.
TEST(SharedLibrariesTest, ReplaceWeakDefinitions) {
  const auto engine = EngineWith({kFirst});
  ASSERT_THAT(engine->AddAssembly("define weak i32 @given_first() { ret i32 4 }", "own"), IsOk());
  EXPECT_EQ(Call(*engine, "given_first").value(), 1);
}

TEST(SharedLibrariesTest, TheirThreadLocalVariablesAreFound) {
  const auto engine = EngineWith({kFirst});
  ASSERT_THAT(engine->AddAssembly(R"(
    @given_thread_local = external thread_local global i32
    define i32 @read() {
      %p = call ptr @llvm.threadlocal.address.p0(ptr @given_thread_local)
      %r = load i32, ptr %p
      ret i32 %r
    })",
                                  "reader"),
              IsOk());
  EXPECT_EQ(engine->Lookup<int()>("read").value()(), 1);
}

// What the process was started with stays the process's, be it what a library needs, or is.
TEST(SharedLibrariesTest, WhatTheyNeedIsTheProcesss) {
  const auto engine = EngineWith({kFirst, "libc.so.6"});
  EXPECT_EQ(Call(*engine, "defined_by_all").value(), 1);
  ASSERT_THAT(engine->AddAssembly("declare i32 @abs(i32)\ndefine ptr @address() { ret ptr @abs }\n",
                                  "address"),
              IsOk());
  EXPECT_EQ(engine->Lookup<void*()>("address").value()(), dlsym(RTLD_DEFAULT, "abs"));
}

TEST(SharedLibrariesTest, AreFoundIfTheProcessIsNotSearched) {
  const auto engine = EngineWith({kSecond}, /*search_process_symbols=*/false);
  EXPECT_EQ(Call(*engine, "given_second").value(), 2);
  EXPECT_THAT(Call(*engine, "only_of_host"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("Symbols not found")));
  // Of the C library, which the given one needs.
  EXPECT_THAT(Call(*engine, "getpid"), StatusIs(absl::StatusCode::kNotFound));
}

TEST(SharedLibrariesTest, OneThatCannotBeLoadedIsAnError) {
  EngineOptions options;
  options.shared_libraries = {kFirst, "/no/such/library.so"};
  EXPECT_THAT(Engine::Create(std::move(options)),
              StatusIs(absl::StatusCode::kNotFound,
                       AllOf(HasSubstr("loading library '/no/such/library.so': "),
                             HasSubstr("No such file or directory"))));
}

// --- dlsym of compiled code ---

constexpr char kFinder[] = R"(
  declare ptr @dlsym(ptr, ptr)
  define ptr @find(ptr %name) {
    %r = call ptr @dlsym(ptr null, ptr %name)
    ret ptr %r
  }
  define ptr @next(ptr %name) {
    %r = call ptr @dlsym(ptr inttoptr (i64 -1 to ptr), ptr %name)
    ret ptr %r
  })";

using Find = void*(const char* name);

TEST(DynamicSymbolsTest, CompileNoFunction) {
  const auto engine = EngineWith({});
  ASSERT_THAT(engine->AddAssembly(kFinder, "finder"), IsOk());
  ASSERT_THAT(engine->AddAssembly(R"(
    @number = global i32 7
    define i32 @square(i32 %x) {
      %r = mul i32 %x, %x
      ret i32 %r
    })",
                                  "defines"),
              IsOk());
  Find* const find = engine->Lookup<Find>("find").value();
  void* const square = find("square");
  EXPECT_EQ(square, engine->LookupAddress("square").value());
  EXPECT_EQ(find("number"), engine->LookupAddress("number").value());
  EXPECT_EQ(engine->stats().functions_compiled, 1u);  // `find` itself.
  ASSERT_NE(square, nullptr);
  EXPECT_EQ(reinterpret_cast<int (*)(int)>(square)(5), 25);
  EXPECT_EQ(engine->stats().functions_compiled, 2u);
}

TEST(DynamicSymbolsTest, ComeInTheOrderOfReferences) {
  const auto engine = EngineWith({kSecond});
  ASSERT_THAT(engine->AddAssembly(kFinder, "finder"), IsOk());
  ASSERT_THAT(engine->AddAssembly("define i32 @defined_by_all() { ret i32 4 }", "own"), IsOk());
  Find* const find = engine->Lookup<Find>("find").value();
  Find* const next = engine->Lookup<Find>("next").value();
  const auto call = [](void* function) { return reinterpret_cast<int (*)()>(function)(); };
  EXPECT_EQ(call(find("defined_by_all")), 4);
  EXPECT_EQ(call(next("defined_by_all")), 2);
  EXPECT_EQ(call(find("replaced_by_host")), 2);
  EXPECT_EQ(call(find("only_of_host")), 3);
  EXPECT_EQ(find("nobody_defines_this"), nullptr);
  EXPECT_EQ(next("nobody_defines_this"), nullptr);
}

TEST(DynamicSymbolsTest, OfARemovedModuleAreGone) {
  const auto engine = EngineWith({});
  ASSERT_THAT(engine->AddAssembly(kFinder, "finder"), IsOk());
  const ModuleId own =
      engine->AddAssembly("define i32 @only_of_module() { ret i32 4 }", "own").value();
  Find* const find = engine->Lookup<Find>("find").value();
  EXPECT_NE(find("only_of_module"), nullptr);
  ASSERT_THAT(engine->Remove(own), IsOk());
  EXPECT_EQ(find("only_of_module"), nullptr);
}

TEST(DynamicSymbolsTest, OfDetachedCodeAreTheProcesss) {
  auto engine = EngineWith({});
  ASSERT_THAT(engine->AddAssembly("define i32 @only_of_module() { ret i32 4 }", "own"), IsOk());
  const ModuleId finder = engine->AddAssembly(kFinder, "finder").value();
  const std::unique_ptr<DetachedCode> code = engine->Detach(finder).value();
  Find* const find = code->Lookup<Find>("find").value();
  EXPECT_EQ(find("only_of_module"), nullptr);
  engine = nullptr;
  EXPECT_EQ(find("only_of_module"), nullptr);
  EXPECT_NE(find("only_of_host"), nullptr);
}

TEST(DynamicSymbolsTest, OfALibraryComeFirstForIt) {
  const auto engine = EngineWith({});
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(kFinder), "finder", "plugin"), IsOk());
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode("@both = global i32 1"), "main"), IsOk());
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(R"(
    @both = global i32 2
    declare ptr @find(ptr)
    @name = constant [5 x i8] c"both\00"
    define ptr @find_both() {
      %r = call ptr @find(ptr @name)
      ret ptr %r
    })"),
                                 "plugin", "plugin"),
              IsOk());
  ASSERT_THAT(engine->AddAssembly("declare ptr @find_both()\ndefine ptr @ask() {\n"
                                  "  %r = call ptr @find_both()\n  ret ptr %r\n}\n",
                                  "asks"),
              IsOk());
  void* const found = engine->Lookup<void*()>("ask").value()();
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(*static_cast<int*>(found), 2);
}

}  // namespace
}  // namespace firstcall
