// Also tests frame_needs, live_values, user_lists and variable_liveness, which loop_entries asks.
// Whatever is said here of an entry, splitter/osr says, too.

#include "direct/osr/loop_entries.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/direct/osr/comparing.h"

namespace firstcall::direct {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Texts = std::vector<std::string>;

// The entries of @f, which are also those that splitter/osr finds.
Texts Find(absl::string_view text) {
  ComparedFunction function(text);
  if (!function.is_valid()) return {"not valid"};
  Texts entries = function.Entries();
  EXPECT_EQ(entries, function.EntriesOfLlvm());
  return entries;
}

// The entries of @f, of which LLVM knows more than ir/.
Texts FindUnknown(absl::string_view text) {
  ComparedFunction function(text);
  return function.is_valid() ? function.Entries() : Texts{"not valid"};
}

// A function with one loop, and `code` before the loop, in the loop, and behind the loop.
std::string Loop(absl::string_view before, absl::string_view inside, absl::string_view after = "",
                 absl::string_view attributes = "", absl::string_view declarations = "") {
  return absl::StrCat(declarations, R"(
    declare void @use(ptr)
    declare void @keep(ptr nocapture)
    declare ptr @give(ptr)
    declare void @llvm.lifetime.start.p0(i64, ptr)
    declare void @llvm.lifetime.end.p0(i64, ptr)
    define i32 @f(i32 %n, i1 %c) )",
                      attributes, R"( {
    entry:
      )",
                      before, R"(
      br label %loop
    loop:
      )",
                      inside, R"(
      br i1 %c, label %loop, label %end
    end:
      )",
                      after, R"(
      ret i32 0
    })");
}

TEST(LoopEntriesTest, NoLoopNoEntry) {
  EXPECT_THAT(Find(R"(
    define i32 @f(i1 %c) {
      br i1 %c, label %a, label %b
    a:
      br label %b
    b:
      ret i32 1
    })"),
              IsEmpty());
}

TEST(LoopEntriesTest, VariablesThenArgumentsValuesAndPhisLiveInTheirOrder) {
  EXPECT_THAT(Find(R"(
    declare void @use(ptr)
    define i32 @f(i32 %unused, i32 %n, i32 %later) {
    entry:
      %variable = alloca i32
      %before = mul i32 %n, 3
      %other = alloca [4 x i8]
      %dead = mul i32 %n, 5
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %loop ]
      %unread = phi i32 [ 0, %entry ], [ 1, %loop ]
      %local = add i32 %i, %before
      %read = load i32, ptr %variable
      store i32 %local, ptr %variable
      call void @use(ptr %other)
      %next = add i32 %i, 1
      %more = icmp slt i32 %next, %n
      br i1 %more, label %loop, label %end
    end:
      %sum = add i32 %later, %next
      ret i32 %sum
    })"),
              ElementsAre("loop: variable@0 other@1 n later before i"));
}

TEST(LoopEntriesTest, LoopsAreNumberedAsTheSearchFindsThem) {
  EXPECT_THAT(Find(R"(
    define void @f(i1 %c, i1 %d) {
    entry:
      br label %outer
    outer:
      br i1 %c, label %inner, label %second
    inner:
      br i1 %d, label %inner, label %latch
    latch:
      br label %outer
    second:
      br i1 %d, label %second, label %end
    end:
      ret void
    })"),
              ElementsAre("inner: c d", "outer: c d", "second: d"));
}

TEST(LoopEntriesTest, AnIrreducibleLoopIsEnteredWhereTheSearchReturns) {
  EXPECT_THAT(Find(R"(
    define void @f(i1 %c, i1 %d, i32 %n) {
    entry:
      %x = add i32 %n, 1
      br i1 %c, label %a, label %b
    a:
      %y = add i32 %x, 1
      br label %b
    b:
      br i1 %d, label %a, label %end
    end:
      %z = add i32 %x, 2
      ret void
    })"),
              ElementsAre("a: d x"));
}

TEST(LoopEntriesTest, AConstantConditionRulesALoopOut) {
  EXPECT_THAT(Find(R"(
    define void @f(i1 %c) {
    entry:
      br label %once
    once:
      br i1 false, label %once, label %loop
    loop:
      br i1 true, label %next, label %end
    next:
      br i1 %c, label %loop, label %end
    end:
      ret void
    })"),
              ElementsAre("loop: c"));
}

TEST(LoopEntriesTest, ASwitchOnAConstantHasAllItsEdges) {
  EXPECT_THAT(Find(R"(
    define void @f() {
    entry:
      br label %loop
    loop:
      switch i32 1, label %loop [ i32 1, label %end
                                  i32 2, label %loop ]
    end:
      ret void
    })"),
              ElementsAre("loop:"));
}

TEST(LoopEntriesTest, CodeThatCannotBeReachedHasNoLoopAndUsesNothing) {
  EXPECT_THAT(Find(R"(
    define void @f(i1 %c, i32 %n) {
    entry:
      br label %loop
    loop:
      br i1 %c, label %loop, label %end
    end:
      ret void
    lost:
      %x = add i32 %n, 1
      br label %lost
    })"),
              ElementsAre("loop: c"));
}

TEST(LoopEntriesTest, AValueThatIsComputedAgainBeforeEachUseDoesNotLive) {
  EXPECT_THAT(Find(R"(
    define void @f(i1 %c, i1 %d, ptr %p) {
    entry:
      br label %outer
    outer:
      %again = load i32, ptr %p
      %both = load i32, ptr %p
      br label %inner
    inner:
      %x = phi i32 [ %again, %outer ], [ 1, %inner ]
      store i32 %both, ptr %p
      br i1 %c, label %inner, label %latch
    latch:
      br i1 %d, label %outer, label %end
    end:
      ret void
    })"),
              ElementsAre("inner: c d p both", "outer: c d p"));
}

TEST(LoopEntriesTest, APhiUsesAValueAtTheEndOfTheIncomingBlock) {
  EXPECT_THAT(Find(R"(
    define i32 @f(i1 %c, i32 %a, i32 %b, i32 %only) {
    entry:
      %x = add i32 %a, 1
      %y = add i32 %b, 1
      %z = add i32 %b, 2
      br i1 %c, label %loop, label %end
    loop:
      %p = phi i32 [ %z, %entry ], [ %x, %loop ]
      br i1 %c, label %loop, label %end
    end:
      %r = phi i32 [ %y, %entry ], [ %x, %loop ]
      ret i32 %r
    })"),
              ElementsAre("loop: c x"));
}

TEST(LoopEntriesTest, VariablesLiveWhereTheyMayBeLoadedBeforeTheyAreStored) {
  EXPECT_THAT(Find(Loop("%kept = alloca i32\n %local = alloca i32\n %after = alloca i32\n"
                        "%unused = alloca i32\n %wide = alloca i32",
                        "store i32 1, ptr %local\n %l = load i32, ptr %local\n"
                        "%k = load i32, ptr %kept\n store i32 2, ptr %kept\n"
                        "%w = load i64, ptr %wide",
                        "%a = load i32, ptr %after")),
              ElementsAre("loop: kept@0 after@2 wide@4 c"));
}

TEST(LoopEntriesTest, VariablesWithLifetimesLiveWhereMarkersAllow) {
  constexpr char kMarked[] =
      "call void @llvm.lifetime.start.p0(i64 4, ptr %v)\n call void @keep(ptr %v)\n"
      "call void @llvm.lifetime.end.p0(i64 4, ptr %v)";
  EXPECT_THAT(Find(Loop("%v = alloca i32", kMarked)), ElementsAre("loop: c"));
  EXPECT_THAT(Find(Loop(absl::StrCat("%v = alloca i32\n", kMarked), "")), ElementsAre("loop: c"));
  EXPECT_THAT(
      Find(Loop("%v = alloca i32\n call void @llvm.lifetime.start.p0(i64 4, ptr %v)",
                "call void @keep(ptr %v)", "call void @llvm.lifetime.end.p0(i64 4, ptr %v)")),
      ElementsAre("loop: v@0 c"));
  // Never ends, or never begins.
  EXPECT_THAT(Find(Loop("%v = alloca i32",
                        "call void @llvm.lifetime.start.p0(i64 4, ptr %v)\n"
                        "call void @keep(ptr %v)")),
              ElementsAre("loop: v@0 c"));
  EXPECT_THAT(Find(Loop("%v = alloca i32",
                        "call void @llvm.lifetime.end.p0(i64 4, ptr %v)\n"
                        "call void @keep(ptr %v)")),
              ElementsAre("loop: v@0 c"));
}

TEST(LoopEntriesTest, VariablesWhoseAddressIsStoredLiveEverywhere) {
  for (absl::string_view use :
       {"store ptr %v, ptr %p", "%x = ptrtoint ptr %v to i64", "%x = load volatile i32, ptr %v",
        "store volatile i32 1, ptr %v", "%x = call ptr @give(ptr %v)",
        "%e = getelementptr i8, ptr %v, i64 1\n store ptr %e, ptr %p", "%x = icmp eq ptr %v, %p",
        "%x = atomicrmw xchg ptr %p, ptr %v seq_cst",
        "%e = select i1 %c, ptr %v, ptr %p\n %x = icmp eq ptr %e, null", "%x = freeze ptr %v",
        "%x = insertvalue {ptr} poison, ptr %v, 0"}) {
    EXPECT_THAT(Find(Loop("%p = alloca ptr\n %v = alloca i32",
                          absl::StrCat("call void @llvm.lifetime.start.p0(i64 4, ptr %v)\n", use,
                                       "\n", "call void @keep(ptr %v)\n",
                                       "call void @llvm.lifetime.end.p0(i64 4, ptr %v)"))),
                ::testing::Contains(::testing::HasSubstr("v@1")))
        << use;
  }
}

TEST(LoopEntriesTest, OtherUsesOfAnAddressDoNotStoreIt) {
  for (absl::string_view use :
       {"%x = load i32, ptr %v", "store i32 1, ptr %v", "%x = icmp eq ptr %v, null",
        "%x = atomicrmw add ptr %v, i32 1 seq_cst",
        "%x = cmpxchg ptr %v, i32 1, i32 2 seq_cst seq_cst",
        "%e = getelementptr i8, ptr %v, i64 1\n %x = load i8, ptr %e", "%x = va_arg ptr %v, i32",
        "call void @keep(ptr %v)", "call void @use(ptr nocapture %v)"}) {
    EXPECT_THAT(
        Find(Loop("%v = alloca i32",
                  absl::StrCat("call void @llvm.lifetime.start.p0(i64 4, ptr %v)\n", use, "\n",
                               "call void @llvm.lifetime.end.p0(i64 4, ptr %v)\n"
                               "call void @keep(ptr %v)"))),
        ElementsAre("loop: c"))
        << use;
  }
  // Where null is a valid address, comparing with null says something.
  EXPECT_THAT(Find(Loop("%v = alloca i32",
                        "call void @llvm.lifetime.start.p0(i64 4, ptr %v)\n"
                        "%x = icmp eq ptr %v, null\n call void @keep(ptr %v)\n"
                        "call void @llvm.lifetime.end.p0(i64 4, ptr %v)",
                        "", "null_pointer_is_valid")),
              ElementsAre("loop: v@0 c"));
}

TEST(LoopEntriesTest, ACallOfAFunctionThatMayAccessAnythingDoesNotStoreAnAddress) {
  constexpr char kMarked[] =
      "call void @llvm.lifetime.start.p0(i64 4, ptr %v)\n call void @use(ptr %v)\n"
      "call void @llvm.lifetime.end.p0(i64 4, ptr %v)";
  EXPECT_THAT(Find(Loop("%v = alloca i32", kMarked)), ElementsAre("loop: c"));
  // The address is stored by another instruction.
  EXPECT_THAT(Find(Loop("%v = alloca i32", absl::StrCat(kMarked, "\n%x = ptrtoint ptr %v to i64"))),
              ElementsAre("loop: v@0 c"));
}

TEST(LoopEntriesTest, WhichMemoryACalledFunctionAccessesIsNotKnown) {
  for (absl::string_view call : {"call void @set(ptr %v)", "call void @use(ptr %v) memory(read)"}) {
    const std::string marked =
        absl::StrCat("call void @llvm.lifetime.start.p0(i64 4, ptr %v)\n", call,
                     "\ncall void @llvm.lifetime.end.p0(i64 4, ptr %v)");
    constexpr char kSet[] = "declare void @set(ptr) memory(argmem: write)";
    EXPECT_THAT(FindUnknown(Loop("%v = alloca i32", marked, "", "", kSet)),
                ElementsAre("loop: unknown"));
    // If the variable lives at the loop anyway, this does not matter.
    EXPECT_THAT(Find(Loop("%v = alloca i32\n call void @llvm.lifetime.start.p0(i64 4, ptr %v)",
                          call, "call void @llvm.lifetime.end.p0(i64 4, ptr %v)", "", kSet)),
                ElementsAre("loop: v@0 c"));
  }
}

TEST(LoopEntriesTest, AVariableLivesIfALiveValueMayContainItsAddress) {
  EXPECT_THAT(Find(Loop("%v = alloca i32\n %w = alloca i32\n %e = getelementptr i8, ptr %v, i64 1\n"
                        "%l = load i32, ptr %w",
                        "call void @keep(ptr %e)\n %x = add i32 %l, 1")),
              ElementsAre("loop: &v@0 c e l"));
}

TEST(LoopEntriesTest, VariablesThatAreNotTheFramesLiveAsValues) {
  EXPECT_THAT(Find(Loop("%dynamic = alloca i32, i32 %n\n %two = alloca i32, i32 2",
                        "call void @use(ptr %dynamic)\n call void @use(ptr %two)")),
              ElementsAre("loop: two@0 c dynamic"));
}

TEST(LoopEntriesTest, NoEntryIsPossibleInAFunctionThatNeedsItsFrame) {
  for (absl::string_view code :
       {"%x = call ptr @llvm.frameaddress.p0(i32 0)", "%x = call ptr @llvm.returnaddress(i32 0)",
        "%x = call ptr @llvm.addressofreturnaddress.p0()", "%x = call ptr @llvm.sponentry.p0()",
        "%x = call i64 @llvm.read_register.i64(metadata !0)", "call void @llvm.eh.unwind.init()",
        "%x = call i32 @setjmp(ptr null)", "%x = call i32 @other(ptr null) returns_twice",
        "%s = call ptr @llvm.stacksave.p0()\n call void @llvm.stackrestore.p0(ptr %s)",
        "call void @llvm.lifetime.start.p0(i64 4, ptr null)"}) {
    EXPECT_THAT(Find(Loop("", code, "", "", R"(
      declare ptr @llvm.frameaddress.p0(i32)
      declare ptr @llvm.returnaddress(i32)
      declare ptr @llvm.addressofreturnaddress.p0()
      declare ptr @llvm.sponentry.p0()
      declare i64 @llvm.read_register.i64(metadata)
      declare void @llvm.eh.unwind.init()
      declare ptr @llvm.stacksave.p0()
      declare void @llvm.stackrestore.p0(ptr)
      declare i32 @setjmp(ptr) returns_twice
      declare i32 @other(ptr)
      !0 = !{!"sp\00"}
    )")),
                ElementsAre("loop: impossible"))
        << code;
  }
  for (absl::string_view attributes :
       {"gc \"statepoint-example\"", "presplitcoroutine", "\"no_callee_saved_registers\"",
        "personality ptr @__C_specific_handler"}) {
    EXPECT_THAT(Find(Loop("", "", "", attributes, "declare i32 @__C_specific_handler(...)")),
                ElementsAre("loop: impossible"))
        << attributes;
  }
  EXPECT_THAT(Find(Loop("", "", "", "personality ptr @__gxx_personality_v0",
                        "declare i32 @__gxx_personality_v0(...)")),
              ElementsAre("loop: c"));
}

TEST(LoopEntriesTest, OperandsOfBundlesAreNotKnown) {
  EXPECT_THAT(FindUnknown(Loop("", R"(call void @llvm.assume(i1 true) ["align"(ptr null, i64 8)])",
                               "", "", "declare void @llvm.assume(i1)")),
              ElementsAre("loop: unknown"));
}

TEST(LoopEntriesTest, NoEntryInALandingPadAndInvokesUseAndDefine) {
  EXPECT_THAT(Find(R"(
    declare i32 @__gxx_personality_v0(...)
    declare i32 @throw(i32)
    define i32 @f(i32 %n) personality ptr @__gxx_personality_v0 {
    entry:
      br label %loop
    loop:
      %i = phi i32 [ %n, %entry ], [ %r, %go ]
      %r = invoke i32 @throw(i32 %i) to label %go unwind label %pad
    go:
      %more = icmp eq i32 %r, 3
      br i1 %more, label %loop, label %end
    pad:
      %e = landingpad { ptr, i32 } cleanup
      %again = invoke i32 @throw(i32 1) to label %end unwind label %pad
    end:
      ret i32 0
    })"),
              ElementsAre("loop: i", "pad: impossible"));
}

TEST(LoopEntriesTest, SomeValuesCannotBePassed) {
  EXPECT_THAT(
      Find(Loop("%x = load <vscale x 4 x i32>, ptr null", "store <vscale x 4 x i32> %x, ptr null")),
      ElementsAre("loop: impossible"));
  EXPECT_THAT(Find(Loop("%x = load {i8, <2 x i64>, [2 x i1]}, ptr null",
                        "store {i8, <2 x i64>, [2 x i1]} %x, ptr null")),
              ElementsAre("loop: c x"));
}

TEST(LoopEntriesTest, NotMoreThanAHundredAndTwentyEightLive) {
  for (int count : {127, 128}) {
    std::string before, inside;
    for (int i = 0; i < count; ++i) {
      absl::StrAppend(&before, "%v", i, " = add i32 %n, ", i, "\n");
      absl::StrAppend(&inside, "%u", i, " = add i32 %v", i, ", 1\n");
    }
    const Texts entries = Find(Loop(before, inside));
    ASSERT_EQ(entries.size(), 1u);
    EXPECT_EQ(entries[0] == "loop: impossible", count == 128);
  }
}

// Loops in loops, each of which has a value that is used behind the inner ones.
std::string Nest(int loops) {
  std::string text = "define void @f(i1 %c) {\nentry:\n br label %b0\n";
  for (int i = 0; i < loops; ++i) {
    absl::StrAppend(&text, "b", i, ":\n %v", i, " = add i32 1, ", i, "\n br label %b", i + 1, "\n");
  }
  absl::StrAppend(&text, "b", loops, ":\n br label %e", loops - 1, "\n");
  for (int i = loops - 1; i >= 0; --i) {
    absl::StrAppend(&text, "e", i, ":\n %u", i, " = add i32 %v", i, ", 1\n br i1 %c, label %b", i,
                    ", label %", i == 0 ? "end" : absl::StrCat("e", i - 1), "\n");
  }
  return absl::StrCat(text, "end:\n ret void\n}\n");
}

TEST(LoopEntriesTest, ALongSearchMakesEntriesImpossible) {
  const auto is_impossible = ::testing::HasSubstr("impossible");
  const Texts some = Find(Nest(40));
  EXPECT_THAT(some, ::testing::Contains(is_impossible));
  EXPECT_THAT(some, ::testing::Contains(::testing::Not(is_impossible)));
  // The first ones take all the time there is.
  EXPECT_THAT(Find(Nest(700)), ::testing::Each(is_impossible));
}

TEST(LoopEntriesTest, AnObjectForgetsFormerFunctions) {
  ComparedFunction one(Loop("%v = alloca i32", "%x = load i32, ptr %v"));
  ComparedFunction other(Loop("", "%x = add i32 %n, 1"));
  LoopEntries entries;
  entries.Begin(one.body());
  ASSERT_EQ(entries.Find(0), LoopEntries::Verdict::kPossible);
  EXPECT_EQ(entries.At(0).variables.size(), 1u);
  entries.Begin(other.body());
  ASSERT_EQ(entries.Find(0), LoopEntries::Verdict::kPossible);
  EXPECT_EQ(entries.At(0).variables.size(), 0u);
  EXPECT_EQ(entries.At(0).variable_places, 0u);
  EXPECT_EQ(entries.At(0).values.size(), 2u);
}

}  // namespace
}  // namespace firstcall::direct
