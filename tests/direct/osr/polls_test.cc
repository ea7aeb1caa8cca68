// Tests poll_choice and poll_writer, with body_rewriter and poll_types: the choice, its cost and
// the machine code are those of splitter/osr/hotness_polls for the same function.

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "direct/osr/loop_entries.h"
#include "direct/osr/poll_choice.h"
#include "direct/osr/poll_types.h"
#include "direct/osr/poll_writer.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/text.h"
#include "tests/direct/osr/comparing.h"
#include "tests/testing/status_matchers.h"

namespace firstcall::direct {
namespace {

using ::testing::HasSubstr;

constexpr char kSum[] = R"(
  define i64 @f(i64 %n) {
  entry:
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %body ]
    %sum = phi i64 [ 0, %entry ], [ %sum2, %body ]
    %more = icmp slt i64 %i, %n
    br i1 %more, label %body, label %end
  body:
    %sum2 = add i64 %sum, %i
    %i2 = add i64 %i, 1
    br label %loop
  end:
    ret i64 %sum
  })";

// A header that branches to itself; phis in blocks behind headers; variables in the first block
// behind other code, some with lifetimes; results that are extended.
constexpr char kNested[] = R"(
  declare void @use(ptr)
  declare void @llvm.lifetime.start.p0(i64, ptr)
  declare void @llvm.lifetime.end.p0(i64, ptr)
  define signext i8 @f(i32 %n, float %x, i8 signext %b) {
  entry:
    %v = alloca i32
    %y = fadd float %x, 1.0
    %w = alloca [10 x i8], align 16
    call void @llvm.lifetime.start.p0(i64 10, ptr %w)
    store i32 %n, ptr %v
    br label %outer
  outer:
    %i = phi i32 [ 0, %entry ], [ %i2, %latch ]
    br label %inner
  inner:
    %j = phi i32 [ 0, %outer ], [ %j2, %inner ]
    call void @use(ptr %w)
    %l = load i32, ptr %v
    %j2 = add i32 %j, %l
    %again = icmp ult i32 %j2, %n
    br i1 %again, label %inner, label %latch
  latch:
    %k = phi i32 [ %j, %inner ]
    %i2 = add i32 %i, %k
    %more = fcmp olt float %y, 3.0
    br i1 %more, label %outer, label %end
  end:
    call void @llvm.lifetime.end.p0(i64 10, ptr %w)
    ret i8 %b
  })";

constexpr char kVoid[] = R"(
  declare void @use(ptr)
  define void @f(i1 %c, {i8, i64} %pair, double %d) {
  entry:
    br label %loop
  loop:
    call void @use(ptr null)
    br i1 %c, label %loop, label %second
  second:
    %e = phi double [ %d, %loop ], [ 1.0, %second ]
    %x = extractvalue {i8, i64} %pair, 1
    %more = icmp eq i64 %x, 3
    br i1 %more, label %second, label %end
  end:
    ret void
  })";

constexpr char kStraight[] = R"(
  define i32 @f(i32 %n) {
  entry:
    %v = alloca i32
    store i32 %n, ptr %v
    %w = alloca i32
    store i32 1, ptr %w
    %l = load i32, ptr %v
    ret i32 %l
  })";

constexpr char kInterpreter[] = R"(
  @table = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
  define void @f(ptr %p, i1 %c) {
  entry:
    br label %first
  first:
    br i1 %c, label %first, label %next
  next:
    %n = load i32, ptr %p
    %e = getelementptr [2 x ptr], ptr @table, i32 0, i32 %n
    %l = load ptr, ptr %e
    indirectbr ptr %l, [ label %a, label %b ]
  a:
    br label %next
  b:
    ret void
  })";

TEST(PollChoiceTest, ChoiceAndCostAreThoseOfTheSplitter) {
  for (absl::string_view text : {kSum, kNested, kVoid, kStraight, kInterpreter}) {
    ComparedFunction function(text);
    ASSERT_TRUE(function.is_valid());
    for (size_t allowance = 0; allowance < 60; ++allowance) {
      EXPECT_EQ(function.Choice(allowance), function.ChoiceOfLlvm(allowance)) << text << allowance;
    }
  }
}

TEST(PollChoiceTest, ComputedGotosComeFirst) {
  ComparedFunction function(kInterpreter);
  ASSERT_TRUE(function.is_valid());
  EXPECT_EQ(function.Choice(17), "1 for 15");  // The loop of %next, though %first is found first.
  ComparedFunction nested(kNested);
  EXPECT_EQ(nested.Choice(20), "1 for 20");  // The outer loop.
}

TEST(PollChoiceTest, GivesUpAfterThreeMisses) {
  std::string text = "define void @f(i1 %c) {\nentry:\n br label %l0\n";
  for (int i = 0; i < 4; ++i) {
    absl::StrAppend(&text, "l", i, ":\n");
    if (i < 3) {
      absl::StrAppend(&text, " %v", i, " = phi <vscale x 4 x i32> [ poison, %",
                      i == 0 ? "entry" : absl::StrCat("l", i - 1), " ], [ %w", i, ", %l", i,
                      " ]\n %w", i, " = add <vscale x 4 x i32> %v", i, ", %v", i, "\n");
    }
    absl::StrAppend(&text, " br i1 %c, label %l", i, ", label %",
                    i == 3 ? "end" : absl::StrCat("l", i + 1), "\n");
  }
  ComparedFunction function(absl::StrCat(text, "end:\n ret void\n}"));
  ASSERT_TRUE(function.is_valid());
  EXPECT_EQ(function.Choice(1000), " for 0");
  EXPECT_EQ(function.ChoiceOfLlvm(1000), " for 0");
}

TEST(PollChoiceTest, RefusesWhatIsUnknown) {
  ComparedFunction function(R"(
    declare void @llvm.assume(i1)
    define void @f(i1 %c) {
    entry:
      br label %loop
    loop:
      call void @llvm.assume(i1 true) ["align"(ptr null, i64 8)]
      br i1 %c, label %loop, label %end
    end:
      ret void
    })");
  ASSERT_TRUE(function.is_valid());
  LoopEntries entries;
  PollChoice choice;
  entries.Begin(function.body());
  EXPECT_THAT(choice.Choose(function.body(), entries, 100),
              StatusIs(absl::StatusCode::kUnimplemented, HasSubstr("what lives at loop 0")));
  EXPECT_THAT(choice.Choose(function.body(), entries, 5), IsOk());
}

TEST(PollWriterTest, CodeIsThatOfTheSplittersPolls) {
  for (absl::string_view text : {kSum, kNested, kVoid, kStraight, kInterpreter}) {
    for (bool asks_when_called : {false, true}) {
      ComparedFunction function(text);
      ASSERT_TRUE(function.is_valid());
      const std::string code = function.Code(asks_when_called);
      EXPECT_THAT(code, HasSubstr("section"));
      EXPECT_EQ(code, function.CodeOfLlvm(asks_when_called)) << text;
    }
  }
}

TEST(PollWriterTest, WithoutPollsTheBodyStaysAsItIs) {
  ComparedFunction function(kSum);
  ASSERT_TRUE(function.is_valid());
  const std::string before = ir::TextOf(function.body());
  LoopEntries entries;
  entries.Begin(function.body());
  PollWriter writer(function.reader().module());
  EXPECT_THAT(writer.Write(function.body(), entries, {}), IsOk());
  EXPECT_EQ(ir::TextOf(function.body()), before);
}

// Labels that live at the same loop, and at several.
TEST(PollWriterTest, ALiveLabelIsStoredAsItsNumber) {
  for (const char* text : {R"(
      @table = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
      define i64 @f(ptr %p, i64 %n, i1 %c) {
      entry:
        %v = alloca i64
        store i64 3, ptr %v
        %after = load ptr, ptr @table
        br label %next
      next:
        %l = phi ptr [ blockaddress(@f, %a), %entry ], [ %t, %a ]
        %sum = phi i64 [ 0, %entry ], [ %more, %a ]
        indirectbr ptr %l, [ label %b, label %a ]
      a:
        %x = load i64, ptr %v
        %more = add i64 %sum, %x
        %e = getelementptr [2 x ptr], ptr @table, i64 0, i64 %n
        %t = load ptr, ptr %e
        br label %next
      b:
        br i1 %c, label %b, label %c1
      c1:
        indirectbr ptr %after, [ label %d ]
      d:
        ret i64 %sum
      })",
                           R"(
      define void @f(ptr %p, i1 %c) {
      entry:
        br label %next
      next:
        %l = phi ptr [ blockaddress(@f, %a), %entry ], [ blockaddress(@f, %b), %a ]
        indirectbr ptr %l, [ label %a, label %b ]
      a:
        br label %next
      b:
        ret void
      })"}) {
    ComparedFunction function(text);
    ASSERT_TRUE(function.is_valid());
    EXPECT_EQ(function.Entries(), function.EntriesOfLlvm());
    EXPECT_EQ(function.Choice(1000), function.ChoiceOfLlvm(1000));
    const std::string code = function.Code(/*asks_when_called=*/true);
    EXPECT_EQ(code, function.CodeOfLlvm(/*asks_when_called=*/true));
    EXPECT_THAT(code, HasSubstr("counter"));
  }
}

TEST(PollTypesTest, LiveInsAreLaidOutAsAStructureOfLlvm) {
  ComparedFunction function("define void @f(i8 %b, x86_fp80 %x, ptr %p) { ret void }");
  ASSERT_TRUE(function.is_valid());
  PollTypes types(function.reader().module());
  types.Update();
  const std::vector<ir::Value>& values = function.body().values;
  const std::vector<const ir::Type*> members = {values[0].type, values[1].type, values[0].type};
  const PollTypes::Layout layout = types.LayoutOf(3, members);
  EXPECT_EQ(layout.size, 64u);
  EXPECT_EQ(layout.alignment, 16u);
  EXPECT_THAT(layout.offsets, ::testing::ElementsAre(24, 32, 48));
  EXPECT_EQ(types.LayoutOf(0, {}).alignment, 8u);
  EXPECT_EQ(types.pointer(), values[2].type);
  EXPECT_EQ(types.byte(), values[0].type);
  EXPECT_EQ(types.word()->alloc_size, 4u);
  EXPECT_EQ(types.Function(types.word(), {types.pointer()}),
            types.Function(types.word(), {types.pointer()}));
  EXPECT_EQ(types.Bytes(7)->alloc_size, 7u);
}

}  // namespace
}  // namespace firstcall::direct
