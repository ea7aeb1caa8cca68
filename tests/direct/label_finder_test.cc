#include "direct/label_finder.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "bitcode/module.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/direct/read_both_ways.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr char kFunctions[] = R"(
  define void @f(ptr %p) {
    indirectbr ptr %p, [ label %a, label %b ]
  a:
    ret void
  b:
    ret void
  }
  define void @g() {
    br label %a
  a:
    ret void
  })";

TEST(LabelFinderTest, FindsWhoseLabelsAConstantConsistsOf) {
  ReadBothWays read(std::string(kFunctions) + R"(
    @none = constant [2 x ptr] [ptr @f, ptr @both]
    @one = constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
    @both = constant { ptr, [2 x ptr] } { ptr blockaddress(@g, %a), [2 x ptr] [
      ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)] }
    @distance = constant i64 sub (i64 ptrtoint (ptr blockaddress(@f, %a) to i64),
                                  i64 ptrtoint (ptr blockaddress(@f, %b) to i64))
    @outside = external global ptr)");
  ASSERT_TRUE(read.ok());
  LabelFinder finder(read.module());
  // Twice, because the second search may rely on the first one.
  for (int i = 0; i < 2; ++i) {
    const auto owners = [&](absl::string_view variable) {
      std::vector<std::string> names;
      const ir::Global& global = read.module().globals()[read.NumberOf(variable)];
      for (uint32_t owner : finder.OwnersIn(global.initializer)) {
        names.push_back(read.NameOf(owner));
      }
      return names;
    };
    EXPECT_THAT(owners("none"), IsEmpty());
    EXPECT_THAT(owners("outside"), IsEmpty());
    EXPECT_THAT(owners("one"), UnorderedElementsAre("f"));
    EXPECT_THAT(owners("both"), UnorderedElementsAre("f", "g"));
    EXPECT_THAT(owners("distance"), UnorderedElementsAre("f"));
  }
}

absl::Status Check(absl::string_view text) {
  const std::string bytes = ParseToBitcode(text);
  const auto module = bitcode::BitcodeModule::Read(
      absl::MakeSpan(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()));
  EXPECT_THAT(module, IsOk());
  return module.ok() ? CheckOwnersOfLabels(**module) : module.status();
}

TEST(LabelFinderTest, FunctionsThatShareNoLabelsAreInOrder) {
  EXPECT_THAT(Check("define void @f() { ret void }"), IsOk());
  EXPECT_THAT(Check(R"(
    @table = internal constant [1 x ptr] [ptr blockaddress(@f, %a)]
    define ptr @f(ptr %p) {
      %x = icmp eq ptr %p, blockaddress(@f, %b)
      br i1 %x, label %a, label %b
    a:
      %l = load ptr, ptr @table
      ret ptr %l
    b:
      ret ptr getelementptr (i8, ptr @table, i64 8)
    }
    define ptr @reader() {
      %l = load ptr, ptr @table
      ret ptr %l
    })"),
              IsOk());
}

TEST(LabelFinderTest, LabelsOfSeveralFunctionsAreRefusedIfSomeAreInData) {
  const auto is_refused = StatusIs(absl::StatusCode::kUnimplemented,
                                   HasSubstr("'f': labels that are in data and in several"));
  EXPECT_THAT(Check(std::string(kFunctions) + R"(
    @table = internal constant [1 x ptr] [ptr blockaddress(@f, %a)]
    define ptr @other() {
      ret ptr blockaddress(@f, %b)
    })"),
              is_refused);
  EXPECT_THAT(Check(R"(
    @table = internal constant [1 x ptr] [ptr blockaddress(@f, %a)]
    define ptr @f() {
      br label %a
    a:
      ret ptr blockaddress(@other, %b)
    }
    define void @other() {
      br label %b
    b:
      ret void
    })"),
              is_refused);
  // Not in data: each function says so itself.
  EXPECT_THAT(Check(std::string(kFunctions) + R"(
    define ptr @other() {
      ret ptr blockaddress(@f, %b)
    })"),
              IsOk());
}

}  // namespace
}  // namespace firstcall::direct
