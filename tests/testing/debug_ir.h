// A program with debug information, for tests that read such information.

#ifndef FIRSTCALL_TESTS_TESTING_DEBUG_IR_H_
#define FIRSTCALL_TESTS_TESTING_DEBUG_IR_H_

#include <string>

#include "absl/strings/str_cat.h"

namespace firstcall {

// IR of two functions of two files, in DWARF of `version`. `first` throws through a frame that it
// changes.
inline std::string DescribedProgram(int version) {
  return absl::StrCat(R"(
    declare void @outside(ptr)
    declare i32 @__gxx_personality_v0(...)
    define i32 @first(i32 %n) personality ptr @__gxx_personality_v0 !dbg !4 {
      %array = alloca i32, i32 %n, !dbg !8
      invoke void @outside(ptr %array) to label %good unwind label %bad, !dbg !9
    good:
      %v = load i32, ptr %array, !dbg !10
      ret i32 %v, !dbg !10
    bad:
      %pad = landingpad { ptr, i32 } cleanup, !dbg !9
      ret i32 -1, !dbg !11
    }
    define i32 @second(i32 %n) !dbg !6 {
      call void @outside(ptr null), !dbg !12
      %r = add i32 %n, 1, !dbg !13
      ret i32 %r, !dbg !13
    }
    !llvm.dbg.cu = !{!0}
    !llvm.module.flags = !{!2, !3}
    !0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, emissionKind: FullDebug)
    !1 = !DIFile(filename: "a.c", directory: "/somewhere")
    !2 = !{i32 2, !"Dwarf Version", i32 )",
                      version, R"(}
    !3 = !{i32 2, !"Debug Info Version", i32 3}
    !4 = distinct !DISubprogram(name: "first", file: !1, line: 1, type: !5, unit: !0,
                                spFlags: DISPFlagDefinition)
    !5 = !DISubroutineType(types: !{null})
    !6 = distinct !DISubprogram(name: "second", file: !7, line: 70, type: !5, unit: !0,
                                spFlags: DISPFlagDefinition)
    !7 = !DIFile(filename: "parts/b.h", directory: "/somewhere")
    !8 = !DILocation(line: 2, scope: !4)
    !9 = !DILocation(line: 3, scope: !4)
    !10 = !DILocation(line: 400, scope: !4)
    !11 = !DILocation(line: 5, scope: !4)
    !12 = !DILocation(line: 71, scope: !6)
    !13 = !DILocation(line: 72, scope: !6)
  )");
}

}  // namespace firstcall

#endif  // FIRSTCALL_TESTS_TESTING_DEBUG_IR_H_
