#include "tests/bitcode/samples.h"

namespace firstcall::testing {
namespace {

constexpr absl::string_view kDebugInformation = R"(
@global = global i32 7, !dbg !20
@plain = internal global i32 7
define i32 @f(i32 %x) !dbg !4 {
  %a = alloca i32, !dbg !8
  #dbg_declare(ptr %a, !9, !DIExpression(), !8)
  #dbg_value(i32 %x, !10, !DIExpression(), !8)
  store i32 %x, ptr %a, !dbg !8
  #dbg_value(!DIArgList(i32 %x, i32 7), !10, !DIExpression(DW_OP_LLVM_arg, 0, DW_OP_LLVM_arg, 1, DW_OP_plus), !8)
  %y = load i32, ptr %a, !dbg !11
  #dbg_label(!13, !11)
  #dbg_assign(i32 %y, !10, !DIExpression(), !12, ptr %a, !DIExpression(), !11)
  %z = add i32 %y, 1, !dbg !11
  %w = mul i32 %z, 3
  %v = add i32 %w, 1, !dbg !14
  ret i32 %v, !dbg !14
}
define void @without() {
  ret void
}
declare !dbg !15 void @declared(i32)
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug, globals: !{!20})
!1 = !DIFile(filename: "a.c", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"PIC Level", i32 2}
!4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{!7, !7}
!7 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!8 = !DILocation(line: 2, column: 3, scope: !4)
!9 = !DILocalVariable(name: "a", scope: !4, file: !1, line: 2, type: !7)
!10 = !DILocalVariable(name: "x", arg: 1, scope: !4, file: !1, line: 2, type: !7)
!11 = !DILocation(line: 3, scope: !4, inlinedAt: !8)
!12 = distinct !DIAssignID()
!13 = !DILabel(scope: !4, name: "label", file: !1, line: 3)
!14 = !DILocation(line: 4, scope: !4, isImplicitCode: true)
!15 = !DISubprogram(name: "declared", file: !1, line: 9, type: !5, spFlags: 0)
!20 = !DIGlobalVariableExpression(var: !21, expr: !DIExpression())
!21 = distinct !DIGlobalVariable(name: "global", scope: !0, file: !1, line: 1, type: !7)
)";

constexpr absl::string_view kAttachments = R"(
@typed = constant [2 x ptr] zeroinitializer, !type !6, !type !7
@associated = global i32 0, !associated !8
@absolute = external global i8, !absolute_symbol !9
define i32 @sections() !pcsections !0 !prof !10 {
  ret i32 0
}
define i32 @profiled(ptr %p, i1 %c) !prof !10 !kcfi_type !11 {
  %1 = load i32, ptr %p, !tbaa !1, !range !4, !noundef !3, !nontemporal !5
  %2 = load ptr, ptr %p, !nonnull !3, !align !12, !dereferenceable !12, !invariant.load !3
  store atomic i32 %1, ptr %p seq_cst, align 4, !pcsections !0
  %3 = load i32, ptr %p, !pcsections !0, !tbaa !1
  br i1 %c, label %yes, label %no, !prof !13, !make.implicit !3
yes:
  br label %no, !llvm.loop !14
no:
  %4 = call i32 %p(), !callees !15, !heapallocsite !3, !srcloc !12, !mine !3
  ret i32 %4
}
!named = !{!0, !1}
!llvm.ident = !{!16}
!0 = !{!"section", !17}
!1 = !{!2, !2, i64 0}
!2 = !{!"int", !18}
!3 = !{}
!4 = !{i32 0, i32 10}
!5 = !{i32 1}
!6 = !{i64 8, !"a type"}
!7 = !{i64 8, !19}
!8 = !{ptr @typed}
!9 = !{i64 0, i64 256}
!10 = !{!"function_entry_count", i64 100}
!11 = !{i32 12345}
!12 = !{i64 8}
!13 = !{!"branch_weights", i32 1, i32 99}
!14 = distinct !{!14, !20}
!15 = !{ptr @sections}
!16 = !{!"somebody"}
!17 = !{i32 1, double 2.0}
!18 = !{!"root"}
!19 = distinct !{}
!20 = !{!"llvm.loop.mustprogress"}
)";

constexpr absl::string_view kFlags = R"(
define void @function() { ret void }
!llvm.module.flags = !{!0, !1, !2, !3, !4, !5, !6, !7}
!0 = !{i32 1, !"wchar_size", i32 4}
!1 = !{i32 8, !"PIC Level", i32 2}
!2 = !{i32 7, !"uwtable", i32 2}
!3 = !{i32 4, !"cf-protection-branch", i32 1}
!4 = !{i32 1, !"ThinLTO", i64 -1}
!5 = !{i32 1, !"a text", !"value"}
!6 = !{i32 5, !"a list", !9}
!7 = !{i32 1, !"wide", i128 36893488147419103233}
!9 = !{!"-lm", !"-lpthread"}
)";

constexpr absl::string_view kMetadataArguments = R"(
declare void @llvm.dbg.value(metadata, metadata, metadata)
declare i64 @llvm.read_volatile_register.i64(metadata)
declare void @llvm.experimental.noalias.scope.decl(metadata)
define i64 @arguments(i32 %x) {
  call void @llvm.experimental.noalias.scope.decl(metadata !1)
  %1 = call i64 @llvm.read_volatile_register.i64(metadata !0)
  %2 = add i64 %1, 1
  %3 = call i64 @llvm.read_volatile_register.i64(metadata !0)
  ret i64 %3
}
!0 = !{!"rsp"}
!1 = !{!2}
!2 = distinct !{!2, !3}
!3 = distinct !{!3}
)";

// The orders of uses are in the bitcode only if the writer is asked for them.
constexpr absl::string_view kUseListOrders = R"(
@g = global i32 0
define i32 @f(i32 %x) {
  %a = add i32 %x, 1
  %b = add i32 %x, 2
  %c = add i32 %x, %a
  store i32 %b, ptr @g
  store i32 %c, ptr @g
  ret i32 %c
  uselistorder i32 %x, { 2, 0, 1 }
}
define i32 @g2() {
  %a = load i32, ptr @g
  ret i32 %a
}
)";

constexpr Sample kSamples[] = {
    {"DebugInformation", kDebugInformation},   {"Attachments", kAttachments},     {"Flags", kFlags},
    {"MetadataArguments", kMetadataArguments}, {"UseListOrders", kUseListOrders},
};

}  // namespace

absl::Span<const Sample> MetadataSamples() { return kSamples; }

}  // namespace firstcall::testing
