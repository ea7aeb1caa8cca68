; Private variables of a section with bounds, some of which belong to others: what -fsanitize=address
; and -fprofile-instr-generate make.

@llvm.compiler.used = appending global [4 x ptr] [ptr @a, ptr @b, ptr @c, ptr @d], section "llvm.metadata"
@owner = global i64 1
@a = private global i64 5, section "of_this_program"
@b = private global i64 6, section "of_this_program"
@c = internal global i64 7, section "of_this_program", !associated !0
@d = private global i64 8, section "of_this_program", !associated !0
@__start_of_this_program = extern_weak hidden global i64
@__stop_of_this_program = extern_weak hidden global i64
@format = private constant [12 x i8] c"%ld of %ld\0A\00"

declare i32 @printf(ptr, ...)

define i32 @main() {
entry:
  br label %loop
loop:
  %p = phi ptr [ @__start_of_this_program, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %v = load i64, ptr %p
  %more = add i64 %sum, %v
  %next = getelementptr i64, ptr %p, i64 1
  %is_last = icmp eq ptr %next, @__stop_of_this_program
  br i1 %is_last, label %end, label %loop
end:
  %size = sub i64 ptrtoint (ptr @__stop_of_this_program to i64), ptrtoint (ptr @__start_of_this_program to i64)
  %r = call i32 (ptr, ...) @printf(ptr @format, i64 %more, i64 %size)
  ret i32 0
}

!0 = !{ptr @owner}
