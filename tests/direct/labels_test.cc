#include "direct/labels.h"

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "direct/user_lists.h"
#include "gtest/gtest.h"
#include "ir/from_llvm/llvm_reader.h"
#include "ir/function.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "splitter/osr/labels.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

using Place = Labels::Place;

// Where the labels of @f are: as splitter/osr says, too, unless that is unknown.
Place PlaceOf(absl::string_view text) {
  llvm::LLVMContext context;
  const std::unique_ptr<llvm::Module> module = ParseModule(text, context);
  if (module == nullptr) return Place::kUnknown;
  ir::LlvmReader reader;
  ir::Function body;
  EXPECT_THAT(reader.Begin(*module), IsOk());
  EXPECT_THAT(reader.Read(*module->getFunction("f"), body), IsOk());
  UserLists users;
  users.Begin(body);
  Labels labels;
  labels.Find(body, users);
  const firstcall::Labels expected = FindLabels(*module->getFunction("f"));
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
  EXPECT_EQ(PlaceOf(WithLabels("%x = icmp eq ptr null, blockaddress(@f, %a)")), Place::kInside);
  EXPECT_EQ(PlaceOf(WithLabels(R"(
      %v = alloca ptr
      %x = select i1 %c, ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)
      store ptr %x, ptr %v
      store ptr undef, ptr %v
      %l = load ptr, ptr %v
      %y = icmp eq ptr %l, blockaddress(@f, %a))")),
            Place::kInside);
}

TEST(LabelsTest, LabelsEscape) {
  for (absl::string_view code :
       {"store ptr blockaddress(@f, %a), ptr %p", "call void @use(ptr blockaddress(@f, %a))",
        "%x = ptrtoint ptr blockaddress(@f, %a) to i64",
        "%x = add i64 1, ptrtoint (ptr blockaddress(@f, %a) to i64)",
        "%v = alloca ptr\n call void @use(ptr %v)\n store ptr blockaddress(@f, %a), ptr %v",
        "%v = alloca ptr\n store ptr blockaddress(@f, %a), ptr %v\n %l = load ptr, ptr %v\n"
        "call void @use(ptr %l)",
        "%x = icmp eq ptr %p, blockaddress(@f, %a)",
        "%x = select i1 %c, ptr %p, ptr blockaddress(@f, %a)",
        "%v = alloca ptr\n store ptr blockaddress(@f, %a), ptr %v\n store ptr %p, ptr %v"}) {
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
      %x = icmp eq ptr %l, null)",
                               kTable)),
            Place::kInside);
  EXPECT_EQ(PlaceOf(WithLabels("%l = load ptr, ptr getelementptr (i8, ptr @table, i64 8)\n"
                               "%x = icmp eq ptr %l, blockaddress(@f, %b)",
                               kTable)),
            Place::kInside);
  EXPECT_EQ(PlaceOf(WithLabels("", kTable)), Place::kInside);
}

TEST(LabelsTest, OthersMayReadTables) {
  for (absl::string_view others :
       {"define ptr @other() { %l = load ptr, ptr @table ret ptr %l }",
        "define void @other() { call void @use(ptr @table) ret void }",
        "@of_tables = constant [1 x ptr] [ptr @table]",
        "@distance = constant i64 ptrtoint (ptr getelementptr (i8, ptr @table, i64 8) to i64)"}) {
    EXPECT_EQ(PlaceOf(WithLabels("%l = load ptr, ptr @table\n %x = icmp eq ptr %l, null",
                                 absl::StrCat(kTable, others))),
              Place::kInside)
        << others;
  }
}

TEST(LabelsTest, TablesWhoseAddressIsUsedOtherwiseAreNone) {
  EXPECT_EQ(PlaceOf(WithLabels("call void @use(ptr @table)", kTable)), Place::kEscape);
  EXPECT_EQ(PlaceOf(WithLabels("%l = load ptr, ptr @table\n store ptr %l, ptr %p", kTable)),
            Place::kEscape);
  EXPECT_EQ(PlaceOf(WithLabels("%x = extractvalue [1 x ptr] [ptr @table], 0", kTable)),
            Place::kEscape);
  EXPECT_EQ(PlaceOf(WithLabels("%x = add i64 1, ptrtoint (ptr @table to i64)", kTable)),
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

TEST(LabelsTest, AConstantMayBeATable) {
  EXPECT_EQ(PlaceOf(WithLabels("%l = load ptr, ptr @one\n %x = icmp eq ptr %l, null",
                               "@one = internal constant ptr blockaddress(@f, %a)")),
            Place::kInside);
  EXPECT_EQ(PlaceOf(WithLabels("%l = load ptr, ptr @one\n %x = icmp eq ptr %l, null", R"(
      @one = internal constant { ptr, [2 x ptr] } { ptr null, [2 x ptr] [
        ptr blockaddress(@f, %a), ptr @f] })")),
            Place::kInside);
}

TEST(LabelsTest, LabelsBesideTheAddressOfATableAreNotKnown) {
  EXPECT_EQ(PlaceOf(WithLabels("", absl::StrCat(kTable, R"(
      @both = internal constant [2 x ptr] [ptr @table, ptr blockaddress(@f, %a)])"))),
            Place::kUnknown);
}

TEST(LabelsTest, BranchesToWhatComesFromElsewhereMakeLabelsEscape) {
  EXPECT_EQ(PlaceOf(absl::StrCat(kTable, R"(
      declare ptr @other()
      define void @f(ptr %p) {
        %l = call ptr @other()
        indirectbr ptr %l, [ label %a, label %b ]
      a:
        ret void
      b:
        ret void
      })")),
            Place::kEscape);
}

// Uses of labels and of other addresses at random.
std::string RandomUses(uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](uint32_t bound) { return static_cast<uint32_t>(random() % bound); };
  std::vector<std::string> values = {"blockaddress(@f, %a)", "blockaddress(@f, %b)", "null"};
  if (below(4) == 0) values.push_back("%p");
  const auto any = [&] { return absl::StrCat("ptr ", values[below(values.size())]); };
  std::string code = "%v = alloca ptr\n %w = alloca ptr\n";
  for (uint32_t i = 0; i < 8; ++i) {
    const std::string result = absl::StrCat("%r", i);
    const char* const variable = below(2) == 0 ? "ptr %v" : "ptr %w";
    switch (below(8)) {
      case 0:
        absl::StrAppend(&code, result, " = select i1 %c, ", any(), ", ", any(), "\n");
        values.push_back(result);
        break;
      case 1:
        absl::StrAppend(&code, "store ", any(), ", ", variable, "\n");
        break;
      case 2:
        absl::StrAppend(&code, result, " = load ptr, ", variable, "\n");
        values.push_back(result);
        break;
      case 3:
        absl::StrAppend(&code, result, " = icmp eq ", any(), ", ", values[below(values.size())],
                        "\n");
        break;
      case 4:
        absl::StrAppend(&code, result, "p = getelementptr ptr, ptr @table, i32 %n\n", result,
                        " = load ptr, ptr ", result, "p\n");
        values.push_back(result);
        break;
      case 5:
        absl::StrAppend(&code, result, " = load ptr, ptr @table\n");
        values.push_back(result);
        break;
      case 6:
        if (below(8) == 0) absl::StrAppend(&code, "call void @use(", any(), ")\n");
        break;
      default:
        if (below(8) != 0) break;
        absl::StrAppend(&code, result, " = load ptr, ptr %p\n");
        values.push_back(result);
    }
  }
  absl::StrAppend(&code, R"(br label %head
      head:
        %t = phi ptr [ )",
                  values[below(values.size())], ", %entry ], [ ", values[below(values.size())],
                  ", %a ]\n indirectbr ", below(2) == 0 ? "ptr %t" : any(),
                  ", [ label %a, label %b ]\n");
  return absl::StrCat(kTable, R"(
      declare void @use(ptr)
      define void @f(ptr %p, i1 %c, i32 %n) {
      entry:
        )",
                      code, R"(
      a:
        br label %head
      b:
        ret void
      })");
}

TEST(LabelsTest, RandomUsesAreJudgedAsTheSplitterDoes) {
  uint32_t inside = 0;
  for (uint32_t seed = 1; seed <= 400; ++seed) {
    const std::string text = RandomUses(seed);
    const Place place = PlaceOf(text);
    ASSERT_NE(place, Place::kUnknown) << text;
    if (place == Place::kInside) ++inside;
  }
  EXPECT_GT(inside, 50u);
  EXPECT_LT(inside, 350u);
}

}  // namespace
}  // namespace firstcall::direct
