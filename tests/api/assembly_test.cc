// Symbols that assembly, the code generator or a static linker defines, and not the IR: what refers
// to them finds them, or is told why not.

#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/api/memory_cache.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::HasSubstr;

class AssemblyTest : public testing::TestWithParam<Mode> {
 protected:
  void SetUp() override { engine_ = MakeEngine(); }

  std::unique_ptr<Engine> MakeEngine(std::shared_ptr<ObjectCache> cache = nullptr) {
    EngineOptions options;
    options.mode = GetParam();
    options.object_cache = std::move(cache);
    return Engine::Create(options).value();
  }

  bool IsLazy() const { return GetParam() == Mode::kLazy; }

  // Adds a module, and returns why `function` of it cannot be compiled and linked.
  absl::Status Link(absl::string_view text, absl::string_view function) {
    absl::Status status = engine_->AddBitcode(ParseToBitcode(text), "program").status();
    if (status.ok()) status = engine_->Prepare({function});
    return status.ok() ? engine_->Lookup<int64_t()>(function).status() : status;
  }

  int64_t Call(absl::string_view function) {
    const absl::StatusOr<int64_t (*)()> found = engine_->Lookup<int64_t()>(function);
    EXPECT_THAT(found, IsOk());
    return found.ok() ? (*found)() : -1;
  }

  std::unique_ptr<Engine> engine_;
};

INSTANTIATE_TEST_SUITE_P(Modes, AssemblyTest, testing::Values(Mode::kLazy, Mode::kEager),
                         [](const auto& mode) {
                           return mode.param == Mode::kLazy ? "Lazy" : "Eager";
                         });

TEST_P(AssemblyTest, VersionThatTheProcessLacksIsNamed) {
  EXPECT_THAT(
      Link(R"(
    module asm ".symver old_puts, puts@NO_SUCH_VERSION"
    declare i32 @old_puts(ptr)
    define i64 @f() {
      %there = ptrtoint ptr @old_puts to i64
      ret i64 %there
    })",
           "f"),
      StatusIs(absl::StatusCode::kNotFound,
               IsLazy() ? HasSubstr("Symbols not found: [ old_puts ]; 'old_puts' is needed by "
                                    "'f'; 'old_puts' stands for 'puts@NO_SUCH_VERSION'")
                        : HasSubstr("Symbols not found: [ puts@NO_SUCH_VERSION ]")));
}

TEST_P(AssemblyTest, BoundsOfSegmentsOfTheProcessAreNotThoseOfTheProgram) {
  for (absl::string_view name : {"end", "_end", "edata", "_edata", "etext", "__bss_start"}) {
    engine_ = MakeEngine();
    EXPECT_THAT(Link(absl::StrCat("@", name, R"( = external global i8
                                 define i64 @f() {
                                   %there = ptrtoint ptr @)",
                                  name, R"( to i64
                                   ret i64 %there
                                 })"),
                     "f"),
                StatusIs(absl::StatusCode::kNotFound,
                         HasSubstr(absl::StrCat("'", name,
                                                "' is a bound of an executable's segments, which "
                                                "compiled code does not have"))));
  }
}

TEST_P(AssemblyTest, WeakReferencesToBoundsOfSegmentsAreNull) {
  ASSERT_THAT(engine_->AddAssembly(R"(
    @_end = extern_weak global i8
    define i64 @f() {
      %there = ptrtoint ptr @_end to i64
      ret i64 %there
    })",
                                   "program"),
              IsOk());
  EXPECT_EQ(Call("f"), 0);
}

TEST_P(AssemblyTest, ProgramMayDefineWhatIsNamedLikeBoundsOfSegments) {
  ASSERT_THAT(engine_->AddAssembly("@_end = global i64 5", "definition"), IsOk());
  ASSERT_THAT(engine_->AddAssembly(R"(
    @_end = external global i64
    define i64 @f() {
      %value = load i64, ptr @_end
      ret i64 %value
    })",
                                   "program"),
              IsOk());
  EXPECT_EQ(Call("f"), 5);
}

// As a runtime library of OCaml reads it: the number of frames, then the first frame's function.
TEST_P(AssemblyTest, TableOfFramesIsThatOfTheWholeModule) {
  ASSERT_THAT(engine_->AddAssembly("define i64 @called() { ret i64 3 }", "called"), IsOk());
  const absl::Status status = Link(R"(
    @camlProgram__frametable = external global i16
    declare void @llvm.gcroot(ptr, ptr)
    declare i64 @called()
    define i64 @f() gc "ocaml" {
      %root = alloca ptr
      call void @llvm.gcroot(ptr %root, ptr null)
      store ptr null, ptr %root
      %result = call i64 @called()
      ret i64 %result
    }
    define i64 @g() gc "ocaml" {
      %root = alloca ptr
      call void @llvm.gcroot(ptr %root, ptr null)
      store ptr null, ptr %root
      %result = call i64 @called()
      ret i64 %result
    }
    define i64 @count() {
      %count = load i16, ptr @camlProgram__frametable
      %result = zext i16 %count to i64
      ret i64 %result
    }
    define i64 @main() {
      ret i64 7
    })",
                                   "main");
  ASSERT_THAT(status, IsOk());
  EXPECT_EQ(Call("f"), 3);
  if (!IsLazy()) {
    EXPECT_EQ(Call("count"), 2);
    return;
  }
  EXPECT_THAT(engine_->Prepare({"count"}),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("symbol 'camlProgram__frametable': each function has a table of "
                                 "its own for the garbage collector; in eager mode there is one "
                                 "for the module")));
}

TEST_P(AssemblyTest, UnknownCollectorIsAnError) {
  EXPECT_THAT(Link("define i64 @f() gc \"nobody-knows\" { ret i64 1 }", "f"),
              StatusIs(absl::StatusCode::kInternal, HasSubstr("unsupported GC: nobody-knows")));
}

// LLVM would crash.
TEST_P(AssemblyTest, CollectorOfErlangIsRefusedInMachO) {
  EngineOptions options;
  options.mode = GetParam();
#if defined(__aarch64__)
  options.triple = "aarch64-unknown-linux-gnu-macho";
#else
  options.triple = "x86_64-unknown-linux-gnu-macho";
#endif
  engine_ = Engine::Create(options).value();
  EXPECT_THAT(Link("define i64 @f() gc \"erlang\" { ret i64 1 }", "f"),
              StatusIs(absl::StatusCode::kUnimplemented,
                       HasSubstr("function 'f': the garbage collector of Erlang in Mach-O")));
}

// Two functions whose labels are in one table; each function needs the table.
constexpr absl::string_view kLabels = R"(
  @first_place = external global i8
  @second_place = external global i8
  @places = internal global [2 x ptr] [ptr @first_place, ptr @second_place]
  define i64 @first() noinline {
    call void asm sideeffect "first_place: nop", ""()
    %place = load ptr, ptr @places
    %result = ptrtoint ptr %place to i64
    ret i64 %result
  }
  define i64 @second() noinline {
    call void asm sideeffect ".globl second_place\0Asecond_place: nop", ""()
    %slot = getelementptr ptr, ptr @places, i64 1
    %place = load ptr, ptr %slot
    %result = ptrtoint ptr %place to i64
    ret i64 %result
  })";

TEST_P(AssemblyTest, ThreadsThatNeedEachOthersLabelsDoNotWaitForEachOther) {
  for (int round = 0; round < 20; ++round) {
    engine_ = MakeEngine();
    ASSERT_THAT(engine_->AddBitcode(ParseToBitcode(kLabels), "labels").status(), IsOk());
    std::vector<int64_t> results(2);
    std::thread other([&] { results[1] = Call("second"); });
    results[0] = Call("first");
    other.join();
    EXPECT_NE(results[0], 0);
    EXPECT_NE(results[1], 0);
    EXPECT_NE(results[0], results[1]);
    EXPECT_EQ(results[0], Call("first"));
  }
}

TEST_P(AssemblyTest, SecondStartKnowsWhichFunctionDefinesALabel) {
  const auto cache = std::make_shared<MemoryCache>();
  for (int start = 0; start < 2; ++start) {
    engine_ = MakeEngine(cache);
    ASSERT_THAT(engine_->AddBitcode(ParseToBitcode(kLabels), "labels").status(), IsOk());
    EXPECT_NE(Call("second"), 0);
    const Stats stats = engine_->stats();
    if (start == 1) {
      EXPECT_EQ(stats.objects_cached, stats.objects_linked) << stats.ToString();
    }
    EXPECT_EQ(cache->Objects("labels\n").size(), IsLazy() ? 1u : 0u);
  }
}

TEST_P(AssemblyTest, LabelThatNoFunctionDefinesIsMissing) {
  EXPECT_THAT(Link(R"(
    @nowhere = external global i8
    define i64 @f() {
      call void asm sideeffect "somewhere: nop", ""()
      %there = ptrtoint ptr @nowhere to i64
      ret i64 %there
    })",
                   "f"),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("Symbols not found: [ nowhere ]")));
}

}  // namespace
}  // namespace firstcall
