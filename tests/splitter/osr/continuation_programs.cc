#include "tests/splitter/osr/continuation_programs.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace firstcall {
namespace {

constexpr char kDeclarations[] = R"(
  declare void @trace(i64)
  declare void @keep(ptr)
  declare void @bump()
  declare void @throw_if(i64)
  declare i32 @__gxx_personality_v0(...)
  declare ptr @__cxa_begin_catch(ptr)
  declare void @__cxa_end_catch()
)";

// As a front end writes it: everything in variables.
constexpr char kVariables[] = R"(
  define i64 @run(i64 %n) {
  entry:
    %n.addr = alloca i64
    %r = call i64 @f(i64 %n)
    ret i64 %r
  }
  define i64 @f(i64 %n) {
  entry:
    %n.addr = alloca i64
    %i = alloca i32, align 16
    %sum = alloca i64
    %flag = alloca i8
    store i64 %n, ptr %n.addr
    store i32 0, ptr %i
    store i64 7, ptr %sum
    store i8 1, ptr %flag
    br label %loop
  loop:
    %i1 = load i32, ptr %i
    %i2 = sext i32 %i1 to i64
    %n1 = load i64, ptr %n.addr
    %more = icmp slt i64 %i2, %n1
    br i1 %more, label %body, label %end
  body:
    %s1 = load i64, ptr %sum
    %s2 = mul i64 %s1, 3
    %s3 = add i64 %s2, %i2
    store i64 %s3, ptr %sum
    call void @trace(i64 %s3)
    %f1 = load i8, ptr %flag
    %f2 = xor i8 %f1, 1
    store i8 %f2, ptr %flag
    %i3 = add i32 %i1, 1
    store i32 %i3, ptr %i
    br label %loop
  end:
    %f3 = load i8, ptr %flag
    %f4 = zext i8 %f3 to i64
    %s4 = load i64, ptr %sum
    %r = add i64 %s4, %f4
    ret i64 %r
  })";

// Variables that a first body may keep in registers: those of the first two loops also in ones
// that calls change.
constexpr char kRegisterVariables[] = R"(
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n, double 1.5)
    ret i64 %r
  }
  define i64 @f(i64 %n, double %step) {
  entry:
    %i = alloca i64
    %j = alloca i32
    %small = alloca i16
    %number = alloca double
    %single = alloca float
    %total = alloca i64
    %k = alloca i64
    store i64 0, ptr %i
    store i16 -5, ptr %small
    store double 0.25, ptr %number
    store float 4.0, ptr %single
    store i64 3, ptr %total
    br label %outer
  outer:
    store i32 0, ptr %j
    br label %inner
  inner:
    %number1 = load double, ptr %number
    %number2 = fadd double %number1, %step
    store double %number2, ptr %number
    %single1 = load float, ptr %single
    %single2 = fmul float %single1, 1.125
    store float %single2, ptr %single
    %small1 = load i16, ptr %small
    %small2 = mul i16 %small1, 3
    store i16 %small2, ptr %small
    %small3 = sext i16 %small2 to i64
    %total1 = load i64, ptr %total
    %total2 = add i64 %total1, %small3
    store i64 %total2, ptr %total
    %j1 = load i32, ptr %j
    %j2 = add i32 %j1, 1
    store i32 %j2, ptr %j
    %again = icmp ult i32 %j2, 5
    br i1 %again, label %inner, label %next
  next:
    %i1 = load i64, ptr %i
    %i2 = add i64 %i1, 1
    store i64 %i2, ptr %i
    %more = icmp slt i64 %i2, %n
    br i1 %more, label %outer, label %between
  between:
    store i64 %n, ptr %k
    br label %last
  last:
    %total3 = load i64, ptr %total
    call void @trace(i64 %total3)
    %number3 = load double, ptr %number
    %whole = fptosi double %number3 to i64
    %total4 = sub i64 %total3, %whole
    store i64 %total4, ptr %total
    %k1 = load i64, ptr %k
    %k2 = sub i64 %k1, 1
    store i64 %k2, ptr %k
    %goes_on = icmp sgt i64 %k2, 0
    br i1 %goes_on, label %last, label %end
  end:
    %single3 = load float, ptr %single
    %single4 = fptosi float %single3 to i64
    %small4 = load i16, ptr %small
    %small5 = zext i16 %small4 to i64
    %total5 = load i64, ptr %total
    %r1 = add i64 %total5, %single4
    %r2 = xor i64 %r1, %small5
    ret i64 %r2
  })";

// The phis are each other's values.
constexpr char kFibonacci[] = R"(
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n, i64 100)
    ret i64 %r
  }
  define i64 @f(i64 %n, i64 %later) {
  entry:
    br label %loop
  loop:
    %a = phi i64 [ 0, %entry ], [ %b, %loop ]
    %b = phi i64 [ 1, %entry ], [ %sum, %loop ]
    %unread = phi i64 [ 5, %entry ], [ %a, %loop ]
    %i = phi i64 [ 0, %entry ], [ %next, %loop ]
    %sum = add i64 %a, %b
    %next = add i64 %i, 1
    %more = icmp slt i64 %next, %n
    br i1 %more, label %loop, label %end
  end:
    %last = phi i64 [ %b, %loop ]
    %r = add i64 %last, %later
    %r2 = add i64 %r, %a
    ret i64 %r2
  })";

constexpr char kNested[] = R"(
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n, i64 3)
    ret i64 %r
  }
  define i64 @f(i64 %n, i64 %m) {
  entry:
    %scale = mul i64 %m, 11
    br label %outer
  outer:
    %i = phi i64 [ 0, %entry ], [ %i2, %tail ]
    %total = phi i64 [ 1, %entry ], [ %inner.sum, %tail ]
    %square = mul i64 %i, %i
    br label %inner
  inner:
    %j = phi i64 [ 0, %outer ], [ %j2, %latch ]
    %s = phi i64 [ %total, %outer ], [ %s3, %latch ]
    %odd = trunc i64 %j to i1
    br i1 %odd, label %left, label %right
  left:
    %x = add i64 %square, %j
    br label %latch
  right:
    br label %latch
  latch:
    %step = phi i64 [ %x, %left ], [ %scale, %right ]
    %s2 = mul i64 %s, 3
    %s3 = add i64 %s2, %step
    call void @trace(i64 %s3)
    %j2 = add i64 %j, 1
    %again = icmp slt i64 %j2, %m
    br i1 %again, label %inner, label %tail
  tail:
    %inner.sum = phi i64 [ %s3, %latch ]
    %i2 = add i64 %i, 1
    %more = icmp slt i64 %i2, %n
    br i1 %more, label %outer, label %second
  second:
    %k = phi i64 [ 0, %tail ], [ %k2, %second ]
    %acc = phi i64 [ %inner.sum, %tail ], [ %acc2, %second ]
    %acc2 = xor i64 %acc, %k
    %k2 = add i64 %k, 1
    %on = icmp slt i64 %k2, %scale
    br i1 %on, label %second, label %end
  end:
    ret i64 %acc2
  })";

// Two ways into it, and a switch with several edges to one block.
constexpr char kIrreducible[] = R"(
  define i64 @run(i64 %n) {
    %even = trunc i64 %n to i1
    %r = call i64 @f(i1 %even, i64 %n)
    ret i64 %r
  }
  define i64 @f(i1 %c, i64 %n) {
  entry:
    br i1 %c, label %a, label %b
  a:
    %x = phi i64 [ 0, %entry ], [ %y2, %b ], [ %y2, %b ], [ %z, %other ]
    %x2 = add i64 %x, 1
    call void @trace(i64 %x2)
    br label %b
  b:
    %y = phi i64 [ 5, %entry ], [ %x2, %a ]
    %y2 = add i64 %y, 3
    %over = icmp sgt i64 %y2, 60
    %m = urem i64 %y2, 5
    %m2 = select i1 %over, i64 77, i64 %m
    switch i64 %m2, label %other [ i64 1, label %a
                                   i64 2, label %a
                                   i64 77, label %end ]
  other:
    %z = add i64 %y2, %n
    br label %a
  end:
    %r = add i64 %y2, %n
    ret i64 %r
  })";

// One of each lives at the loop and changes in it.
constexpr char kKinds[] = R"(
  %pair = type { i32, [2 x i64] }
  @global = internal global i64 3
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n, i1 true, i8 200, <4 x i32> <i32 1, i32 2, i32 3, i32 4>, i128 99999999999999999999)
    ret i64 %r
  }
  define i64 @f(i64 %n, i1 zeroext %bit0, i8 signext %byte0, <4 x i32> %vec0, i128 %wide0) {
  entry:
    %flags0 = icmp ugt <4 x i32> %vec0, <i32 2, i32 2, i32 2, i32 2>
    %pair0 = insertvalue %pair undef, i32 5, 0
    %pair1 = insertvalue %pair %pair0, [2 x i64] [i64 8, i64 9], 1
    %odd0 = zext i64 %n to i65
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %loop ]
    %bit = phi i1 [ %bit0, %entry ], [ %bit2, %loop ]
    %byte = phi i8 [ %byte0, %entry ], [ %byte2, %loop ]
    %vec = phi <4 x i32> [ %vec0, %entry ], [ %vec2, %loop ]
    %flags = phi <4 x i1> [ %flags0, %entry ], [ %flags2, %loop ]
    %wide = phi i128 [ %wide0, %entry ], [ %wide2, %loop ]
    %odd = phi i65 [ %odd0, %entry ], [ %odd2, %loop ]
    %pair = phi %pair [ %pair1, %entry ], [ %pair2, %loop ]
    %small = phi half [ 1.5, %entry ], [ %small2, %loop ]
    %single = phi float [ 1.5, %entry ], [ %single2, %loop ]
    %twice = phi double [ 2.5, %entry ], [ %twice2, %loop ]
    %long = phi LONG [ LONG_ONE, %entry ], [ %long2, %loop ]
    %p = phi ptr [ @global, %entry ], [ %p2, %loop ]
    %bit2 = xor i1 %bit, true
    %byte2 = mul i8 %byte, 7
    %vec2 = mul <4 x i32> %vec, %vec0
    %flags2 = xor <4 x i1> %flags, <i1 1, i1 0, i1 1, i1 0>
    %wide2 = mul i128 %wide, %wide0
    %odd2 = sub i65 %odd, 3
    %old = extractvalue %pair %pair, 1, 1
    %new = mul i64 %old, 3
    %pair2 = insertvalue %pair %pair, i64 %new, 1, 1
    %small2 = fadd half %small, 0.25
    %single2 = fmul float %single, 1.25
    %twice2 = fadd double %twice, 0.1
    %long2 = fmul LONG %long, LONG_ONE
    %p2 = select i1 %bit, ptr null, ptr @global
    %i2 = add i64 %i, 1
    %more = icmp slt i64 %i2, %n
    br i1 %more, label %loop, label %end
  end:
    %t1 = zext i1 %bit to i64
    call void @trace(i64 %t1)
    %t2 = sext i8 %byte to i64
    call void @trace(i64 %t2)
    %t3 = bitcast <4 x i32> %vec to i128
    %t4 = add i128 %t3, %wide
    %t5 = trunc i128 %t4 to i64
    call void @trace(i64 %t5)
    %t6 = lshr i128 %t4, 64
    %t7 = trunc i128 %t6 to i64
    call void @trace(i64 %t7)
    %u = bitcast <4 x i1> %flags to i4
    %t8 = zext i4 %u to i64
    call void @trace(i64 %t8)
    %t9 = extractvalue %pair %pair, 1, 1
    call void @trace(i64 %t9)
    %t10 = extractvalue %pair %pair, 0
    %t11 = zext i32 %t10 to i64
    call void @trace(i64 %t11)
    %u2 = bitcast half %small to i16
    %u3 = zext i16 %u2 to i64
    call void @trace(i64 %u3)
    %t12 = bitcast double %twice to i64
    call void @trace(i64 %t12)
    %t13 = bitcast float %single to i32
    %t14 = zext i32 %t13 to i64
    call void @trace(i64 %t14)
    %t15 = fptrunc LONG %long to double
    %t16 = bitcast double %t15 to i64
    call void @trace(i64 %t16)
    %t17 = lshr i65 %odd, 1
    %t18 = trunc i65 %t17 to i64
    call void @trace(i64 %t18)
    %t19 = icmp eq ptr %p, null
    %t20 = zext i1 %t19 to i64
    ret i64 %t20
  })";

// The frame's own array, reached through a pointer that lives in another variable and through one
// that is a value.
constexpr char kOwnArrays[] = R"(
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n)
    ret i64 %r
  }
  define i64 @f(i64 %n) {
  entry:
    %array = alloca [16 x i64], align 32
    %cursor = alloca ptr
    %other = alloca [16 x i64]
    call void @llvm.memset.p0.i64(ptr %array, i8 0, i64 128, i1 false)
    call void @llvm.memset.p0.i64(ptr %other, i8 1, i64 128, i1 false)
    %second = getelementptr [16 x i64], ptr %array, i64 0, i64 1
    store ptr %array, ptr %cursor
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %loop ]
    %ahead = phi ptr [ %second, %entry ], [ %ahead2, %loop ]
    %at = load ptr, ptr %cursor
    %x = load i64, ptr %at
    %x2 = add i64 %x, %i
    %x3 = add i64 %x2, 10
    store i64 %x3, ptr %ahead
    %y = getelementptr [16 x i64], ptr %other, i64 0, i64 %i
    store i64 %x3, ptr %y
    store ptr %ahead, ptr %cursor
    %ahead2 = getelementptr i64, ptr %ahead, i64 1
    call void @trace(i64 %x3)
    %i2 = add i64 %i, 1
    %more = icmp slt i64 %i2, %n
    br i1 %more, label %loop, label %sums
  sums:
    %k = phi i64 [ 0, %loop ], [ %k2, %sums ]
    %sum = phi i64 [ 0, %loop ], [ %sum4, %sums ]
    %p = getelementptr [16 x i64], ptr %array, i64 0, i64 %k
    %v = load i64, ptr %p
    %q = getelementptr [16 x i64], ptr %other, i64 0, i64 %k
    %w = load i64, ptr %q
    %sum2 = mul i64 %sum, 31
    %sum3 = add i64 %sum2, %v
    %sum4 = xor i64 %sum3, %w
    %k2 = add i64 %k, 1
    %on = icmp slt i64 %k2, 16
    br i1 %on, label %sums, label %end
  end:
    ret i64 %sum4
  }
  declare void @llvm.memset.p0.i64(ptr, i8, i64, i1))";

// The host has the address of a variable, and changes it.
constexpr char kEscaped[] = R"(
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n)
    ret i64 %r
  }
  define i64 @f(i64 %n) {
  entry:
    %shared = alloca i32
    %inside = alloca i32
    store i32 40, ptr %shared
    call void @keep(ptr %shared)
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %loop ]
    call void @llvm.lifetime.start.p0(i64 4, ptr %inside)
    store i32 1, ptr %inside
    call void @bump()
    %a = load i32, ptr %shared
    %b = mul i32 %a, 2
    store i32 %b, ptr %shared
    call void @keep(ptr %inside)
    call void @bump()
    call void @keep(ptr %shared)
    %c = load i32, ptr %inside
    %d = add i32 %b, %c
    %e = sext i32 %d to i64
    call void @trace(i64 %e)
    call void @llvm.lifetime.end.p0(i64 4, ptr %inside)
    %i2 = add i64 %i, 1
    %more = icmp slt i64 %i2, %n
    br i1 %more, label %loop, label %end
  end:
    %last = load i32, ptr %shared
    %r = sext i32 %last to i64
    ret i64 %r
  }
  declare void @llvm.lifetime.start.p0(i64, ptr)
  declare void @llvm.lifetime.end.p0(i64, ptr))";

// Variables whose size is known at run time only, made before the loop and in it.
constexpr char kDynamicVariables[] = R"(
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n)
    ret i64 %r
  }
  define i64 @f(i64 %n) {
  entry:
    %size = add i64 %n, 1
    %array = alloca i64, i64 %size
    store i64 0, ptr %array
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %loop ]
    %before = phi ptr [ %array, %entry ], [ %each, %loop ]
    %each = alloca i64
    %a = load i64, ptr %before
    %b = add i64 %a, 3
    store i64 %b, ptr %each
    %p = getelementptr i64, ptr %array, i64 %i
    store i64 %b, ptr %p
    %i2 = add i64 %i, 1
    %more = icmp slt i64 %i2, %n
    br i1 %more, label %loop, label %end
  end:
    %x = load i64, ptr %array
    %y = load i64, ptr %each
    %xy = mul i64 %x, %y
    ret i64 %xy
  })";

// What an invoke returns lives at loops, and goes to a phi where it goes on; exceptions are caught
// in the loop, and leave it.
constexpr char kExceptions[] = R"(
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n)
    ret i64 %r
  }
  define internal i64 @callee(i64 %x) uwtable noinline {
    %m = urem i64 %x, 3
    %is = icmp eq i64 %m, 1
    %t = select i1 %is, i64 %x, i64 0
    call void @throw_if(i64 %t)
    %r = mul i64 %x, 5
    ret i64 %r
  }
  define i64 @f(i64 %n) uwtable personality ptr @__gxx_personality_v0 {
  entry:
    %first = invoke i64 @callee(i64 12) to label %loop unwind label %leave
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %next ], [ %i, %again ]
    %sum = phi i64 [ %first, %entry ], [ %sum2, %next ], [ %extra, %again ]
    %small = icmp slt i64 %sum, %n
    br i1 %small, label %again, label %work
  again:
    %extra = invoke i64 @callee(i64 60) to label %loop unwind label %leave
  work:
    %got = invoke i64 @callee(i64 %i) to label %next unwind label %caught
  caught:
    %pad = landingpad { ptr, i32 } catch ptr null
    %thrown = extractvalue { ptr, i32 } %pad, 0
    %value = call ptr @__cxa_begin_catch(ptr %thrown)
    %number = load i64, ptr %value
    call void @__cxa_end_catch()
    call void @trace(i64 %number)
    br label %next
  next:
    %one = phi i64 [ %got, %work ], [ -1, %caught ]
    %sum2 = add i64 %sum, %one
    call void @trace(i64 %sum2)
    %i2 = add i64 %i, 1
    %more = icmp sle i64 %i2, %n
    br i1 %more, label %loop, label %end
  end:
    %odd = trunc i64 %n to i1
    %t = select i1 %odd, i64 %sum2, i64 0
    call void @throw_if(i64 %t)
    %r = add i64 %sum2, %first
    ret i64 %r
  leave:
    %pad2 = landingpad { ptr, i32 } cleanup
    call void @trace(i64 -5)
    resume { ptr, i32 } %pad2
  })";

// A result in the caller's memory, a copied argument, many arguments.
constexpr char kByAddress[] = R"(
  %three = type { i64, i64, i64 }
  define i64 @run(i64 %n) {
    %in = alloca %three
    %out = alloca %three
    store %three { i64 1, i64 2, i64 3 }, ptr %in
    call void @f(ptr sret(%three) %out, ptr byval(%three) %in, i64 %n, i64 1, i64 2, i64 3, i64 4,
                 i64 5, i64 6, double 7.0)
    %a = getelementptr %three, ptr %in, i32 0, i32 1
    %x = load i64, ptr %a
    call void @trace(i64 %x)
    %b = getelementptr %three, ptr %out, i32 0, i32 1
    %y = load i64, ptr %b
    ret i64 %y
  }
  define void @f(ptr noalias sret(%three) %out, ptr byval(%three) %in, i64 %n, i64 %1, i64 %2,
                 i64 %3, i64 %4, i64 %5, i64 %6, double %7) {
  entry:
    %p = getelementptr %three, ptr %in, i32 0, i32 1
    %q = getelementptr %three, ptr %out, i32 0, i32 1
    store i64 0, ptr %q
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %loop ]
    %x = load i64, ptr %p
    %x2 = mul i64 %x, 3
    store i64 %x2, ptr %p
    %y = load i64, ptr %q
    %y2 = add i64 %y, %x2
    %y3 = add i64 %y2, %6
    %z = fptosi double %7 to i64
    %y4 = add i64 %y3, %z
    store i64 %y4, ptr %q
    %i2 = add i64 %i, 1
    %more = icmp slt i64 %i2, %n
    br i1 %more, label %loop, label %end
  end:
    ret void
  })";

// Calls itself from the loop: frames of both kinds lie on each other.
constexpr char kRecursion[] = R"(
  define i64 @run(i64 %n) {
    %small = call i64 @llvm.smin.i64(i64 %n, i64 4)
    %r = call i64 @f(i64 %small)
    ret i64 %r
  }
  declare i64 @llvm.smin.i64(i64, i64)
  define i64 @f(i64 %n) {
  entry:
    %sum = alloca i64
    store i64 1, ptr %sum
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %body ]
    %more = icmp slt i64 %i, %n
    br i1 %more, label %body, label %end
  body:
    %below = call i64 @f(i64 %i)
    %old = load i64, ptr %sum
    %new = add i64 %old, %below
    store i64 %new, ptr %sum
    call void @trace(i64 %new)
    %i2 = add i64 %i, 1
    br label %loop
  end:
    %r = load i64, ptr %sum
    ret i64 %r
  })";

constexpr char kVolatileAndAtomic[] = R"(
  @count = internal global i32 0
  define i64 @run(i64 %n) {
    store i32 0, ptr @count
    %r = call { i64, i1 } @f(i64 %n)
    %a = extractvalue { i64, i1 } %r, 0
    ret i64 %a
  }
  define { i64, i1 } @f(i64 %n) {
  entry:
    %seen = alloca i64
    %mine = alloca i64
    store volatile i64 2, ptr %seen
    store atomic i64 0, ptr %mine monotonic, align 8
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %loop ]
    %a = load volatile i64, ptr %seen
    %b = mul i64 %a, 3
    store volatile i64 %b, ptr %seen
    %c = atomicrmw add ptr %mine, i64 %b seq_cst
    %d = cmpxchg ptr @count, i32 0, i32 7 acq_rel acquire
    %e = extractvalue { i32, i1 } %d, 0
    %g = sext i32 %e to i64
    call void @trace(i64 %g)
    %i2 = add i64 %i, 1
    %more = icmp slt i64 %i2, %n
    br i1 %more, label %loop, label %end
  end:
    %x = load volatile i64, ptr %seen
    %y = load atomic i64, ptr %mine seq_cst, align 8
    %z = xor i64 %x, %y
    %r0 = insertvalue { i64, i1 } undef, i64 %z, 0
    %r1 = insertvalue { i64, i1 } %r0, i1 %more, 1
    ret { i64, i1 } %r1
  })";

// The loop's header only branches.
constexpr char kComputedGoto[] = R"(
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n)
    ret i64 %r
  }
  define i64 @f(i64 %n) {
  entry:
    br label %dispatch
  dispatch:
    %sum = phi i64 [ 1, %entry ], [ %more, %add ], [ %much, %twice ]
    %left = phi i64 [ 12, %entry ], [ %l1, %add ], [ %l2, %twice ]
    %to = phi ptr [ blockaddress(@f, %add), %entry ], [ %t1, %add ], [ %t2, %twice ]
    indirectbr ptr %to, [label %add, label %twice, label %end]
  add:
    %more = add i64 %sum, %n
    call void @trace(i64 %more)
    %l1 = sub i64 %left, 1
    %o1 = trunc i64 %more to i1
    %t0 = select i1 %o1, ptr blockaddress(@f, %add), ptr blockaddress(@f, %twice)
    %out = icmp slt i64 %l1, 0
    %t1 = select i1 %out, ptr blockaddress(@f, %end), ptr %t0
    br label %dispatch
  twice:
    %much = mul i64 %sum, 3
    %l2 = sub i64 %left, 1
    %done = icmp slt i64 %l2, 0
    %o2 = icmp eq i64 %n, 2
    %t3 = select i1 %o2, ptr blockaddress(@f, %add), ptr blockaddress(@f, %twice)
    %t2 = select i1 %done, ptr blockaddress(@f, %end), ptr %t3
    br label %dispatch
  end:
    ret i64 %sum
  })";

// A label that is chosen before the loop and used after it, and one that is compared.
constexpr char kLabelLater[] = R"(
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n)
    ret i64 %r
  }
  define i64 @f(i64 %n) {
  entry:
    %o = trunc i64 %n to i1
    %to = select i1 %o, ptr blockaddress(@f, %last), ptr blockaddress(@f, %other)
    %none = select i1 %o, ptr null, ptr blockaddress(@f, %other)
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %loop ]
    %i2 = add i64 %i, 1
    call void @trace(i64 %i2)
    %more = icmp slt i64 %i2, 7
    br i1 %more, label %loop, label %end
  end:
    indirectbr ptr %to, [label %last, label %other]
  other:
    ret i64 %i2
  last:
    %is = icmp eq ptr %none, null
    %isn = zext i1 %is to i64
    %r = add i64 %isn, 100
    ret i64 %r
  })";

// A label that may be null, and a target whose address nothing takes.
constexpr char kNullLabel[] = R"(
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n)
    ret i64 %r
  }
  define i64 @f(i64 %n) {
  entry:
    %o = trunc i64 %n to i1
    %to = select i1 %o, ptr blockaddress(@f, %last), ptr null
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %loop ]
    %i2 = add i64 %i, 1
    call void @trace(i64 %i2)
    %more = icmp slt i64 %i2, 7
    br i1 %more, label %loop, label %end
  end:
    %is = icmp eq ptr %to, null
    br i1 %is, label %other, label %go
  go:
    indirectbr ptr %to, [label %last, label %never]
  other:
    ret i64 %i2
  never:
    ret i64 -5
  last:
    ret i64 100
  })";

// Callees that other modules may define, too, and that are compiled together with @f.
constexpr char kJoined[] = R"(
  define linkonce_odr i64 @first(i64 %x) {
    %y = mul i64 %x, 3
    ret i64 %y
  }
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n)
    ret i64 %r
  }
  define weak_odr i64 @f(i64 %n) {
  entry:
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %loop ]
    %sum = phi i64 [ 1, %entry ], [ %c, %loop ]
    %a = call i64 @first(i64 %sum)
    %b = call i64 @second(i64 %a)
    %c = add i64 %b, %i
    call void @trace(i64 %c)
    %i2 = add i64 %i, 1
    %more = icmp slt i64 %i2, %n
    br i1 %more, label %loop, label %end
  end:
    ret i64 %c
  }
  define linkonce_odr i64 @second(i64 %x) {
    %y = xor i64 %x, 12345
    ret i64 %y
  })";

// Variables that live nowhere but within an iteration, or before or after the loop, some of which
// others get the address of; and ways that are never gone.
constexpr char kDeadVariables[] = R"(
  declare void @llvm.lifetime.start.p0(i64, ptr)
  declare void @llvm.lifetime.end.p0(i64, ptr)
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n)
    ret i64 %r
  }
  define i64 @f(i64 %n) {
  entry:
    %before = alloca i64
    %i = alloca i64
    %inside = alloca i64
    %shared = alloca i32
    %after = alloca i64
    %never = alloca i64
    %sum = alloca i64
    store i64 %n, ptr %before
    %b = load i64, ptr %before
    store i64 0, ptr %i
    store i64 %b, ptr %sum
    br label %loop
  loop:
    %i1 = load i64, ptr %i
    %more = icmp slt i64 %i1, 9
    br i1 %more, label %body, label %end
  body:
    br i1 false, label %nowhere, label %on
  nowhere:
    %x = load i64, ptr %never
    store i64 %x, ptr %sum
    br label %on
  on:
    store i64 %i1, ptr %inside
    call void @llvm.lifetime.start.p0(i64 4, ptr %shared)
    %i32 = trunc i64 %i1 to i32
    store i32 %i32, ptr %shared
    call void @keep(ptr %shared)
    call void @bump()
    %s = load i32, ptr %shared
    call void @llvm.lifetime.end.p0(i64 4, ptr %shared)
    %s64 = zext i32 %s to i64
    %in = load i64, ptr %inside
    %product = mul i64 %s64, %in
    %old = load i64, ptr %sum
    %new = add i64 %old, %product
    store i64 %new, ptr %sum
    call void @trace(i64 %new)
    %i2 = add i64 %i1, 1
    store i64 %i2, ptr %i
    br label %loop
  end:
    %total = load i64, ptr %sum
    store i64 %total, ptr %after
    call void @llvm.lifetime.start.p0(i64 4, ptr %shared)
    store i32 5, ptr %shared
    call void @keep(ptr %shared)
    call void @bump()
    %last = load i32, ptr %shared
    call void @llvm.lifetime.end.p0(i64 4, ptr %shared)
    %last64 = zext i32 %last to i64
    %a = load i64, ptr %after
    %r = add i64 %a, %last64
    ret i64 %r
  })";

// An optimizer has moved the addresses of what lives within an iteration out of the loop.
constexpr char kAddressesOfDeadVariables[] = R"(
  declare void @llvm.lifetime.start.p0(i64, ptr)
  declare void @llvm.lifetime.end.p0(i64, ptr)
  define void @add(ptr %to, ptr %from) noinline {
    %a = load i64, ptr %to
    %b = load i64, ptr %from
    %c = add i64 %a, %b
    store i64 %c, ptr %to
    ret void
  }
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n)
    ret i64 %r
  }
  define i64 @f(i64 %n) {
  entry:
    %pair = alloca [2 x i64]
    %second = getelementptr i64, ptr %pair, i64 1
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %loop ]
    %sum = phi i64 [ %n, %entry ], [ %sum2, %loop ]
    call void @llvm.lifetime.start.p0(i64 16, ptr %pair)
    store i64 %sum, ptr %pair
    store i64 %i, ptr %second
    call void @add(ptr %pair, ptr %second)
    call void @add(ptr %second, ptr %pair)
    %sum2 = load i64, ptr %second
    call void @llvm.lifetime.end.p0(i64 16, ptr %pair)
    call void @trace(i64 %sum2)
    %i2 = add i64 %i, 1
    %more = icmp slt i64 %i2, 8
    br i1 %more, label %loop, label %end
  end:
    ret i64 %sum2
  })";

// A value has the address of a variable that is used by its own name, too, and lives all the time.
constexpr char kNamedVariable[] = R"(
  define i64 @run(i64 %n) {
    %r = call i64 @f(i64 %n)
    ret i64 %r
  }
  define i64 @f(i64 %n) {
  entry:
    %a = alloca [16 x i64]
    call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 128, i1 false)
    %k = and i64 %n, 3
    %q = getelementptr i64, ptr %a, i64 %k
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %loop ]
    %old = load i64, ptr %q
    %new = add i64 %old, 1
    store i64 %new, ptr %q
    %j = and i64 %i, 3
    %p = getelementptr [16 x i64], ptr %a, i64 0, i64 %j
    %x = load i64, ptr %p
    %y = add i64 %x, %i
    store i64 %y, ptr %p
    %i2 = add i64 %i, 1
    %more = icmp slt i64 %i2, 50
    br i1 %more, label %loop, label %end
  end:
    %r = load i64, ptr %q
    ret i64 %r
  }
  declare void @llvm.memset.p0.i64(ptr, i8, i64, i1))";

// What an invoke gives goes to a phi with no other way to it, and lives at the loop behind it.
constexpr char kResultsOfInvokes[] = R"(
  @calls = internal global i64 0
  define i64 @get() noinline {
    %a = load i64, ptr @calls
    %b = add i64 %a, 7
    store i64 %b, ptr @calls
    ret i64 %b
  }
  define i64 @run(i64 %n) {
    store i64 0, ptr @calls
    %r = call i64 @f(i64 %n)
    ret i64 %r
  }
  define i64 @f(i64 %n) personality ptr @__gxx_personality_v0 {
  entry:
    br label %outer
  outer:
    %o = phi i64 [ 0, %entry ], [ %o2, %latch ]
    %s = phi i64 [ 0, %entry ], [ %s3, %latch ]
    %r = invoke i64 @get() to label %ok unwind label %pad
  ok:
    %p = phi i64 [ %r, %outer ]
    %pp = mul i64 %p, 1000
    br label %inner
  inner:
    %i = phi i64 [ 0, %ok ], [ %i2, %inner ]
    %s1 = phi i64 [ %s, %ok ], [ %s2, %inner ]
    %x = add i64 %r, %i
    %s2a = add i64 %s1, %x
    %s2 = add i64 %s2a, %pp
    %i2 = add i64 %i, 1
    %c = icmp slt i64 %i2, 5
    br i1 %c, label %inner, label %latch
  latch:
    %s3 = add i64 %s2, %p
    %o2 = add i64 %o, 1
    %c2 = icmp slt i64 %o2, 4
    br i1 %c2, label %outer, label %end
  end:
    ret i64 %s3
  pad:
    %lp = landingpad { ptr, i32 } cleanup
    resume { ptr, i32 } %lp
  })";

// Results of a kind of their own, and a calling convention.
constexpr char kReturns[] = R"(
  define i64 @run(i64 %n) {
    %a = call fastcc zeroext i1 @f(i64 %n)
    %r = zext i1 %a to i64
    ret i64 %r
  }
  define internal fastcc zeroext i1 @f(i64 %n) noinline {
  entry:
    br label %loop
  loop:
    %i = phi i64 [ 0, %entry ], [ %i2, %loop ]
    %c = phi i1 [ false, %entry ], [ %d, %loop ]
    %d = xor i1 %c, true
    %i2 = add i64 %i, 1
    %more = icmp slt i64 %i2, %n
    br i1 %more, label %loop, label %end
  end:
    ret i1 %d
  })";

}  // namespace

std::vector<ContinuationProgram> ContinuationPrograms() {
#if defined(__x86_64__)
  const std::string kinds =
      absl::StrReplaceAll(kKinds, {{"LONG_ONE", "0xK3FFFC000000000000000"}, {"LONG", "x86_fp80"}});
#else
  const std::string kinds = absl::StrReplaceAll(
      kKinds, {{"LONG_ONE", "0xL00000000000000003FFF800000000000"}, {"LONG", "fp128"}});
#endif
  std::vector<ContinuationProgram> programs = {
      {"Variables", 1, kVariables},
      {"RegisterVariables", 3, kRegisterVariables},
      {"Fibonacci", 1, kFibonacci},
      {"Nested", 3, kNested},
      {"Irreducible", 1, kIrreducible},
      {"Kinds", 1, kinds},
      {"OwnArrays", 2, kOwnArrays},
      {"Escaped", 1, kEscaped},
      {"DynamicVariables", 1, kDynamicVariables},
      {"Exceptions", 1, kExceptions},
      {"ByAddress", 1, kByAddress},
      {"Recursion", 1, kRecursion},
      {"VolatileAndAtomic", 1, kVolatileAndAtomic},
      {"ComputedGoto", 1, kComputedGoto},
      {"LabelLater", 1, kLabelLater},
      {"NullLabel", 1, kNullLabel},
      {"Joined", 1, kJoined},
      {"DeadVariables", 1, kDeadVariables},
      {"AddressesOfDeadVariables", 1, kAddressesOfDeadVariables},
      {"NamedVariable", 1, kNamedVariable},
      {"ResultsOfInvokes", 2, kResultsOfInvokes},
      {"Returns", 1, kReturns},
  };
  for (ContinuationProgram& program : programs) {
    program.text = absl::StrCat(kDeclarations, program.text);
  }
  return programs;
}

}  // namespace firstcall
