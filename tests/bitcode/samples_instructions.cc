#include "tests/bitcode/samples.h"

namespace firstcall::testing {
namespace {

constexpr absl::string_view kIntegers = R"(
define i32 @flags(i32 %a, i32 %b) {
  %1 = add i32 %a, %b
  %2 = add nsw i32 %1, 5
  %3 = add nuw i32 %2, -5
  %4 = sub nuw nsw i32 %3, %a
  %5 = mul nsw i32 %4, %4
  %6 = udiv i32 %5, %b
  %7 = udiv exact i32 %6, 7
  %8 = sdiv i32 %7, %b
  %9 = sdiv exact i32 %8, 3
  %10 = urem i32 %9, %b
  %11 = srem i32 %10, %b
  %12 = shl i32 %11, 3
  %13 = shl nuw nsw i32 %12, 1
  %14 = lshr i32 %13, %a
  %15 = lshr exact i32 %14, 1
  %16 = ashr i32 %15, 2
  %17 = ashr exact i32 %16, 1
  %18 = and i32 %17, 255
  %19 = or i32 %18, %a
  %20 = xor i32 %19, -1
  %21 = or disjoint i32 %20, 1
  ret i32 %21
}
define i1 @compare(i64 %a, i64 %b, ptr %p, ptr %q) {
  %1 = icmp eq i64 %a, %b
  %2 = icmp ne i64 %a, 0
  %3 = icmp ugt i64 %a, %b
  %4 = icmp uge i64 %a, %b
  %5 = icmp ult i64 %a, %b
  %6 = icmp ule i64 %a, %b
  %7 = icmp sgt i64 %a, -1
  %8 = icmp sge i64 %a, %b
  %9 = icmp slt i64 %a, %b
  %10 = icmp sle i64 %a, %b
  %11 = icmp ult ptr %p, %q
  %12 = icmp eq ptr %p, null
  %13 = select i1 %11, i1 %12, i1 %1
  %14 = select i1 %13, i64 %a, i64 7
  %15 = trunc i64 %14 to i1
  ret i1 %15
}
define i16 @widths(i1 %a, i8 %b, i17 %c, i64 %d, i128 %e, i200 %f) {
  %1 = zext i1 %a to i8
  %2 = sext i8 %b to i17
  %3 = zext nneg i17 %c to i64
  %4 = trunc i200 %f to i128
  %5 = add i128 %4, 170141183460469231731687303715884105727
  %6 = mul i200 %f, -100000000000000000000000000000000000000000
  %7 = trunc nuw i200 %6 to i16
  %8 = trunc nuw nsw i64 %3 to i16
  %9 = xor i17 %2, 65537
  %10 = trunc i17 %9 to i16
  %11 = add i16 %10, %8
  %12 = freeze i16 %11
  ret i16 %12
}
)";

constexpr absl::string_view kFloats = R"(
define double @flags(double %a, double %b) {
  %1 = fadd double %a, %b
  %2 = fsub nnan double %1, 2.5
  %3 = fmul ninf double %2, %a
  %4 = fdiv nsz arcp double %3, %b
  %5 = frem contract afn double %4, %b
  %6 = fneg reassoc double %5
  %7 = fneg double %6
  %8 = fadd fast double %7, -0.0
  %9 = fcmp nnan olt double %8, %a
  %10 = select nsz i1 %9, double %8, double 0x7FF8000000000000
  ret double %10
}
define i1 @compare(float %a, float %b) {
  %1 = fcmp false float %a, %b
  %2 = fcmp oeq float %a, %b
  %3 = fcmp ogt float %a, %b
  %4 = fcmp oge float %a, %b
  %5 = fcmp olt float %a, %b
  %6 = fcmp ole float %a, %b
  %7 = fcmp one float %a, %b
  %8 = fcmp ord float %a, %b
  %9 = fcmp ueq float %a, %b
  %10 = fcmp ugt float %a, %b
  %11 = fcmp uge float %a, %b
  %12 = fcmp ult float %a, %b
  %13 = fcmp ule float %a, %b
  %14 = fcmp une float %a, %b
  %15 = fcmp uno float %a, 0x36A0000000000000
  %16 = fcmp true float %a, %b
  ret i1 %15
}
define i32 @casts(half %h, bfloat %b, float %f, double %d, x86_fp80 %x, fp128 %q, i32 %i) {
  %1 = fpext half %h to float
  %2 = fpext bfloat %b to double
  %3 = fptrunc double %d to half
  %4 = fpext float %f to x86_fp80
  %5 = fptrunc x86_fp80 %x to double
  %6 = fptrunc fp128 %q to float
  %7 = fptosi double %5 to i64
  %8 = fptoui float %6 to i32
  %9 = sitofp i32 %i to double
  %10 = uitofp i32 %i to float
  %11 = uitofp nneg i32 %i to float
  %12 = bitcast float %11 to i32
  %13 = fadd half %3, 0xH3C00
  %14 = fadd bfloat %b, 0xR3F80
  %15 = fadd x86_fp80 %x, 0xK3FFF8000000000000001
  %16 = fadd fp128 %q, 0xL00000000000000017FFF800000000000
  %17 = add i32 %12, %8
  ret i32 %17
}
)";

constexpr absl::string_view kMemory = R"(
%pair = type { i32, [3 x i8], double }
%list = type { ptr, %list.tail }
%list.tail = type <{ i8, i64 }>
declare token @llvm.call.preallocated.setup(i32)
define i32 @allocas(i32 %n, i64 %m) {
  %1 = alloca i32
  %2 = alloca i32, i32 3
  %3 = alloca %pair, align 32
  %4 = alloca i8, i64 %m, align 1
  %5 = alloca [4 x %list], i32 %n, align 4096
  %6 = alloca inalloca i64
  %7 = alloca swifterror ptr
  %8 = alloca {}, align 4
  store i32 1, ptr %1
  store volatile i32 2, ptr %2, align 1
  store i8 3, ptr %4, align 2
  %9 = load i32, ptr %1
  %10 = load volatile i32, ptr %2, align 64
  %11 = load i24, ptr %5, align 4
  %12 = load %pair, ptr %3
  ret i32 %9
}
define ptr @addresses(ptr %p, i64 %i, i32 %j, <2 x ptr> %v, <2 x i64> %w) {
  %1 = getelementptr i8, ptr %p, i64 %i
  %2 = getelementptr inbounds %pair, ptr %1, i64 0, i32 1, i64 %i
  %3 = getelementptr inbounds [7 x %list], ptr %2, i32 %j, i64 3, i32 1, i32 1
  %4 = getelementptr nuw i8, ptr %3, i64 1
  %5 = getelementptr nusw i8, ptr %4, i64 1
  %6 = getelementptr %pair, <2 x ptr> %v, <2 x i64> %w, i32 2
  %7 = getelementptr i32, ptr %p, <2 x i64> %w
  %8 = ptrtoint ptr %5 to i64
  %9 = inttoptr i64 %8 to ptr
  %10 = addrspacecast ptr %9 to ptr addrspace(270)
  %11 = addrspacecast ptr addrspace(270) %10 to ptr
  %12 = extractelement <2 x ptr> %6, i32 0
  %13 = load ptr, ptr addrspace(270) %10
  ret ptr %12
}
define {i32, [2 x double]} @aggregates({ i32, [2 x double], %pair } %a, double %d) {
  %1 = extractvalue { i32, [2 x double], %pair } %a, 2, 1, 2
  %2 = extractvalue { i32, [2 x double], %pair } %a, 1
  %3 = insertvalue {i32, [2 x double]} poison, [2 x double] %2, 1
  %4 = insertvalue {i32, [2 x double]} %3, double %d, 1, 0
  %5 = insertvalue {i32, [2 x double]} %4, i32 7, 0
  %6 = freeze {i32, [2 x double]} %5
  ret {i32, [2 x double]} %6
}
)";

constexpr absl::string_view kAtomics = R"(
define i64 @loads(ptr %p) {
  %1 = load atomic i8, ptr %p unordered, align 1
  %2 = load atomic i16, ptr %p monotonic, align 2
  %3 = load atomic volatile i32, ptr %p acquire, align 4
  %4 = load atomic i64, ptr %p syncscope("singlethread") seq_cst, align 8
  %5 = load atomic ptr, ptr %p syncscope("agent") seq_cst, align 16
  %6 = load atomic double, ptr %p seq_cst, align 8
  store atomic i8 %1, ptr %p unordered, align 1
  store atomic i16 %2, ptr %p monotonic, align 2
  store atomic volatile i32 %3, ptr %p release, align 4
  store atomic i64 %4, ptr %p syncscope("singlethread") seq_cst, align 8
  store atomic ptr %5, ptr %p syncscope("workgroup") seq_cst, align 8
  fence acquire
  fence release
  fence acq_rel
  fence seq_cst
  fence syncscope("singlethread") seq_cst
  fence syncscope("agent") seq_cst
  ret i64 %4
}
define i32 @updates(ptr %p, i32 %x, float %f) {
  %1 = atomicrmw xchg ptr %p, i32 %x monotonic
  %2 = atomicrmw add ptr %p, i32 %x acquire
  %3 = atomicrmw sub ptr %p, i32 %x release
  %4 = atomicrmw and ptr %p, i32 %x acq_rel
  %5 = atomicrmw nand ptr %p, i32 %x seq_cst
  %6 = atomicrmw volatile or ptr %p, i32 %x seq_cst
  %7 = atomicrmw xor ptr %p, i32 3 syncscope("singlethread") seq_cst
  %8 = atomicrmw max ptr %p, i32 %x seq_cst, align 8
  %9 = atomicrmw min ptr %p, i32 %x syncscope("x") seq_cst
  %10 = atomicrmw umax ptr %p, i32 %x seq_cst
  %11 = atomicrmw umin ptr %p, i32 %x seq_cst
  %12 = atomicrmw uinc_wrap ptr %p, i32 %x seq_cst
  %13 = atomicrmw udec_wrap ptr %p, i32 %x seq_cst
  %14 = atomicrmw fadd ptr %p, float %f seq_cst
  %15 = atomicrmw fsub ptr %p, float %f seq_cst
  %16 = atomicrmw fmax ptr %p, float %f seq_cst
  %17 = atomicrmw fmin ptr %p, float 1.0 seq_cst
  %18 = atomicrmw xchg ptr %p, ptr null seq_cst
  %19 = atomicrmw fadd ptr %p, <2 x half> <half 0xH0000, half 0xH3C00> seq_cst
  ret i32 %12
}
define i1 @exchanges(ptr %p, i32 %a, i32 %b, ptr %q) {
  %1 = cmpxchg ptr %p, i32 %a, i32 %b monotonic monotonic
  %2 = cmpxchg weak ptr %p, i32 %a, i32 7 acq_rel acquire
  %3 = cmpxchg volatile ptr %p, i32 0, i32 %b seq_cst seq_cst
  %4 = cmpxchg weak volatile ptr %p, i32 %a, i32 %b syncscope("singlethread") release acquire
  %5 = cmpxchg ptr %p, ptr %q, ptr null syncscope("agent") acquire monotonic, align 16
  %6 = extractvalue { i32, i1 } %4, 1
  ret i1 %6
}
)";

constexpr absl::string_view kVectors = R"(
define <4 x i32> @elements(<4 x i32> %a, <4 x i32> %b, i32 %x, i64 %i) {
  %1 = extractelement <4 x i32> %a, i64 %i
  %2 = extractelement <4 x i32> %a, i8 3
  %3 = insertelement <4 x i32> %b, i32 %x, i32 0
  %4 = insertelement <4 x i32> poison, i32 %1, i64 %i
  %5 = shufflevector <4 x i32> %3, <4 x i32> %4, <4 x i32> <i32 0, i32 4, i32 1, i32 7>
  %6 = shufflevector <4 x i32> %5, <4 x i32> poison, <4 x i32> zeroinitializer
  %7 = shufflevector <4 x i32> %6, <4 x i32> %a, <8 x i32> <i32 0, i32 poison, i32 1, i32 7, i32 0, i32 poison, i32 6, i32 5>
  %8 = shufflevector <8 x i32> %7, <8 x i32> undef, <4 x i32> undef
  %9 = add nsw <4 x i32> %8, <i32 1, i32 2, i32 -3, i32 4>
  %10 = mul <4 x i32> %9, splat (i32 7)
  %11 = icmp sgt <4 x i32> %10, zeroinitializer
  %12 = select <4 x i1> %11, <4 x i32> %10, <4 x i32> %a
  %13 = select i1 true, <4 x i32> %12, <4 x i32> undef
  %14 = bitcast <4 x i32> %13 to <16 x i8>
  %15 = bitcast <16 x i8> %14 to i128
  %16 = bitcast i128 %15 to <2 x double>
  %17 = fadd fast <2 x double> %16, <double 1.0, double poison>
  %18 = fptosi <2 x double> %17 to <2 x i8>
  %19 = zext <2 x i8> %18 to <2 x i64>
  %20 = shufflevector <2 x i64> %19, <2 x i64> %19, <2 x i32> <i32 1, i32 2>
  %21 = bitcast <2 x i64> %20 to <4 x i32>
  ret <4 x i32> %21
}
define <3 x ptr> @odd(<3 x ptr> %p, <7 x i1> %m, <3 x i24> %w, <1 x float> %f) {
  %1 = ptrtoint <3 x ptr> %p to <3 x i64>
  %2 = inttoptr <3 x i64> %1 to <3 x ptr>
  %3 = xor <7 x i1> %m, <i1 true, i1 false, i1 undef, i1 poison, i1 true, i1 true, i1 false>
  %4 = fneg <1 x float> %f
  %5 = trunc <3 x i64> %1 to <3 x i24>
  %6 = add <3 x i24> %5, <i24 1, i24 -1, i24 70000>
  ret <3 x ptr> %2
}
define <vscale x 4 x i32> @scalable(<vscale x 4 x i32> %a, ptr %p) {
  %1 = load <vscale x 4 x i32>, ptr %p
  %2 = add <vscale x 4 x i32> %1, %a
  %3 = insertelement <vscale x 4 x i32> poison, i32 1, i64 0
  %4 = shufflevector <vscale x 4 x i32> %3, <vscale x 4 x i32> poison, <vscale x 4 x i32> zeroinitializer
  %5 = add <vscale x 4 x i32> %2, %4
  store <vscale x 4 x i32> %5, ptr %p
  ret <vscale x 4 x i32> %5
}
)";

constexpr absl::string_view kControl = R"(
define i32 @loops(i32 %n, i1 %c) {
entry:
  br label %head
unused:
  %later.unused = add i32 %later, 1
  br i1 %c, label %unused, label %head
head:
  %i = phi i32 [ 0, %entry ], [ %later, %body ], [ %later.unused, %unused ]
  %swapped = phi i32 [ 1, %entry ], [ %i, %body ], [ 5, %unused ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %body, label %end
body:
  %later = add i32 %i, %swapped
  br label %head
end:
  switch i32 %i, label %other [
    i32 0, label %zero
    i32 -1, label %zero
    i32 2147483647, label %other
  ]
zero:
  %which = phi i32 [ 3, %end ], [ 3, %end ]
  ret i32 %which
other:
  br i1 %c, label %zero2, label %out
zero2:
  switch i1 %c, label %out [ ]
out:
  br i1 %c, label %never, label %never
never:
  unreachable
}
define ptr @labels(i32 %n) {
entry:
  %here = select i1 true, ptr blockaddress(@labels, %one), ptr blockaddress(@labels, %two)
  indirectbr ptr %here, [ label %one, label %two, label %one ]
one:
  indirectbr ptr %here, [ ]
two:
  %x = getelementptr i8, ptr %here, i64 ptrtoint (ptr blockaddress(@labels, %one) to i64)
  ret ptr %x
}
define ptr @of_another() {
  ret ptr blockaddress(@labels, %two)
}
define void @wide(i128 %x) {
  switch i128 %x, label %out [ i128 18446744073709551617, label %in
                               i128 -3, label %out ]
in:
  ret void
out:
  ret void
}
define void @nothing() {
  ret void
}
define void @forward(i1 %c) {
entry:
  br i1 %c, label %late, label %early
use:
  %a = add i32 %defined, %defined
  %b = icmp eq i32 %a, %defined
  %e = getelementptr i8, ptr %address, i32 %defined
  store i32 %defined, ptr %e
  ret void
early:
  ret void
late:
  %defined = load i32, ptr null
  %address = inttoptr i32 %defined to ptr
  br label %use
}
)";

constexpr Sample kSamples[] = {
    {"Integers", kIntegers}, {"Floats", kFloats},   {"Memory", kMemory},
    {"Atomics", kAtomics},   {"Vectors", kVectors}, {"Control", kControl, /*refused=*/1},
};

}  // namespace

absl::Span<const Sample> InstructionSamples() { return kSamples; }

}  // namespace firstcall::testing
