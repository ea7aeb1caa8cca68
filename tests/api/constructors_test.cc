// Constructors that fail, throw, detach, or are run by several threads.

#include <atomic>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/object.h"
#include "tests/testing/status_matchers.h"

namespace firstcall {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Run by compiled code.
std::function<void(int)> on_constructor;
extern "C" void firstcall_test_constructor(int value) { on_constructor(value); }

class ConstructorsTest : public ::testing::Test {
 protected:
  ConstructorsTest() {
    on_constructor = [this](int value) { ran_.push_back(value); };
  }
  ~ConstructorsTest() override {
    engine_ = nullptr;
    on_constructor = [](int) {};
  }

  // A module with one constructor and one destructor, which report `value` and its negative. The
  // constructor calls `callee` first, if that is not empty.
  ModuleId Add(int value, absl::string_view callee = "") {
    std::string text = absl::StrCat(R"(
      declare void @firstcall_test_constructor(i32)
      @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [
        { i32, ptr, ptr } { i32 65535, ptr @begin, ptr null }]
      @llvm.global_dtors = appending global [1 x { i32, ptr, ptr }] [
        { i32, ptr, ptr } { i32 65535, ptr @end, ptr null }]
      define internal void @end() { call void @firstcall_test_constructor(i32 )",
                                    -value, R"() ret void }
      define internal void @begin() uwtable {)");
    if (!callee.empty()) absl::StrAppend(&text, " call void @", callee, "()\n");
    absl::StrAppend(&text, " call void @firstcall_test_constructor(i32 ", value, ") ret void }\n");
    if (!callee.empty()) absl::StrAppend(&text, "declare void @", callee, "()\n");
    return engine_->AddBitcode(ParseToBitcode(text), absl::StrCat("module ", value)).value();
  }

  std::vector<int> ran_;
  std::unique_ptr<Engine> engine_ = Engine::Create().value();
};

TEST_F(ConstructorsTest, TheOthersRunWhenWhatWasMissingIsThere) {
  Add(1);
  Add(2, "missing");
  Add(3);
  EXPECT_THAT(engine_->RunConstructors(),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("missing")));
  EXPECT_THAT(ran_, ElementsAre(1));
  EXPECT_THAT(engine_->RunConstructors(), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(ran_, ElementsAre(1));
  ASSERT_THAT(engine_->AddAssembly("define void @missing() { ret void }", "late"), IsOk());
  EXPECT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_THAT(ran_, ElementsAre(1, 2, 3));
  engine_ = nullptr;
  EXPECT_THAT(ran_, ElementsAre(1, 2, 3, -3, -2, -1));
}

TEST_F(ConstructorsTest, OnlyWhatHasBegunIsEnded) {
  const ModuleId bad = Add(1, "missing");
  const ModuleId good = Add(2);
  EXPECT_THAT(engine_->RunConstructors(), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(engine_->Detach(good), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(engine_->Remove(bad), IsOk());
  EXPECT_THAT(engine_->RunConstructors(), IsOk());
  engine_ = nullptr;
  EXPECT_THAT(ran_, ElementsAre(2, -2));
}

TEST_F(ConstructorsTest, OneThatThrowsHasRun) {
  Add(1);
  Add(2);
  Add(3);
  on_constructor = [&](int value) {
    ran_.push_back(value);
    if (value == 2) throw std::runtime_error("no");
  };
  EXPECT_THROW((void)engine_->RunConstructors(), std::runtime_error);
  EXPECT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_THAT(ran_, ElementsAre(1, 2, 3));
}

TEST_F(ConstructorsTest, AModuleIsNotDetachedMeanwhile) {
  const ModuleId first = Add(1);
  const ModuleId second = Add(2);
  on_constructor = [&](int value) {
    ran_.push_back(value);
    if (value != 1) return;
    EXPECT_THAT(engine_->Detach(first), StatusIs(absl::StatusCode::kFailedPrecondition));
    EXPECT_THAT(engine_->Detach(second), StatusIs(absl::StatusCode::kFailedPrecondition));
  };
  EXPECT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_THAT(ran_, ElementsAre(1, 2));
  EXPECT_THAT(engine_->Detach(second), IsOk());
}

TEST_F(ConstructorsTest, AConstructorMayAddAndConstruct) {
  Add(1);
  Add(2);
  on_constructor = [&](int value) {
    ran_.push_back(value);
    if (value != 1) return;
    Add(10);
    EXPECT_THAT(engine_->RunConstructors(), IsOk());
  };
  EXPECT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_THAT(ran_, ElementsAre(1, 10, 2));
}

TEST_F(ConstructorsTest, AnotherThreadWaitsForThem) {
  Add(1);
  std::atomic<bool> has_begun{false}, has_ended{false};
  on_constructor = [&](int value) {
    if (value != 1) return;
    has_begun = true;
    absl::SleepFor(absl::Milliseconds(20));
    has_ended = true;
  };
  std::thread first([&] { EXPECT_THAT(engine_->RunConstructors(), IsOk()); });
  while (!has_begun) std::this_thread::yield();
  EXPECT_THAT(engine_->RunConstructors(), IsOk());
  EXPECT_TRUE(has_ended);
  first.join();
}

constexpr char kWithDebugInformation[] = R"(
  define i32 @f() !dbg !3 { ret i32 1, !dbg !5 }
  !llvm.module.flags = !{!0}
  !llvm.dbg.cu = !{!1}
  !0 = !{i32 2, !"Debug Info Version", i32 3}
  !1 = distinct !DICompileUnit(language: DW_LANG_C99, file: !2, emissionKind: FullDebug)
  !2 = !DIFile(filename: "f.c", directory: "/")
  !3 = distinct !DISubprogram(name: "f", file: !2, line: 1, type: !4, unit: !1,
                              spFlags: DISPFlagDefinition)
  !4 = !DISubroutineType(types: !6)
  !5 = !DILocation(line: 1, scope: !3)
  !6 = !{})";

// As C programs do it that want a member for its constructors: the object names a symbol of the
// member, and refers to it nowhere.
TEST_F(ConstructorsTest, AMemberThatAnObjectOnlyNamesIsConstructed) {
  const std::string archive = WriteTestFile("forced.a", MakeArchive({R"(
      @forced = global i32 0
      declare void @firstcall_test_constructor(i32)
      @llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [
        { i32, ptr, ptr } { i32 65535, ptr @begin, ptr null }]
      define internal void @begin() { call void @firstcall_test_constructor(i32 7) ret void })"}));
  for (const char* const code : {"define i32 @f() { ret i32 1 }", kWithDebugInformation}) {
    ran_.clear();
    engine_ = Engine::Create().value();
    const ObjectBytes object =
        CompileToObject(absl::StrCat("module asm \".globl forced\"\n", code));
    ASSERT_THAT(engine_->AddObjectFile(
                    WriteTestFile("forces.o", absl::string_view(object.data(), object.size()))),
                IsOk());
    ASSERT_THAT(engine_->AddArchive(archive), IsOk());
    ASSERT_OK_AND_ASSIGN(int (*f)(), engine_->Lookup<int()>("f"));
    ASSERT_THAT(engine_->RunConstructors(), IsOk());
    EXPECT_THAT(ran_, ElementsAre(7));
    EXPECT_EQ(f(), 1);
  }
}

}  // namespace
}  // namespace firstcall
