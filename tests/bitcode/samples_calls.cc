#include "tests/bitcode/samples.h"

namespace firstcall::testing {
namespace {

constexpr absl::string_view kCalls = R"(
%big = type { [5 x i64], i32 }
declare i32 @printf(ptr, ...)
declare fastcc i32 @fast(i32, double)
declare coldcc void @cold()
declare x86_vectorcallcc <4 x float> @vector(<4 x float>)
declare swiftcc void @swift(ptr swiftself, ptr swifterror)
declare void @by(ptr byval(%big) align 16, ptr sret(%big) align 8)
declare i8 @small(i8 zeroext, i16 signext)
declare cc 1023 void @odd()
define i32 @plain(i32 %x, ptr %f, ptr %p) {
  %1 = call i32 (ptr, ...) @printf(ptr %p)
  %2 = call i32 (ptr, ...) @printf(ptr %p, i32 %x, double 2.0, %big zeroinitializer, i1 true)
  %3 = tail call fastcc i32 @fast(i32 %x, double 1.5)
  %4 = notail call fastcc i32 @fast(i32 %x, double undef)
  call coldcc void @cold() #0
  %5 = call x86_vectorcallcc <4 x float> @vector(<4 x float> poison)
  %6 = call fast x86_vectorcallcc <4 x float> @vector(<4 x float> poison)
  %7 = call i32 %f(i32 %x)
  %8 = call i32 @fast(i32 %x)
  call addrspace(0) void %p()
  %9 = alloca swifterror ptr
  call swiftcc void @swift(ptr swiftself %p, ptr swifterror %9)
  call void @by(ptr byval(%big) align 16 %p, ptr sret(%big) align 8 %f)
  %10 = call zeroext i8 @small(i8 zeroext 3, i16 signext -3) nounwind noinline "own"="value"
  call cc 1023 void @odd()
  call void inttoptr (i64 4096 to ptr)()
  %11 = call i32 @plain(i32 %7, ptr @plain, ptr null)
  ret i32 %11
}
define i32 @must(i32 %x, ptr %f) {
  %1 = musttail call i32 %f(i32 %x, ptr @must)
  ret i32 %1
}
define void @variadic(i32 %n, ...) {
  %list = alloca [24 x i8]
  call void @llvm.va_start.p0(ptr %list)
  %1 = va_arg ptr %list, i32
  %2 = va_arg ptr %list, double
  call void @llvm.va_end.p0(ptr %list)
  ret void
}
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
attributes #0 = { cold noreturn nounwind "a" "b"="c" }
)";

constexpr absl::string_view kExceptions = R"(
@type = external constant ptr
declare i32 @__gxx_personality_v0(...)
declare void @throws(i32)
declare i32 @gives(...)
define i32 @caught(i32 %x) personality ptr @__gxx_personality_v0 {
entry:
  invoke void @throws(i32 %x) to label %next unwind label %pad
next:
  %y = invoke i32 (...) @gives(i32 1, double 2.0) to label %done unwind label %pad
done:
  invoke void asm sideeffect "nop", ""() to label %last unwind label %filters
last:
  ret i32 %y
pad:
  %z = phi i32 [ 0, %entry ], [ 1, %next ]
  %caught = landingpad { ptr, i32 } cleanup catch ptr @type catch ptr null
  %which = extractvalue { ptr, i32 } %caught, 1
  %is = icmp eq i32 %which, 1
  br i1 %is, label %handle, label %on
handle:
  ret i32 %z
on:
  resume { ptr, i32 } %caught
filters:
  %none = landingpad { ptr, i32 } filter [0 x ptr] zeroinitializer filter [2 x ptr] [ptr @type, ptr null] catch ptr @type
  unreachable
}
)";

constexpr absl::string_view kFunclets = R"(
declare i32 @__CxxFrameHandler3(...)
declare void @throws(i32)
define void @funclets() personality ptr @__CxxFrameHandler3 {
entry:
  invoke void @throws(i32 1) to label %end unwind label %dispatch
dispatch:
  %choice = catchswitch within none [ label %first, label %second ] unwind label %cleanup
first:
  %pad1 = catchpad within %choice [ ptr null, i32 64, ptr null ]
  call void @throws(i32 2) [ "funclet"(token %pad1) ]
  catchret from %pad1 to label %end
second:
  %pad2 = catchpad within %choice []
  invoke void @throws(i32 3) [ "funclet"(token %pad2) ] to label %fourth unwind label %nested
nested:
  %inner = catchswitch within %pad2 [ label %third ] unwind label %cleanup
third:
  %pad3 = catchpad within %inner [ ptr null, i32 8, ptr null ]
  catchret from %pad3 to label %fourth
fourth:
  catchret from %pad2 to label %end
cleanup:
  %pad4 = cleanuppad within none [ i32 7 ]
  cleanupret from %pad4 unwind to caller
end:
  ret void
}
)";

constexpr absl::string_view kAssembly = R"(
module asm ".globl from_assembly"
module asm "from_assembly:"
@memory = global i32 0
define i32 @plain(i32 %x, ptr %p) {
  %1 = call i32 asm "mov $1, $0", "=r,r"(i32 %x)
  %2 = call { i32, i64 } asm sideeffect alignstack "two $0 $1 $2", "=r,=&r,m,~{memory},~{flags}"(ptr %p)
  %3 = call i32 asm inteldialect "mov $0, $1", "=r,r"(i32 %1) #0
  call void asm sideeffect unwind "", "*m"(ptr elementtype(i32) @memory)
  ret i32 %3
}
define i32 @jumps(i32 %x) {
entry:
  callbr void asm sideeffect "jmp ${1:l}", "r,!i,!i"(i32 %x) to label %fall [label %there, label %elsewhere]
fall:
  %y = callbr i32 asm "", "=r,!i"() to label %there [label %elsewhere]
there:
  ret i32 0
elsewhere:
  ret i32 1
}
attributes #0 = { nounwind memory(none) }
)";

constexpr absl::string_view kIntrinsics = R"(
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.inline.p0.i64(ptr, i8, i64, i1)
declare { i32, i1 } @llvm.sadd.with.overflow.i32(i32, i32)
declare i32 @llvm.ctlz.i32(i32, i1)
declare <4 x float> @llvm.fma.v4f32(<4 x float>, <4 x float>, <4 x float>)
declare void @llvm.lifetime.start.p0(i64, ptr)
declare i1 @llvm.expect.i1(i1, i1)
declare void @llvm.assume(i1)
declare ptr @llvm.stacksave.p0()
declare void @llvm.stackrestore.p0(ptr)
declare void @llvm.trap()
declare double @llvm.experimental.constrained.fadd.f64(double, double, metadata, metadata)
declare i64 @llvm.read_register.i64(metadata)
declare i32 @llvm.vector.reduce.add.v4i32(<4 x i32>)
declare <4 x i32> @llvm.masked.load.v4i32.p0(ptr, i32, <4 x i1>, <4 x i32>)
declare i1 @llvm.is.constant.i32(i32)
declare i1 @llvm.is.fpclass.f64(double, i32)
declare i64 @llvm.objectsize.i64.p0(ptr, i1, i1, i1)
declare void @llvm.prefetch.p0(ptr, i32, i32, i32)
declare i1 @llvm.type.test(ptr, metadata)
declare i32 @llvm.fptosi.sat.i32.f32(float)
declare ptr @llvm.launder.invariant.group.p0(ptr)
define i32 @all(ptr %p, ptr %q, i32 %x, double %d, <4 x float> %v, <4 x i32> %w) strictfp {
  call void @llvm.memcpy.p0.p0.i64(ptr align 8 %p, ptr align 1 %q, i64 24, i1 false)
  call void @llvm.memset.inline.p0.i64(ptr %p, i8 1, i64 7, i1 true)
  %1 = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %x, i32 1)
  %2 = call i32 @llvm.ctlz.i32(i32 %x, i1 true)
  %3 = call reassoc <4 x float> @llvm.fma.v4f32(<4 x float> %v, <4 x float> %v, <4 x float> zeroinitializer)
  %4 = alloca i32
  call void @llvm.lifetime.start.p0(i64 4, ptr %4)
  %5 = icmp eq i32 %2, 0
  %6 = call i1 @llvm.expect.i1(i1 %5, i1 false)
  call void @llvm.assume(i1 %6) [ "align"(ptr %p, i32 8), "nonnull"(ptr %q) ]
  %7 = call ptr @llvm.stacksave.p0()
  call void @llvm.stackrestore.p0(ptr %7)
  %8 = call double @llvm.experimental.constrained.fadd.f64(double %d, double 1.0, metadata !"round.tonearest", metadata !"fpexcept.strict")
  %9 = call i64 @llvm.read_register.i64(metadata !0)
  %10 = call i32 @llvm.vector.reduce.add.v4i32(<4 x i32> %w)
  %11 = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr %p, i32 4, <4 x i1> <i1 true, i1 false, i1 true, i1 true>, <4 x i32> %w)
  %12 = call i1 @llvm.is.constant.i32(i32 %x)
  %13 = call i1 @llvm.is.fpclass.f64(double %d, i32 3)
  %14 = call i64 @llvm.objectsize.i64.p0(ptr %p, i1 false, i1 true, i1 false)
  call void @llvm.prefetch.p0(ptr %p, i32 0, i32 3, i32 1)
  %15 = call i1 @llvm.type.test(ptr %p, metadata !"a type")
  %16 = call i32 @llvm.fptosi.sat.i32.f32(float 3.0)
  %17 = call ptr @llvm.launder.invariant.group.p0(ptr %p)
  br i1 %12, label %bad, label %good
bad:
  call void @llvm.trap()
  unreachable
good:
  ret i32 %10
}
!0 = !{!"rsp"}
)";

// Texts are metadata of the module if several functions have them, otherwise of the function.
constexpr absl::string_view kConstrained = R"(
declare float @llvm.experimental.constrained.fadd.f32(float, float, metadata, metadata)
declare double @llvm.experimental.constrained.fmul.f64(double, double, metadata, metadata)
declare <4 x float> @llvm.experimental.constrained.fdiv.v4f32(<4 x float>, <4 x float>, metadata, metadata)
declare half @llvm.experimental.constrained.fsub.f16(half, half, metadata, metadata)
declare double @llvm.experimental.constrained.fma.f64(double, double, double, metadata, metadata)
declare double @llvm.experimental.constrained.floor.f64(double, metadata)
declare double @llvm.experimental.constrained.pow.f64(double, double, metadata, metadata)
declare double @llvm.experimental.constrained.powi.f64(double, i32, metadata, metadata)
declare double @llvm.experimental.constrained.minimum.f64(double, double, metadata)
declare i64 @llvm.experimental.constrained.lrint.i64.f64(double, metadata, metadata)
declare i32 @llvm.experimental.constrained.fptoui.i32.f64(double, metadata)
declare double @llvm.experimental.constrained.uitofp.f64.i64(i64, metadata, metadata)
declare float @llvm.experimental.constrained.fptrunc.f32.f64(double, metadata, metadata)
declare i1 @llvm.experimental.constrained.fcmp.f64(double, double, metadata, metadata)
declare i1 @llvm.experimental.constrained.fcmps.f64(double, double, metadata, metadata)
declare <2 x i1> @llvm.experimental.constrained.fcmp.v2f64(<2 x double>, <2 x double>, metadata, metadata)
declare i64 @llvm.read_register.i64(metadata)
define float @shared(float %x) strictfp {
  %1 = call float @llvm.experimental.constrained.fadd.f32(float %x, float 1.0, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %2 = call float @llvm.experimental.constrained.fadd.f32(float %1, float %1, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  ret float %2
}
define double @own(double %x, i64 %i) strictfp {
  %1 = call double @llvm.experimental.constrained.fmul.f64(double %x, double 3.0, metadata !"round.upward", metadata !"fpexcept.maytrap") strictfp
  %2 = call double @llvm.experimental.constrained.uitofp.f64.i64(i64 %i, metadata !"round.tonearest", metadata !"fpexcept.ignore") strictfp
  %3 = call i64 @llvm.read_register.i64(metadata !1) strictfp
  %4 = call double @llvm.experimental.constrained.fma.f64(double %1, double %2, double %x, metadata !"round.towardzero", metadata !"fpexcept.strict") strictfp
  ret double %4
}
define i1 @both(double %x, double %y, <2 x double> %v) strictfp {
  %1 = call i1 @llvm.experimental.constrained.fcmp.f64(double %x, double %y, metadata !"oeq", metadata !"fpexcept.strict") strictfp
  %2 = call i1 @llvm.experimental.constrained.fcmps.f64(double %x, double %y, metadata !"ule", metadata !"fpexcept.strict") strictfp
  %3 = call <2 x i1> @llvm.experimental.constrained.fcmp.v2f64(<2 x double> %v, <2 x double> %v, metadata !"une", metadata !"fpexcept.strict") strictfp
  %4 = xor i1 %1, %2
  ret i1 %4
}
define double @others(double %x, <4 x float> %v, half %h) strictfp {
  %1 = call double @llvm.experimental.constrained.floor.f64(double %x, metadata !"fpexcept.strict") strictfp
  %2 = call double @llvm.experimental.constrained.pow.f64(double %1, double %x, metadata !"round.downward", metadata !"fpexcept.strict") strictfp
  %3 = call double @llvm.experimental.constrained.powi.f64(double %2, i32 3, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %4 = call double @llvm.experimental.constrained.minimum.f64(double %3, double %x, metadata !"fpexcept.strict") strictfp
  %5 = call i64 @llvm.experimental.constrained.lrint.i64.f64(double %4, metadata !"round.tonearestaway", metadata !"fpexcept.strict") strictfp
  %6 = call i32 @llvm.experimental.constrained.fptoui.i32.f64(double %4, metadata !"fpexcept.strict") strictfp
  %7 = call float @llvm.experimental.constrained.fptrunc.f32.f64(double %4, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %8 = call <4 x float> @llvm.experimental.constrained.fdiv.v4f32(<4 x float> %v, <4 x float> %v, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  %9 = call half @llvm.experimental.constrained.fsub.f16(half %h, half %h, metadata !"round.dynamic", metadata !"fpexcept.strict") strictfp
  ret double %4
}
!llvm.module.flags = !{!0}
!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{!"rsp"}
)";

constexpr absl::string_view kBundles = R"(
declare void @f(ptr)
define void @bundles(ptr %p, i32 %x) gc "statepoint-example" {
  call void @f(ptr %p) [ "deopt"(i32 %x, i64 7, ptr null) ]
  call void @f(ptr %p) [ "deopt"() ]
  call void @f(ptr %p) [ "gc-transition"(i32 1), "deopt"(ptr %p), "of my own"(float 1.0) ]
  call void %p(ptr %p) [ "kcfi"(i32 12345) ]
  call void %p(ptr %p) [ "cfguardtarget"(ptr @f) ]
  ret void
}
)";

constexpr absl::string_view kTokens = R"(
declare token @llvm.coro.id(i32, ptr, ptr, ptr)
declare ptr @llvm.coro.begin(token, ptr)
declare i8 @llvm.coro.suspend(token, i1)
declare i1 @llvm.coro.end(ptr, i1, token)
declare i64 @llvm.coro.size.i64()
declare ptr @malloc(i64)
define ptr @coroutine(i32 %n) presplitcoroutine {
entry:
  %id = call token @llvm.coro.id(i32 0, ptr null, ptr null, ptr null)
  %size = call i64 @llvm.coro.size.i64()
  %memory = call ptr @malloc(i64 %size)
  %frame = call ptr @llvm.coro.begin(token %id, ptr %memory)
  %suspended = call i8 @llvm.coro.suspend(token none, i1 false)
  switch i8 %suspended, label %out [ i8 0, label %entry.again
                                     i8 1, label %out ]
entry.again:
  br label %out
out:
  %ended = call i1 @llvm.coro.end(ptr %frame, i1 false, token none)
  ret ptr %frame
}
)";

constexpr Sample kSamples[] = {
    {"Calls", kCalls},       {"Exceptions", kExceptions},   {"Funclets", kFunclets, /*refused=*/1},
    {"Assembly", kAssembly}, {"Intrinsics", kIntrinsics},   {"Bundles", kBundles},
    {"Coroutines", kTokens}, {"Constrained", kConstrained},
};

}  // namespace

absl::Span<const Sample> CallSamples() { return kSamples; }

}  // namespace firstcall::testing
