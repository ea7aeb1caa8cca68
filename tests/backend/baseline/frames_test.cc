// Variables that the baseline code generator places in the frame in another way than usual: aligned
// to more than the frame, or allocated while the function runs, where the unwinder comes back.

#include <cstdint>
#include <memory>
#include <string>

#include "engine/engine.h"
#include "gtest/gtest.h"
#include "tests/backend/baseline/expect_same.h"
#include "tests/testing/ir.h"
#include "tests/testing/status_matchers.h"

extern "C" {
// Throws for odd numbers. What comes first fills the registers for arguments.
int64_t test_throws_if_odd(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t,
                           int64_t value) {
  if (value % 2 != 0) throw value;
  return value;
}
}

namespace firstcall {
namespace {

TEST(FramesTest, AlignsVariables) {
  for (const char* alignment : {"32", "64", "256", "4096"}) {
    std::string text = R"(
define i64 @g(ptr %p, i64 %i) {
  %a = alloca i64, align ALIGNMENT
  %unused = alloca [3 x i64], align ALIGNMENT
  %b = alloca [5 x i8], i32 3, align ALIGNMENT
  %small = alloca i64
  store i64 %i, ptr %a
  store i64 1, ptr %small
  %e = getelementptr i8, ptr %b, i64 14
  store i8 7, ptr %e
  %x = ptrtoint ptr %a to i64
  %y = ptrtoint ptr %b to i64
  %xy = or i64 %x, %y
  %low = urem i64 %xy, ALIGNMENT
  %va = load i64, ptr %a
  %vb = load i8, ptr %e
  %wb = zext i8 %vb to i64
  %vs = load i64, ptr %small
  %s = add i64 %va, %wb
  %t = add i64 %s, %vs
  %u = add i64 %t, %low
  ret i64 %u
}
define i64 @f(i64 %i, i64 %j) {
entry:
  %v = alloca [40 x i8], align ALIGNMENT
  br label %head
head:
  %k = phi i64 [ 0, %entry ], [ %next, %head ]
  %sum = phi i64 [ %j, %entry ], [ %more, %head ]
  store i64 %sum, ptr %v
  %r = call i64 @g(ptr %v, i64 %i)
  %again = load i64, ptr %v
  %more = add i64 %r, %again
  %next = add i64 %k, 1
  %ends = icmp eq i64 %next, 5
  br i1 %ends, label %end, label %head
end:
  ret i64 %more
}
)";
    for (size_t at; (at = text.find("ALIGNMENT")) != std::string::npos;) {
      text.replace(at, 9, alignment);
    }
    ExpectSame(text);
  }
}

// The stack pointer is where it was, although arguments of the call were on the stack.
TEST(FramesTest, DynamicVariablesOutliveExceptions) {
  EngineOptions options;
  options.baseline = Baseline::kStrict;
  options.tier = Tier::kZero;
  ASSERT_OK_AND_ASSIGN(const std::unique_ptr<Engine> engine, Engine::Create(options));
  ASSERT_THAT(engine->AddBitcode(ParseToBitcode(R"(
  @_ZTIl = external constant ptr
  declare i32 @__gxx_personality_v0(...)
  declare ptr @__cxa_begin_catch(ptr)
  declare void @__cxa_end_catch()
  declare ptr @llvm.stacksave.p0()
  declare void @llvm.stackrestore.p0(ptr)
  declare i64 @test_throws_if_odd(i64, i64, i64, i64, i64, i64, i64, i64, i64)
  define i64 @f(i64 %n, i64 %size) personality ptr @__gxx_personality_v0 {
  entry:
    %v = alloca i64, i64 %size
    store i64 %n, ptr %v
    %before = call ptr @llvm.stacksave.p0()
    br label %head
  head:
    %i = phi i64 [ 0, %entry ], [ %next, %joined ]
    %sum = phi i64 [ 0, %entry ], [ %more, %joined ]
    %r = invoke i64 @test_throws_if_odd(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8,
                                        i64 %i) to label %joined unwind label %pad
  pad:
    %caught = landingpad { ptr, i32 } catch ptr null
    %exception = extractvalue { ptr, i32 } %caught, 0
    %object = call ptr @__cxa_begin_catch(ptr %exception)
    %thrown = load i64, ptr %object
    call void @__cxa_end_catch()
    %w = alloca i64, i64 %thrown
    store i64 1000, ptr %w
    %x = load i64, ptr %w
    %now = call ptr @llvm.stacksave.p0()
    call void @llvm.stackrestore.p0(ptr %before)
    br label %joined
  joined:
    %value = phi i64 [ %r, %head ], [ %x, %pad ]
    %more = add i64 %sum, %value
    %next = add i64 %i, 1
    %ends = icmp eq i64 %next, %n
    br i1 %ends, label %end, label %head
  end:
    %after = call ptr @llvm.stacksave.p0()
    %a = ptrtoint ptr %before to i64
    %b = ptrtoint ptr %after to i64
    %lost = sub i64 %a, %b
    %kept = load i64, ptr %v
    %s = add i64 %more, %lost
    %t = add i64 %s, %kept
    ret i64 %t
  }
  )"),
                                 "program"),
              IsOk());
  ASSERT_OK_AND_ASSIGN(auto* f, (engine->Lookup<int64_t(int64_t, int64_t)>("f")));
  // 0 + 1000 + 2 + 1000 + ... + 98 + 1000, and the variable.
  EXPECT_EQ(f(100, 10), 2450 + 50 * 1000 + 100);
  EXPECT_EQ(f(2, 1), 1000 + 2);
}

}  // namespace
}  // namespace firstcall
