#include "splitter/osr/loop_entries.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "tests/testing/ir.h"
#include "third_party/llvm/version/version.h"

namespace firstcall {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

// An entry by the names of its block and of what lives there.
using Named = std::pair<std::string, std::vector<std::string>>;

class LoopEntriesTest : public ::testing::Test {
 protected:
  void Load(const std::string& text) { module_ = ParseModule(text, context_); }

  llvm::Function& F() { return *module_->getFunction("f"); }

  // Of @f in `text`.
  std::vector<Named> Find(const std::string& text,
                          LoopEntries::Purpose purpose = LoopEntries::Purpose::kPolls) {
    Load(text);
    if (module_ == nullptr) return {};
    const Labels labels = FindLabels(F());
    LoopEntries found(F(), labels, purpose);
    impossible_ = 0;
    std::vector<Named> named;
    for (size_t i = 0; i < found.size(); ++i) {
      const LoopEntry* entry = found.Find(i);
      if (entry == nullptr) {
        ++impossible_;
        continue;
      }
      named.emplace_back(entry->block->getName().str(), std::vector<std::string>());
      for (const LoopEntry::Variable& variable : entry->variables) {
        named.back().second.push_back(variable.variable->getName().str());
      }
      for (const LoopEntry::Value& value : entry->values) {
        named.back().second.push_back(
            absl::StrCat(value.is_label ? "which label: " : "", value.value->getName().str()));
      }
    }
    return named;
  }

  size_t impossible_ = 0;
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

// --- What lives ---

TEST_F(LoopEntriesTest, NoLoopNoEntry) {
  EXPECT_THAT(Find(R"(
    define i32 @f(i1 %c) {
      br i1 %c, label %a, label %b
    a:
      br label %b
    b:
      ret i32 1
    })"),
              IsEmpty());
  EXPECT_EQ(impossible_, 0u);
}

TEST_F(LoopEntriesTest, VariablesThenArgumentsValuesAndPhisInTheirOrder) {
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
              ElementsAre(Named("loop", {"variable", "other", "n", "later", "before", "i"})));
}

TEST_F(LoopEntriesTest, VariablesThatAreNotTheFramesLiveAsValues) {
  EXPECT_THAT(Find(R"(
    declare void @use(ptr)
    define void @f(i32 %n) {
    entry:
      %frame = alloca i32
      %sized = alloca i32, i32 %n
      br label %second
    second:
      %later = alloca i32
      br label %loop
    loop:
      %inside = alloca i32
      call void @use(ptr %sized)
      call void @use(ptr %later)
      call void @use(ptr %inside)
      %more = load i1, ptr %frame
      br i1 %more, label %loop, label %end
    end:
      ret void
    })"),
              ElementsAre(Named("loop", {"frame", "sized", "later"})));
  EXPECT_THAT(FrameVariables(F()), SizeIs(1));
  EXPECT_EQ(FrameVariables(F()).front()->getName(), "frame");
}

TEST_F(LoopEntriesTest, ValuesOfPhisElsewhereLiveAsLongAsTheirEdge) {
  EXPECT_THAT(Find(R"(
    define i32 @f(i32 %n, i32 %a, i32 %b) {
    entry:
      br label %loop
    loop:
      %i = phi i32 [ 0, %entry ], [ %next, %latch ]
      %odd = trunc i32 %i to i1
      br i1 %odd, label %left, label %right
    left:
      br label %latch
    right:
      br label %latch
    latch:
      %step = phi i32 [ %a, %left ], [ 1, %right ]
      %next = add i32 %i, %step
      %more = icmp slt i32 %next, %n
      br i1 %more, label %loop, label %end
    end:
      %result = phi i32 [ %b, %latch ]
      ret i32 %result
    })"),
              ElementsAre(Named("loop", {"n", "a", "b", "i"})));
}

TEST_F(LoopEntriesTest, NestedAndSeveralLoops) {
  const std::vector<Named> found = Find(R"(
    define i32 @f(i32 %n, i32 %m, i32 %last) {
    entry:
      br label %outer
    outer:
      %i = phi i32 [ 0, %entry ], [ %i2, %tail ]
      br label %inner
    inner:
      %j = phi i32 [ 0, %outer ], [ %j2, %inner ]
      %j2 = add i32 %j, %i
      %again = icmp slt i32 %j2, %m
      br i1 %again, label %inner, label %tail
    tail:
      %i2 = add i32 %i, 1
      %more = icmp slt i32 %i2, %n
      br i1 %more, label %outer, label %between
    between:
      br label %second
    second:
      %k = phi i32 [ 0, %between ], [ %k2, %second ]
      %k2 = add i32 %k, 1
      %on = icmp slt i32 %k2, %last
      br i1 %on, label %second, label %end
    end:
      ret i32 %k2
    })");
  EXPECT_THAT(found, ::testing::UnorderedElementsAre(Named("outer", {"n", "m", "last", "i"}),
                                                     Named("inner", {"n", "m", "last", "i", "j"}),
                                                     Named("second", {"last", "k"})));
}

TEST_F(LoopEntriesTest, LoopsWithTwoWaysInHaveAnEntryToo) {
  EXPECT_THAT(Find(R"(
    define i32 @f(i1 %c, i32 %n) {
    entry:
      br i1 %c, label %a, label %b
    a:
      %x = phi i32 [ 0, %entry ], [ %y2, %b ]
      %x2 = add i32 %x, 1
      br label %b
    b:
      %y = phi i32 [ 5, %entry ], [ %x2, %a ]
      %y2 = add i32 %y, 1
      %more = icmp slt i32 %y2, %n
      br i1 %more, label %a, label %end
    end:
      ret i32 %y2
    })"),
              SizeIs(1));
}

TEST_F(LoopEntriesTest, SameTextGivesSameEntries) {
  std::string text =
      "declare i1 @go()\ndefine i32 @f(i32 %n) {\nentry:\n  %v = alloca i32\n  br label %b0\n";
  for (int i = 0; i < 40; ++i) {
    absl::StrAppend(&text, "b", i, ":\n  %x", i, " = phi i32 [ %n, %",
                    i == 0 ? "entry" : absl::StrCat("b", i - 1), " ], [ %y", i, ", %b", i,
                    " ]\n  %y", i, " = add i32 %x", i, ", ", i, "\n  %c", i,
                    " = call i1 @go()\n  br i1 %c", i, ", label %b", i, ", label %b", i + 1, "\n");
  }
  absl::StrAppend(&text, "b40:\n  %s = add i32 %y3, %y17\n  ret i32 %s\n}\n");
  const std::vector<Named> first = Find(text);
  EXPECT_THAT(first, SizeIs(40));
  // The heap looks different for each of them, so that pointers' order does.
  std::vector<std::unique_ptr<llvm::Module>> others;
  std::vector<std::unique_ptr<char[]>> holes;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(Find(text), first);
    others.push_back(std::move(module_));
    for (int k = 0; k < 100; ++k) holes.push_back(std::make_unique<char[]>(64 + 8 * (k % 7) + i));
  }
}

TEST_F(LoopEntriesTest, TooMuchThatLives) {
  const auto text = [](int count) {
    std::string values, uses;
    for (int i = 0; i < count; ++i) {
      absl::StrAppend(&values, "%v", i, " = load volatile i32, ptr %p\n");
      absl::StrAppend(&uses, "store i32 %v", i, ", ptr %p\n");
    }
    return absl::StrCat("define void @f(ptr %p) {\nentry:\n", values, "br label %loop\nloop:\n",
                        "%more = load volatile i1, ptr %p\nbr i1 %more, label %loop, label %end\n",
                        "end:\n", uses, "ret void\n}");
  };
  EXPECT_THAT(Find(text(127)), ElementsAre(Pair("loop", SizeIs(128))));
  EXPECT_EQ(impossible_, 0u);
  EXPECT_THAT(Find(text(128)), IsEmpty());
  EXPECT_EQ(impossible_, 1u);
  EXPECT_THAT(Find(text(500), LoopEntries::Purpose::kContinuation),
              ElementsAre(Pair("loop", SizeIs(501))));
}

TEST_F(LoopEntriesTest, VariablesThatValuesHaveTheAddressOf) {
  const auto text = [](const std::string& before, const std::string& inside) {
    return absl::StrCat(R"(
      declare void @use(ptr)
      declare void @llvm.lifetime.start.p0(i64, ptr)
      declare void @llvm.lifetime.end.p0(i64, ptr)
      define void @f(i1 %c) {
      entry:
        %v = alloca [2 x i32]
        )",
                        before, R"(
        br label %loop
      loop:
        call void @llvm.lifetime.start.p0(i64 8, ptr %v)
        )",
                        inside, R"(
        call void @llvm.lifetime.end.p0(i64 8, ptr %v)
        br i1 %c, label %loop, label %end
      end:
        ret void
      })");
  };
  const std::string address =
      "%p = getelementptr i8, ptr %v, i64 4\n%q = select i1 %c, ptr %p, ptr %v\n";
  EXPECT_THAT(Find(text("", address + "call void @use(ptr %q)")),
              ElementsAre(Named("loop", {"c"})));
  EXPECT_THAT(Find(text(address, "call void @use(ptr %q)")),
              ElementsAre(Named("loop", {"v", "c", "q"})));
}

// --- Impossible functions ---

struct Impossible {
  const char* name;
  const char* declarations;
  const char* attributes;  // Of the function.
  const char* statement;   // Before its loop.
  const char* after;       // Behind it, with the function's end.
};

class ImpossibleLoopsTest : public LoopEntriesTest,
                            public ::testing::WithParamInterface<Impossible> {
 protected:
  static std::string Text(const Impossible& impossible) {
    return absl::StrCat(impossible.declarations, "\ndefine void @f(ptr %p, ...) ",
                        impossible.attributes, " {\nentry:\n", impossible.statement, R"(
      br label %loop
    loop:
      %more = load volatile i1, ptr %p
      br i1 %more, label %loop, label %second
    second:
      %again = load volatile i1, ptr %p
      br i1 %again, label %second, label %end
    end:
    )",
                        impossible.after, "\n}");
  }
};

TEST_F(LoopEntriesTest, TheFrameOfTheImpossibleOnesIsNotWhatMakesThemSo) {
  EXPECT_THAT(Find("define void @f(ptr %p, ...) {\nentry:\nbr label %loop\nloop:\n%more = load "
                   "volatile i1, ptr %p\nbr i1 %more, label %loop, label %end\nend:\nret void }"),
              SizeIs(1));
}

TEST_P(ImpossibleLoopsTest, HaveNoEntry) {
  if (llvm_version::kMajor >= 22 && std::string(GetParam().name) == "LifetimeOfAnything") {
    GTEST_SKIP() << "LLVM 22 removes such a marker when it reads it";
  }
  EXPECT_THAT(Find(Text(GetParam())), IsEmpty());
  ASSERT_NE(module_, nullptr);
  EXPECT_EQ(impossible_, 2u);
}

INSTANTIATE_TEST_SUITE_P(
    Functions, ImpossibleLoopsTest,
    ::testing::Values(
        Impossible{"ReturnsTwice", "declare i32 @setjmp(ptr) returns_twice", "",
                   "call i32 @setjmp(ptr %p)", "ret void"},
        Impossible{"ReturnsTwiceAtTheCall", "declare i32 @fork()", "",
                   "call i32 @fork() returns_twice", "ret void"},
        Impossible{"MustTail", "declare void @g(ptr, ...)", "", "",
                   "musttail call void (ptr, ...) @g(ptr %p, ...)\nret void"},
        Impossible{"VariableArguments", "declare void @llvm.va_start.p0(ptr)", "",
                   "call void @llvm.va_start.p0(ptr %p)", "ret void"},
        Impossible{"StackThatShrinks",
                   "declare ptr @llvm.stacksave.p0()\ndeclare void @llvm.stackrestore.p0(ptr)", "",
                   "%s = call ptr @llvm.stacksave.p0()",
                   "call void @llvm.stackrestore.p0(ptr %s)\nret void"},
        Impossible{"FrameAddress", "declare ptr @llvm.frameaddress.p0(i32)", "",
                   "call ptr @llvm.frameaddress.p0(i32 0)", "ret void"},
        Impossible{"CanonicalFrameAddress", "declare ptr @llvm.eh.dwarf.cfa(i32)", "",
                   "call ptr @llvm.eh.dwarf.cfa(i32 0)", "ret void"},
        Impossible{"ReturnToAHandler", "declare void @llvm.eh.return.i64(i64, ptr)", "", "",
                   "call void @llvm.eh.return.i64(i64 0, ptr %p)\nunreachable"},
        Impossible{"RegistersOfItsCaller", "declare void @llvm.eh.unwind.init()", "",
                   "call void @llvm.eh.unwind.init()", "ret void"},
        Impossible{"NamedRegister",
                   "declare i64 @llvm.read_register.i64(metadata)\n!0 = !{!\"sp\"}", "",
                   "call i64 @llvm.read_register.i64(metadata !0)", "ret void"},
        Impossible{"SavesNoRegisters", "", "\"no_callee_saved_registers\"", "", "ret void"},
        Impossible{"LifetimeOfAnything", "declare void @llvm.lifetime.start.p0(i64, ptr)", "",
                   "call void @llvm.lifetime.start.p0(i64 4, ptr %p)", "ret void"},
        Impossible{"ReturnAddress", "declare ptr @llvm.returnaddress(i32)", "",
                   "call ptr @llvm.returnaddress(i32 0)", "ret void"},
        Impossible{"AddressOfReturnAddress", "declare ptr @llvm.addressofreturnaddress.p0()", "",
                   "call ptr @llvm.addressofreturnaddress.p0()", "ret void"},
        Impossible{"ScopedExceptionHandling", "declare i32 @__CxxFrameHandler3(...)",
                   "personality ptr @__CxxFrameHandler3", "", "ret void"},
        Impossible{"ScannedFrame", "", "gc \"statepoint-example\"", "", "ret void"},
        Impossible{"Coroutine", "", "presplitcoroutine", "", "ret void"},
        Impossible{"AsmGoto", "", "",
                   "callbr void asm sideeffect \"\", \"!i\"() to label %next [label "
                   "%next]\nnext:\n",
                   "ret void"},
        Impossible{"Token",
                   "declare token @llvm.directive.region.entry()\ndeclare void "
                   "@llvm.directive.region.exit(token)",
                   "", "%t = call token @llvm.directive.region.entry() [ \"any\"() ]",
                   "call void @llvm.directive.region.exit(token %t)\nret void"}),
    [](const ::testing::TestParamInfo<Impossible>& info) { return info.param.name; });

TEST_F(LoopEntriesTest, ScalableValuesCannotBePassed) {
  EXPECT_THAT(Find(R"(
    define void @f(ptr %p, i64 %n) {
    entry:
      %v = load <vscale x 2 x i64>, ptr %p
      br label %loop
    loop:
      %i = phi i64 [ 0, %entry ], [ %j, %loop ]
      %sum = phi <vscale x 2 x i64> [ %v, %entry ], [ %more, %loop ]
      %more = add <vscale x 2 x i64> %sum, %v
      %j = add i64 %i, 1
      %again = icmp ult i64 %j, %n
      br i1 %again, label %loop, label %end
    end:
      store <vscale x 2 x i64> %more, ptr %p
      br label %second
    second:
      %k = phi i64 [ 0, %end ], [ %l, %second ]
      %l = add i64 %k, 1
      %and_again = icmp ult i64 %l, %n
      br i1 %and_again, label %second, label %last
    last:
      ret void
    })"),
              SizeIs(1));
  EXPECT_EQ(impossible_, 1u);
}

TEST_F(LoopEntriesTest, LandingPadsCannotBeEntered) {
  EXPECT_THAT(Find(R"(
    declare i32 @__gxx_personality_v0(...)
    declare void @g()
    define void @f(ptr %p) personality ptr @__gxx_personality_v0 {
    entry:
      invoke void @g() to label %loop unwind label %pad
    pad:
      %l = landingpad { ptr, i32 } catch ptr null
      br label %again
    again:
      invoke void @g() to label %loop unwind label %pad
    loop:
      %more = load volatile i1, ptr %p
      br i1 %more, label %loop, label %end
    end:
      ret void
    })"),
              ElementsAre(Named("loop", {"p"})));
  EXPECT_EQ(impossible_, 1u);
}

// Only the loop it lives in.
TEST_F(LoopEntriesTest, TokensThatLiveElsewhereDoNoHarm) {
  EXPECT_THAT(Find(R"(
    declare token @llvm.directive.region.entry()
    declare void @llvm.directive.region.exit(token)
    define void @f(ptr %p) {
    entry:
      %t = call token @llvm.directive.region.entry() [ "any"() ]
      br label %loop
    loop:
      %more = load volatile i1, ptr %p
      br i1 %more, label %loop, label %between
    between:
      call void @llvm.directive.region.exit(token %t)
      br label %second
    second:
      %again = load volatile i1, ptr %p
      br i1 %again, label %second, label %end
    end:
      ret void
    })"),
              ElementsAre(Named("second", {"p"})));
  EXPECT_EQ(impossible_, 1u);
}

// --- Labels ---

// An interpreter's loop: %dispatch is the header and only branches.
std::string Interpreter(const std::string& globals, const std::string& statement) {
  return absl::StrCat(globals, R"(
    declare void @use(ptr)
    @sink = global ptr null
    @table = internal constant [3 x ptr] [ptr blockaddress(@f, %add), ptr blockaddress(@f, %sub),
                                          ptr blockaddress(@f, %end)]
    define i32 @f(ptr %code) {
    entry:
      )",
                      statement, R"(
      br label %dispatch
    dispatch:
      %sum = phi i32 [ 0, %entry ], [ %more, %add ], [ %less, %sub ]
      %target = phi ptr [ blockaddress(@f, %add), %entry ], [ %t1, %add ], [ %t2, %sub ]
      indirectbr ptr %target, [label %add, label %sub, label %end]
    add:
      %more = add i32 %sum, 1
      %i1 = load i32, ptr %code
      %p1 = getelementptr [3 x ptr], ptr @table, i32 0, i32 %i1
      %t1 = load ptr, ptr %p1
      br label %dispatch
    sub:
      %less = sub i32 %sum, 1
      %i2 = load i32, ptr %code
      %p2 = getelementptr [3 x ptr], ptr @table, i32 0, i32 %i2
      %t2 = load ptr, ptr %p2
      br label %dispatch
    end:
      ret i32 %sum
    })");
}

TEST_F(LoopEntriesTest, ComputedGotoIsEnteredWithWhereItGoes) {
  EXPECT_THAT(Find(Interpreter("", "")),
              ElementsAre(Named("dispatch", {"code", "sum", "which label: target"})));
  EXPECT_EQ(impossible_, 0u);
}

TEST_F(LoopEntriesTest, LabelInAVariableOfTheFrame) {
  const char* const statement =
      "%v = alloca ptr\nstore ptr blockaddress(@f, %add), ptr %v\n"
      "%l = load ptr, ptr %v\n%e = icmp eq ptr %l, null";
  // Nobody reads it later.
  EXPECT_THAT(Find(Interpreter("", statement)),
              ElementsAre(Named("dispatch", {"code", "sum", "which label: target"})));
  EXPECT_TRUE(FindLabels(F()).stay_inside);
  // Somebody does: no entry.
  std::string text = Interpreter("", statement);
  text.replace(text.find("%less = sub"), 0, "%again = load ptr, ptr %v\n");
  EXPECT_THAT(Find(text), IsEmpty());
  EXPECT_EQ(impossible_, 1u);
  EXPECT_TRUE(FindLabels(F()).stay_inside);
}

TEST_F(LoopEntriesTest, LabelsThatAreUsedLaterArePassedAsWhichTheyAre) {
  EXPECT_THAT(Find(R"(
    define i32 @f(ptr %p) {
    entry:
      %c = load volatile i1, ptr %p
      %l = select i1 %c, ptr blockaddress(@f, %last), ptr blockaddress(@f, %other)
      br label %loop
    loop:
      %more = load volatile i1, ptr %p
      br i1 %more, label %loop, label %end
    end:
      indirectbr ptr %l, [label %last, label %other]
    other:
      ret i32 1
    last:
      ret i32 2
    })"),
              ElementsAre(Named("loop", {"p", "which label: l"})));
  std::vector<std::string> targets;
  for (llvm::BasicBlock* target : IndirectTargets(F())) targets.push_back(target->getName().str());
  EXPECT_THAT(targets, ElementsAre("other", "last"));
}

TEST_F(LoopEntriesTest, LabelsThatNothingBranchesToCannotBePassed) {
  EXPECT_THAT(Find(R"(
    define i1 @f(ptr %p) {
    entry:
      %c = load volatile i1, ptr %p
      %l = select i1 %c, ptr blockaddress(@f, %end), ptr null
      br label %loop
    loop:
      %more = load volatile i1, ptr %p
      br i1 %more, label %loop, label %end
    end:
      %r = icmp eq ptr %l, null
      ret i1 %r
    })"),
              IsEmpty());
  EXPECT_EQ(impossible_, 1u);
}

TEST_F(LoopEntriesTest, SeveralLabelsAtOnceCannotBePassed) {
  const auto text = [](const std::string& type) {
    return absl::StrCat(
        "@table = internal constant [2 x ptr] [ptr blockaddress(@f, %one), "
        "ptr blockaddress(@f, %two)]\ndefine i32 @f(ptr %p) {\nentry:\n%l = load ",
        type, R"(, ptr @table
      %t = load ptr, ptr @table
      br label %loop
    loop:
      %more = load volatile i1, ptr %p
      br i1 %more, label %loop, label %end
    end:
      %c = icmp eq )",
        type, R"( %l, zeroinitializer
      indirectbr ptr %t, [label %one, label %two]
    one:
      ret i32 1
    two:
      ret i32 2
    })");
  };
  EXPECT_THAT(Find(text("ptr")),
              ElementsAre(Named("loop", {"p", "which label: l", "which label: t"})));
  EXPECT_THAT(Find(text("<2 x ptr>")), IsEmpty());
  EXPECT_THAT(Find(text("i64")), IsEmpty());
}

class EscapingLabelsTest
    : public LoopEntriesTest,
      public ::testing::WithParamInterface<std::pair<const char*, const char*>> {};

TEST_P(EscapingLabelsTest, LeaveNoEntries) {
  EXPECT_THAT(Find(Interpreter(GetParam().first, GetParam().second)), IsEmpty());
  ASSERT_NE(module_, nullptr);
  EXPECT_EQ(impossible_, 1u);  // The header.
  EXPECT_FALSE(FindLabels(F()).stay_inside);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, EscapingLabelsTest,
    ::testing::Values(
        // Stored to a global, passed, as a number, the table's address passed.
        std::make_pair("", "store ptr blockaddress(@f, %add), ptr @sink"),
        std::make_pair("", "call void @use(ptr blockaddress(@f, %add))"),
        std::make_pair("", "%x = ptrtoint ptr blockaddress(@f, %add) to i64"),
        std::make_pair("", "call void @use(ptr @table)"),
        std::make_pair("", "%x = load ptr, ptr @table\ncall void @use(ptr %x)"),
        std::make_pair("", "store ptr @table, ptr @sink"),
        // A variable whose own address is passed.
        std::make_pair("",
                       "%v = alloca ptr\nstore ptr blockaddress(@f, %add), ptr %v\n"
                       "call void @use(ptr %v)"),
        // Tables that are not constant, that others see, that hold a distance.
        std::make_pair("@other = internal global [1 x ptr] [ptr blockaddress(@f, %add)]", ""),
        std::make_pair("@other = constant [1 x ptr] [ptr blockaddress(@f, %add)]", ""),
        std::make_pair("@other = internal constant i64 ptrtoint (ptr blockaddress(@f, %add) to "
                       "i64)",
                       ""),
        // Another function of the module names one.
        std::make_pair("define ptr @g() { ret ptr blockaddress(@f, %add) }", ""),
        // The table's address in another constant that the function uses.
        std::make_pair("", "%x = extractvalue [1 x ptr] [ptr @table], 0"),
        // Compared with, or chosen or stored beside, what another function may have read.
        std::make_pair("", "%x = icmp eq ptr %code, blockaddress(@f, %add)"),
        std::make_pair("", "%x = select i1 true, ptr %code, ptr blockaddress(@f, %add)"),
        std::make_pair("",
                       "%v = alloca ptr\nstore ptr blockaddress(@f, %add), ptr %v\n"
                       "store ptr %code, ptr %v")));

// Labels of the first body may be anywhere, but the function does not use them.
TEST_F(LoopEntriesTest, OthersMayReadATable) {
  for (const char* others :
       {"define ptr @g() { %t = load ptr, ptr @table\nret ptr %t }",
        "define ptr @g() { %t = load ptr, ptr getelementptr (i8, ptr @table, i64 8)\nret ptr %t }",
        "define void @g() { call void @use(ptr @table)\nret void }",
        "@other = internal constant [1 x ptr] [ptr @table]"}) {
    EXPECT_THAT(Find(Interpreter(others, "")),
                ElementsAre(Named("dispatch", {"code", "sum", "which label: target"})))
        << others;
    EXPECT_TRUE(FindLabels(F()).stay_inside);
  }
}

TEST_F(LoopEntriesTest, BranchToWhatAnotherFunctionHasReadLeavesNoEntries) {
  EXPECT_THAT(Find(R"(
    @table = internal constant [2 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b)]
    define ptr @g(i32 %n) {
      %p = getelementptr [2 x ptr], ptr @table, i32 0, i32 %n
      %t = load ptr, ptr %p
      ret ptr %t
    }
    define void @f(i32 %n) {
    entry:
      %t = call ptr @g(i32 %n)
      br label %loop
    loop:
      indirectbr ptr %t, [label %a, label %b]
    a:
      br label %loop
    b:
      ret void
    })"),
              IsEmpty());
  EXPECT_EQ(impossible_, 1u);
  EXPECT_FALSE(FindLabels(F()).stay_inside);
}

}  // namespace
}  // namespace firstcall
