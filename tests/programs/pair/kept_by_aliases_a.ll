; Weak definitions that the other module replaces, and that aliases here keep; and tentative
; definitions of different sizes, of which the largest counts.
@format = private constant [19 x i8] c"%d %d %d %d %d %d\0A\00"
@weak_variable = weak global i32 5
@kept_variable = alias i32, ptr @weak_variable
@of_replaced = global ptr @weak_variable
@table = common global [2 x i32] zeroinitializer
@next_to_table = global [2 x i32] [i32 3, i32 4]
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @begin, ptr null }]
@weak_text = private constant [5 x i8] c"weak\00"
declare i32 @printf(ptr, ...)
declare i32 @puts(ptr)
declare i32 @calls_kept()
declare void @fill()

@kept = alias i32 (i32), ptr @replaced
@kept_too = alias i32 (i32), ptr @replaced

define weak i32 @replaced(i32 %n) noinline {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %j, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %more = add i32 %sum, %i
  %j = add i32 %i, 1
  %again = icmp ult i32 %j, %n
  br i1 %again, label %loop, label %end
end:
  ret i32 %more
}

define weak void @begin() {
  %r = call i32 @puts(ptr @weak_text)
  ret void
}

define i32 @main() {
  call void @fill()
  %1 = call i32 @replaced(i32 1000)
  %2 = call i32 @kept(i32 1000)
  %3 = call i32 @calls_kept()
  %4 = load i32, ptr @kept_variable
  %5 = load ptr, ptr @of_replaced
  %6 = load i32, ptr %5
  %7 = call i32 (ptr, ...) @printf(ptr @format, i32 %1, i32 %2, i32 %3, i32 %4, i32 %6, i32 0)
  %8 = load i32, ptr @next_to_table
  %differ = icmp ne ptr @replaced, @kept
  %9 = zext i1 %differ to i32
  %same = icmp eq ptr @kept, @kept_too
  %10 = zext i1 %same to i32
  %11 = load i32, ptr @weak_variable
  %12 = call i32 (ptr, ...) @printf(ptr @format, i32 %8, i32 %9, i32 %10, i32 %11, i32 0, i32 0)
  ret i32 0
}
