// The unwinder in code of the baseline code generator: it finds the callers from every instruction,
// and exceptions from every call get where they should, with every value as it was.

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "engine/engine.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"
#include "tests/testing/stepping.h"

namespace {

// What the program calls.
int calls_until_throw = 0;
std::vector<int64_t> notes;

}  // namespace

extern "C" {
void test_may_throw() {
  if (--calls_until_throw == 0) throw 7;
}
void test_note(int64_t value) { notes.push_back(value); }
}

namespace firstcall {
namespace {

std::unique_ptr<Engine> EngineFor(const char* program, Baseline baseline) {
  EngineOptions options;
  options.baseline = baseline;
  options.tier = Tier::kZero;
  std::unique_ptr<Engine> engine = Engine::Create(options).value();
  EXPECT_THAT(engine->AddBitcode(ParseToBitcode(program), "program"), IsOk());
  EXPECT_THAT(engine->PrepareAll(), IsOk());
  return engine;
}

// Frames of every kind: none but rbp, in the red zone, with saved registers, with arguments on the
// stack, that grow, that are returned from in several places, that are large.
[[maybe_unused]] constexpr char kFrames[] = R"(
  @sink = global i64 0
  define void @leaf() { ret void }
  define i64 @red_zone(i64 %a) {
    %v = alloca [8 x i64]
    %p = getelementptr [8 x i64], ptr %v, i64 0, i64 %a
    store i64 %a, ptr %p
    %q = getelementptr [8 x i64], ptr %v, i64 0, i64 3
    %r = load i64, ptr %q
    ret i64 %r
  }
  define i64 @many(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h) {
    %s = add i64 %g, %h
    %t = add i64 %s, %a
    ret i64 %t
  }
  define i64 @loop(i64 %n) {
  entry:
    br label %head
  head:
    %i = phi i64 [ 0, %entry ], [ %next, %head ]
    %sum = phi i64 [ 0, %entry ], [ %more, %head ]
    %x = call i64 @red_zone(i64 3)
    %y = call i64 @many(i64 %i, i64 2, i64 3, i64 4, i64 5, i64 6, i64 %x, i64 %sum)
    %more = add i64 %sum, %y
    %next = add i64 %i, 1
    %again = icmp ult i64 %next, %n
    br i1 %again, label %head, label %done
  done:
    ret i64 %more
  }
  define i64 @grows(i64 %n) {
    %v = alloca i8, i64 %n
    store i8 1, ptr %v
    %r = call i64 @many(i64 %n, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8)
    %c = icmp eq i64 %r, 99
    br i1 %c, label %one, label %other
  one:
    ret i64 1
  other:
    ret i64 %r
  }
  define i64 @large(i64 %a) {
    %v = alloca [20000 x i8]
    store i64 %a, ptr %v
    %r = load i64, ptr %v
    ret i64 %r
  }
  define void @all() {
    call void @leaf()
    %l = call i64 @large(i64 1)
    %a = call i64 @loop(i64 2)
    %b = call i64 @grows(i64 40)
    %c = add i64 %a, %b
    store i64 %c, ptr @sink
    ret void
  }
)";

#if defined(__x86_64__)  // Others' processes cannot step through themselves.
TEST(UnwindingTest, CallersAreFoundAtEveryInstruction) {
  for (const char* flags :
       {"", "!llvm.module.flags = !{!0} !0 = !{i32 8, !\"cf-protection-branch\", i32 1}"}) {
    for (const char* attributes :
         {"", "sspreq", "\"probe-stack\"=\"inline-asm\"",
          "sspreq \"probe-stack\"=\"inline-asm\" \"zero-call-used-regs\"=\"used\""}) {
      const std::string program =
          absl::StrReplaceAll(kFrames, {{") {", absl::StrCat(") ", attributes, " {")}}) + flags;
      const std::unique_ptr<Engine> engine = EngineFor(program.c_str(), Baseline::kStrict);
      ASSERT_OK_AND_ASSIGN(auto* all, engine->Lookup<void()>("all"));
      const testing::Steps steps = testing::StepThrough(all);
      EXPECT_GT(steps.all, 80u);
    }
  }
}

constexpr char kTailCalls[] = R"(
  @pointer = global ptr @many
  @sink = global i64 0
  define i64 @many(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h) {
    %s = add i64 %g, %h
    %t = add i64 %s, %a
    ret i64 %t
  }
  define i64 @turns(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h) {
    %v = alloca [8 x i64]
    store i64 %a, ptr %v
    %to = load ptr, ptr @pointer
    %n = load i64, ptr %v
    %r = musttail call i64 %to(i64 %h, i64 %n, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g)
    ret i64 %r
  }
  define i64 @calls(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h) {
    %x = call i64 @many(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h)
    %y = add i64 %x, %a
    %is = icmp eq i64 %y, 77
    br i1 %is, label %end, label %more
  more:
    %p = alloca i64, i64 %a
    store i64 %y, ptr %p
    %r = musttail call i64 @turns(i64 %x, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %y)
    ret i64 %r
  end:
    ret i64 1
  }
  define void @all() {
    %r = call i64 @calls(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8)
    store i64 %r, ptr @sink
    ret void
  }
)";

TEST(UnwindingTest, CallersAreFoundWhereTailCallsLeave) {
  for (const char* attributes : {"", "sspreq", "\"probe-stack\"=\"inline-asm\""}) {
    const std::string program =
        absl::StrReplaceAll(kTailCalls, {{") {", absl::StrCat(") ", attributes, " {")}});
    const std::unique_ptr<Engine> engine = EngineFor(program.c_str(), Baseline::kStrict);
    ASSERT_OK_AND_ASSIGN(auto* all, engine->Lookup<void()>("all"));
    EXPECT_GT(testing::StepThrough(all).all, 60u);
  }
}
#endif

// Calls in a try block, in a clean-up, in a handler, and outside; values that live across them in
// registers that belong to callers, and in slots; arguments on the stack.
constexpr char kThrows[] = R"(
  declare void @test_may_throw()
  declare void @test_note(i64)
  declare i32 @__gxx_personality_v0(...)
  declare ptr @__cxa_begin_catch(ptr)
  declare void @__cxa_end_catch()
  @_ZTIi = external constant ptr
  @_ZTIl = external constant ptr

  define void @on_stack(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, ptr byval([40 x i8]) %p) {
    call void @test_may_throw()
    %x = add i64 %a, %g
    call void @test_note(i64 %x)
    ret void
  }

  define i64 @cleans(i64 %k) personality ptr @__gxx_personality_v0 {
    %v = alloca [40 x i8]
    store i64 %k, ptr %v
    %twice = mul i64 %k, 2
    invoke void @test_may_throw() to label %next unwind label %pad
  next:
    invoke void @on_stack(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 %k, ptr byval([40 x i8]) %v)
      to label %fine unwind label %pad
  fine:
    call void @test_may_throw()
    call void @test_note(i64 %twice)
    ret i64 %twice
  pad:
    %at = phi i64 [ 100, %0 ], [ 200, %next ]
    %e = landingpad { ptr, i32 } cleanup
    %sum = add i64 %at, %twice
    call void @test_note(i64 %sum)
    resume { ptr, i32 } %e
  }

  define i64 @catches(i64 %k) personality ptr @__gxx_personality_v0 {
  entry:
    br label %head
  head:
    %i = phi i64 [ 0, %entry ], [ %j, %after ]
    %sum = phi i64 [ %k, %entry ], [ %more, %after ]
    %r = invoke i64 @cleans(i64 %i) to label %after unwind label %pad
  after:
    %s = phi i64 [ %r, %head ], [ %caught, %handler ]
    %more = add i64 %sum, %s
    %j = add i64 %i, 1
    call void @test_note(i64 %more)
    %again = icmp ult i64 %j, 3
    br i1 %again, label %head, label %done
  pad:
    %e = landingpad { ptr, i32 } catch ptr @_ZTIl catch ptr @_ZTIi
    %object = extractvalue { ptr, i32 } %e, 0
    %kind = extractvalue { ptr, i32 } %e, 1
    %int = call i32 @llvm.eh.typeid.for(ptr @_ZTIi)
    %is_int = icmp eq i32 %kind, %int
    br i1 %is_int, label %handler, label %other
  handler:
    %p = call ptr @__cxa_begin_catch(ptr %object)
    %n = load i32, ptr %p
    %caught = sext i32 %n to i64
    call void @__cxa_end_catch()
    call void @test_note(i64 %i)
    br label %after
  other:
    resume { ptr, i32 } %e
  done:
    call void @test_may_throw()
    ret i64 %more
  }
  declare i32 @llvm.eh.typeid.for(ptr)
)";

struct Outcome {
  std::vector<int64_t> notes;
  int64_t result = 0;
  bool is_thrown = false;
};
bool operator==(const Outcome& a, const Outcome& b) {
  return a.notes == b.notes && a.result == b.result && a.is_thrown == b.is_thrown;
}

Outcome CallAndThrowAt(int64_t (*function)(int64_t), int call) {
  calls_until_throw = call;
  notes.clear();
  Outcome outcome;
  try {
    outcome.result = function(1000);
  } catch (int value) {
    EXPECT_EQ(value, 7);
    outcome.is_thrown = true;
  }
  outcome.notes = notes;
  return outcome;
}

TEST(UnwindingTest, ExceptionsFromEveryCallGetWhereTheyShould) {
  const std::unique_ptr<Engine> baseline = EngineFor(kThrows, Baseline::kStrict);
  const std::unique_ptr<Engine> llvm = EngineFor(kThrows, Baseline::kOff);
  auto* actual = baseline->Lookup<int64_t(int64_t)>("catches").value();
  auto* expected = llvm->Lookup<int64_t(int64_t)>("catches").value();
  int thrown = 0, caught = 0;
  for (int call = 0; call <= 11; ++call) {
    const Outcome outcome = CallAndThrowAt(expected, call);
    EXPECT_TRUE(CallAndThrowAt(actual, call) == outcome) << "call " << call;
    if (outcome.is_thrown) ++thrown;
    if (calls_until_throw <= 0 && call > 0 && !outcome.is_thrown) ++caught;
  }
  EXPECT_EQ(thrown, 1);  // The last call is outside of all blocks.
  EXPECT_EQ(caught, 9);  // Each of three in each of three iterations.
}

}  // namespace
}  // namespace firstcall
