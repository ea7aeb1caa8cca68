#include "direct/osr/labels.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "direct/osr/user_lists.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "splitter/osr/labels.h"
#include "tests/direct/osr/comparing.h"

namespace firstcall::direct {
namespace {

using ::testing::ElementsAre;
using Place = Labels::Place;

// Where the labels of @f are: as splitter/osr says, too, unless that is unknown.
Place PlaceOf(absl::string_view text) {
  ComparedFunction function(text);
  if (!function.is_valid()) return Place::kUnknown;
  UserLists users;
  users.Begin(function.body());
  Labels labels;
  labels.Find(function.body(), users);
  const firstcall::Labels expected = FindLabels(function.source());
  if (labels.place() != Place::kUnknown) {
    EXPECT_EQ(labels.place() == Place::kInside, expected.stay_inside) << text;
  }
  return labels.place();
}

// A function with the labels %a and %b, and `code` in its first block.
std::string WithLabels(absl::string_view code, absl::string_view globals = "") {
  return absl::StrCat(globals, R"(
    declare void @use(ptr)
    define void @f(ptr %p, i1 %c, i32 %n) {
    entry:
      )",
                      code, R"(
      br label %loop
    loop:
      br i1 %c, label %a, label %b
    a:
      br label %loop
    b:
      ret void
    })");
}

constexpr char kTable[] =
    "@table = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]\n";

TEST(LabelsTest, AFunctionWithoutLabelsKeepsThem) {
  EXPECT_EQ(PlaceOf(WithLabels("store ptr null, ptr %p")), Place::kInside);
}

TEST(LabelsTest, LabelsThatAreComparedChosenAndStoredInVariablesStayInside) {
  EXPECT_EQ(PlaceOf(WithLabels("%x = icmp eq ptr %p, blockaddress(@f, %a)")), Place::kInside);
  EXPECT_EQ(PlaceOf(WithLabels(R"(
      %v = alloca ptr
      %x = select i1 %c, ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)
      store ptr %x, ptr %v
      %l = load ptr, ptr %v
      %y = icmp eq ptr %l, %p)")),
            Place::kInside);
}

TEST(LabelsTest, LabelsEscape) {
  for (absl::string_view code :
       {"store ptr blockaddress(@f, %a), ptr %p", "call void @use(ptr blockaddress(@f, %a))",
        "%x = ptrtoint ptr blockaddress(@f, %a) to i64",
        "%x = add i64 1, ptrtoint (ptr blockaddress(@f, %a) to i64)",
        "%v = alloca ptr\n call void @use(ptr %v)\n store ptr blockaddress(@f, %a), ptr %v",
        "%v = alloca ptr\n store ptr blockaddress(@f, %a), ptr %v\n %l = load ptr, ptr %v\n"
        "call void @use(ptr %l)"}) {
    EXPECT_EQ(PlaceOf(WithLabels(code)), Place::kEscape) << code;
  }
  EXPECT_EQ(PlaceOf(WithLabels("", R"(
      define ptr @other() {
        ret ptr blockaddress(@f, %a)
      })")),
            Place::kEscape);
}

TEST(LabelsTest, TablesThatOnlyTheFunctionReadsStayInside) {
  EXPECT_EQ(PlaceOf(WithLabels(R"(
      %e = getelementptr [2 x ptr], ptr @table, i32 0, i32 %n
      %l = load ptr, ptr %e
      %x = icmp eq ptr %l, %p)",
                               kTable)),
            Place::kInside);
  EXPECT_EQ(PlaceOf(WithLabels("%l = load ptr, ptr getelementptr (i8, ptr @table, i64 8)\n"
                               "%x = icmp eq ptr %l, %p",
                               kTable)),
            Place::kInside);
  EXPECT_EQ(PlaceOf(WithLabels("", kTable)), Place::kInside);
}

TEST(LabelsTest, TablesThatOthersMayReadDoNot) {
  EXPECT_EQ(PlaceOf(WithLabels("call void @use(ptr @table)", kTable)), Place::kEscape);
  EXPECT_EQ(PlaceOf(WithLabels("%l = load ptr, ptr @table\n store ptr %l, ptr %p", kTable)),
            Place::kEscape);
  EXPECT_EQ(PlaceOf(WithLabels("", absl::StrCat(kTable, R"(
      define ptr @other() {
        %l = load ptr, ptr @table
        ret ptr %l
      })"))),
            Place::kEscape);
  EXPECT_EQ(PlaceOf(WithLabels("", "@table = constant [1 x ptr] [ptr blockaddress(@f, %a)]")),
            Place::kEscape);
  EXPECT_EQ(
      PlaceOf(WithLabels("", "@table = internal global [1 x ptr] [ptr blockaddress(@f, %a)]")),
      Place::kEscape);
  EXPECT_EQ(PlaceOf(WithLabels("",
                               "@distance = internal constant i64 sub (i64 ptrtoint (ptr "
                               "blockaddress(@f, %a) to i64), i64 ptrtoint (ptr "
                               "blockaddress(@f, %b) to i64))")),
            Place::kEscape);
}

TEST(LabelsTest, WhoReadsAnotherTableIsNotKnown) {
  EXPECT_EQ(PlaceOf(WithLabels("%l = load ptr, ptr @one\n %x = icmp eq ptr %l, %p",
                               "@one = internal constant ptr blockaddress(@f, %a)")),
            Place::kUnknown);
}

constexpr char kInterpreter[] = R"(
  @table = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
  define void @f(ptr %p) {
  entry:
    %first = load ptr, ptr @table
    br label %next
  next:
    %label = phi ptr [ %first, %entry ], [ %l, %a ]
    indirectbr ptr %label, [ label %b, label %a, label %a ]
  a:
    %n = load i32, ptr %p
    %e = getelementptr [2 x ptr], ptr @table, i32 0, i32 %n
    %l = load ptr, ptr %e
    br label %next
  b:
    ret void
  })";

TEST(LabelsTest, ALiveLabelIsPassedAsANumber) {
  ComparedFunction function(kInterpreter);
  ASSERT_TRUE(function.is_valid());
  EXPECT_THAT(function.Entries(), ElementsAre("next: p label label"));
  EXPECT_EQ(function.Entries(), function.EntriesOfLlvm());
  EXPECT_EQ(CountIndirectTargets(function.body()), 2u);
}

}  // namespace
}  // namespace firstcall::direct
