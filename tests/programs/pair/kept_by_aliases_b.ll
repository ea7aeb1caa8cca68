@weak_variable = global i32 7
@table = common global [64 x i32] zeroinitializer
@strong_text = private constant [7 x i8] c"strong\00"
declare i32 @kept(i32)
declare i32 @puts(ptr)

define i32 @replaced(i32 %n) { ret i32 2 }

define i32 @calls_kept() {
  %r = call i32 @kept(i32 10)
  ret i32 %r
}

define void @begin() {
  %r = call i32 @puts(ptr @strong_text)
  ret void
}

define void @fill() {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %place = getelementptr i32, ptr @table, i64 %i
  store i32 9, ptr %place
  %j = add i64 %i, 1
  %again = icmp ult i64 %j, 64
  br i1 %again, label %loop, label %end
end:
  ret void
}
