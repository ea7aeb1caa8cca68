#include "tests/bitcode/samples.h"

namespace firstcall::testing {
namespace {

constexpr absl::string_view kNumbers = R"(
@integers = global { i1, i8, i32, i64, i65, i128, i200 } { i1 true, i8 -128, i32 2147483647, i64 -9223372036854775808, i65 -1, i128 -170141183460469231731687303715884105728, i200 803469022129495137770981046170581301261101496891396417650687 }
@zeros = global { i1, i8, i64, i128, i200, half, double, x86_fp80, ptr } zeroinitializer
@half = global half 0xHC000
@bfloat = global bfloat 0xR7FC1
@float = global float 0x3FB99999A0000000
@signaling = global float 0x7FF4000000000000
@double = global double -0.0
@extended = global x86_fp80 0xK7FFFC000000000000001
@quad = global fp128 0xL00000000000000017FFF000000000001
@two = global ppc_fp128 0xM3FF00000000000010000000000000000
@small = constant [3 x i24] [i24 1, i24 -1, i24 70000]
@bytes = constant [4 x i8] c"\01\FF\00\80"
@text = constant [6 x i8] c"hello\00"
@seven = constant [4 x i8] c"abcd"
@shorts = constant [3 x i16] [i16 1, i16 -1, i16 -32768]
@words = constant [3 x i32] [i32 1, i32 -1, i32 5]
@longs = constant [2 x i64] [i64 1, i64 -1]
@halves = constant [2 x half] [half 0xH3C00, half 0xH8000]
@bfloats = constant [2 x bfloat] [bfloat 0xR3F80, bfloat 0xR0001]
@floats = constant [2 x float] [float 1.0, float 0x7FF0000000000000]
@doubles = constant <2 x double> <double 2.5, double 0xFFF0000000000001>
@bits = constant <4 x i1> <i1 true, i1 false, i1 true, i1 true>
@wide = constant [2 x i128] [i128 36893488147419103233, i128 -5]
@mixed = constant <2 x i32> <i32 7, i32 undef>
@long.double = constant [2 x x86_fp80] [x86_fp80 0xK3FFF8000000000000000, x86_fp80 undef]
define i128 @use(i1 %c) {
  %1 = select i1 %c, i128 36893488147419103233, i128 -36893488147419103233
  %2 = add i128 %1, 9223372036854775808
  %3 = add i128 %2, -9223372036854775808
  %4 = add i64 0, -9223372036854775808
  %5 = add i64 %4, 9223372036854775807
  %6 = fadd x86_fp80 0xK7FFFC000000000000001, 0xK00000000000000000000
  %7 = fadd ppc_fp128 0xM00000000000000000000000000000000, 0xM3FF00000000000010000000000000000
  %8 = fadd fp128 0xL00000000000000000000000000000000, 0xL00000000000000017FFF000000000001
  ret i128 %3
}
)";

constexpr absl::string_view kAggregates = R"(
%node = type { ptr, %node.data, i32 }
%node.data = type { i8, <{ i16, i32 }>, [2 x double] }
@f = external global ptr
@first = global %node { ptr @second, %node.data { i8 1, <{ i16, i32 }> <{ i16 2, i32 3 }>, [2 x double] [double 1.0, double 2.0] }, i32 5 }
@second = global %node { ptr @first, %node.data zeroinitializer, i32 undef }
@third = global %node { ptr null, %node.data poison, i32 poison }
@undefined = global [3 x %node] undef
@poisoned = global <2 x ptr> poison
@empty = global {} zeroinitializer
@none = global [0 x i32] zeroinitializer
@pointers = constant <2 x ptr> <ptr @first, ptr null>
@deep = global [1 x [1 x [1 x { { ptr } }]]] [[1 x [1 x { { ptr } }]] [[1 x { { ptr } }] [{ { ptr } } { { ptr } { ptr @deep } }]]]
define %node @use() {
  store %node { ptr @third, %node.data undef, i32 7 }, ptr @first
  store [2 x ptr] [ptr @use, ptr @second], ptr @second
  store <2 x i64> <i64 1, i64 ptrtoint (ptr @use to i64)>, ptr @second
  ret %node zeroinitializer
}
)";

constexpr absl::string_view kExpressions = R"(
%pair = type { i32, [4 x i16] }
@a = global [10 x %pair] zeroinitializer
@b = external hidden global i8
@far = external addrspace(1) global i32
@address = global ptr getelementptr (%pair, ptr @a, i64 3, i32 1, i64 2)
@inbounds = global ptr getelementptr inbounds ([10 x %pair], ptr @a, i64 0, i64 3)
@ranged = global ptr getelementptr inbounds inrange(-8, 16) (i8, ptr @a, i64 8)
@unsigned = global ptr getelementptr nuw (i8, ptr @a, i64 8)
@bare = global ptr getelementptr nusw (i8, ptr @a, i64 8)
@many = global <2 x ptr> getelementptr (i32, ptr @a, <2 x i64> <i64 1, i64 2>)
@number = global i64 ptrtoint (ptr @b to i64)
@narrow = global i32 trunc (i64 ptrtoint (ptr @b to i64) to i32)
@distance = global i32 trunc (i64 sub (i64 ptrtoint (ptr @b to i64), i64 ptrtoint (ptr @distance to i64)) to i32)
@sum = global i64 add (i64 ptrtoint (ptr @b to i64), i64 5)
@flagged = global i64 add nuw nsw (i64 ptrtoint (ptr @b to i64), i64 5)
@product = global i64 mul (i64 ptrtoint (ptr @b to i64), i64 3)
@mask = global i64 xor (i64 ptrtoint (ptr @b to i64), i64 -1)
@pointer = global ptr inttoptr (i64 add (i64 ptrtoint (ptr @b to i64), i64 1) to ptr)
@cast = global ptr addrspacecast (ptr addrspace(1) @far to ptr)
@vector = global i64 bitcast (<2 x i32> <i32 ptrtoint (ptr @b to i32), i32 1> to i64)
@element = global i32 extractelement (<2 x i32> <i32 ptrtoint (ptr @b to i32), i32 1>, i32 0)
@with = global <2 x i32> insertelement (<2 x i32> <i32 ptrtoint (ptr @b to i32), i32 1>, i32 3, i32 0)
@shuffled = global <2 x i32> shufflevector (<2 x i32> <i32 ptrtoint (ptr @b to i32), i32 1>, <2 x i32> zeroinitializer, <2 x i32> <i32 3, i32 0>)
declare void @f()
define internal void @g() { ret void }
@local = global ptr dso_local_equivalent @f
@relative = global i32 trunc (i64 sub (i64 ptrtoint (ptr dso_local_equivalent @f to i64), i64 ptrtoint (ptr @relative to i64)) to i32)
@unchecked = global ptr no_cfi @g
define i64 @use(ptr %p) {
  store ptr getelementptr (%pair, ptr @a, i64 3, i32 1, i64 2), ptr %p
  store i64 xor (i64 ptrtoint (ptr @use to i64), i64 -1), ptr getelementptr inbounds (i8, ptr @a, i64 16)
  %1 = load i32, ptr addrspacecast (ptr addrspace(1) @far to ptr)
  call void dso_local_equivalent @f()
  call void no_cfi @g()
  %2 = add i64 ptrtoint (ptr getelementptr (%pair, ptr null, i64 1) to i64), 1
  ret i64 %2
}
)";

constexpr absl::string_view kBlockAddresses = R"(
@table = internal constant [3 x ptr] [ptr blockaddress(@f, %a), ptr blockaddress(@f, %b), ptr blockaddress(@late, %x)]
@distances = internal constant [2 x i32] [i32 0, i32 trunc (i64 sub (i64 ptrtoint (ptr blockaddress(@f, %b) to i64), i64 ptrtoint (ptr blockaddress(@f, %a) to i64)) to i32)]
define ptr @before() {
  ret ptr blockaddress(@late, %y)
}
define void @f(i64 %i) {
entry:
  %place = getelementptr [3 x ptr], ptr @table, i64 0, i64 %i
  %target = load ptr, ptr %place
  indirectbr ptr %target, [ label %a, label %b ]
a:
  br label %b
b:
  %again = icmp eq ptr %target, blockaddress(@f, %a)
  br i1 %again, label %a, label %c
c:
  ret void
}
define void @late() {
entry:
  br label %x
x:
  br label %y
y:
  ret void
}
define void @own(ptr %p) {
entry:
  store ptr blockaddress(@own, %l), ptr %p
  br label %l
l:
  store ptr getelementptr (i8, ptr blockaddress(@own, %m), i64 1), ptr %p
  br label %m
m:
  ret void
}
)";

constexpr Sample kSamples[] = {
    {"Numbers", kNumbers},
    {"Aggregates", kAggregates},
    {"Expressions", kExpressions},
    {"BlockAddresses", kBlockAddresses},
};

}  // namespace

absl::Span<const Sample> ConstantSamples() { return kSamples; }

}  // namespace firstcall::testing
