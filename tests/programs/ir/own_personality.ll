; A personality routine of the program's own is asked for each frame that names it, also for one that
; neither catches nor cleans up.
declare i32 @puts(ptr)
declare i32 @fflush(ptr)
declare void @exit(i32)
declare i32 @_Unwind_ForcedUnwind(ptr, ptr, ptr)
@exception = internal global [64 x i8] zeroinitializer, align 16
@steps = internal global i32 0
@text.asked = private constant [6 x i8] c"asked\00"
@text.end = private constant [4 x i8] c"end\00"
define internal i32 @personality(i32 %version, i32 %actions, i64 %class, ptr %exception, ptr %context) {
  call i32 @puts(ptr @text.asked)
  ret i32 8
}
define internal i32 @stop(i32 %version, i32 %actions, i64 %class, ptr %exception, ptr %context, ptr %argument) {
  %n = load i32, ptr @steps
  %m = add i32 %n, 1
  store i32 %m, ptr @steps
  %enough = icmp sgt i32 %n, 2
  br i1 %enough, label %leave, label %go_on
leave:
  call i32 @puts(ptr @text.end)
  call i32 @fflush(ptr null)
  call void @exit(i32 0)
  unreachable
go_on:
  ret i32 0
}
define void @unwinds() noinline uwtable {
  call i32 @_Unwind_ForcedUnwind(ptr @exception, ptr @stop, ptr null)
  ret void
}
define void @is_asked_for() noinline uwtable personality ptr @personality {
  notail call void @unwinds()
  ret void
}
define i32 @main() uwtable {
  call void @is_asked_for()
  ret i32 0
}
