#include "tests/fuzz/corpus.h"

namespace firstcall::testing {
const absl::string_view kArithmeticModule = R"(
@counter = global i32 7
@table = constant [2 x ptr] [ptr @f, ptr @g]
@name = private constant [5 x i8] c"name\00"
define i32 @f(i32 %x, i32 %y) {
  %sum = add nsw i32 %x, %y
  %old = load i32, ptr @counter
  %new = mul i32 %old, %sum
  store i32 %new, ptr @counter
  ret i32 %new
}
define internal i32 @hidden(i32 %x) {
  %wide = sext i32 %x to i64
  %half = ashr i64 %wide, 1
  %low = trunc i64 %half to i32
  ret i32 %low
}
define i32 @g(i32 %x) {
entry:
  %small = icmp slt i32 %x, 10
  br i1 %small, label %loop, label %end
loop:
  %i = phi i32 [ %x, %entry ], [ %next, %loop ]
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 10
  br i1 %more, label %loop, label %end
end:
  %last = phi i32 [ %x, %entry ], [ %next, %loop ]
  %result = call i32 @hidden(i32 %last)
  switch i32 %result, label %other [ i32 0, label %zero
                                     i32 5, label %five ]
zero:
  ret i32 1
five:
  ret i32 2
other:
  %callee = load ptr, ptr getelementptr ([2 x ptr], ptr @table, i64 0, i64 0)
  %called = tail call i32 %callee(i32 %x, i32 %last)
  ret i32 %called
}
define i32 @main() {
  %x = call i32 @g(i32 3)
  ret i32 %x
}
)";

const absl::string_view kTypesModule = R"(
%pair = type { i32, [3 x i8], double }
@value = global %pair { i32 1, [3 x i8] c"abc", double 2.5 }, align 16
@zero = weak_odr hidden global <4 x float> zeroinitializer
@pointer = global ptr getelementptr (%pair, ptr @value, i32 0, i32 2)
@other_name = alias %pair, ptr @value
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @start, ptr null }]
$group = comdat any
define internal void @start() { ret void }
define linkonce_odr double @f(ptr byval(%pair) %p, <4 x float> %v) comdat($group) {
  %field = getelementptr inbounds %pair, ptr %p, i32 0, i32 2
  %d = load double, ptr %field, align 8
  %e = extractelement <4 x float> %v, i32 1
  %w = fpext float %e to double
  %s = fadd fast double %d, %w
  %m = call double @llvm.sqrt.f64(double %s)
  ret double %m
}
define { i64, <2 x i32> } @g(i64 %x, <2 x i32> %v) #0 {
  %a = alloca i64
  store atomic i64 %x, ptr %a seq_cst, align 8
  %old = atomicrmw add ptr %a, i64 1 monotonic
  %exchanged = cmpxchg ptr %a, i64 %old, i64 5 acq_rel monotonic
  %first = extractvalue { i64, i1 } %exchanged, 0
  %swapped = shufflevector <2 x i32> %v, <2 x i32> poison, <2 x i32> <i32 1, i32 0>
  %r = insertvalue { i64, <2 x i32> } poison, i64 %first, 0
  %s = insertvalue { i64, <2 x i32> } %r, <2 x i32> %swapped, 1
  ret { i64, <2 x i32> } %s
}
define i32 @main(i32 %argc, ptr %argv) {
  %c = freeze i32 %argc
  %s = select i1 true, i32 %c, i32 3
  call void asm sideeffect "nop", "~{memory}"()
  fence seq_cst
  ret i32 %s
}
declare double @llvm.sqrt.f64(double)
attributes #0 = { nounwind noinline "frame-pointer"="all" }
)";

const absl::string_view kControlModule = R"(
@thread = thread_local global i32 3
declare i32 @__gxx_personality_v0(...)
declare ptr @malloc(i64)
define i32 @f(ptr %callee) personality ptr @__gxx_personality_v0 {
  %x = invoke i32 %callee(i32 1) to label %good unwind label %bad
good:
  ret i32 %x
bad:
  %pad = landingpad { ptr, i32 } cleanup catch ptr null
  resume { ptr, i32 } %pad
}
define i32 @g(i32 %n, ...) !dbg !4 {
  %a = alloca i8, i32 %n, !dbg !7
  %next = select i1 true, ptr blockaddress(@g, %one), ptr blockaddress(@g, %two), !dbg !7
  indirectbr ptr %next, [ label %one, label %two ], !dbg !7
one:
  ret i32 1, !dbg !7
two:
  unreachable, !dbg !7
}
define i32 @main() {
  %p = call ptr @malloc(i64 8) #1
  %t = call ptr @llvm.threadlocal.address.p0(ptr @thread)
  %v = load i32, ptr %t, align 4, !tbaa !8
  ret i32 %v
}
declare ptr @llvm.threadlocal.address.p0(ptr)
attributes #1 = { allocsize(0) }
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"PIC Level", i32 2}
!4 = distinct !DISubprogram(name: "g", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{null}
!7 = !DILocation(line: 2, scope: !4)
!8 = !{!9, !9, i64 0}
!9 = !{!"int", !10, i64 0}
!10 = !{!"root"}
)";

std::vector<absl::string_view> CorpusModules() {
  return {kArithmeticModule, kTypesModule, kControlModule};
}

absl::Span<const absl::string_view> CorpusNames() {
  static constexpr absl::string_view kNames[] = {"f", "g", "main"};
  return kNames;
}

}  // namespace firstcall::testing
