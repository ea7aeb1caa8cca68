; extern_weak functions and data that nobody defines, that the process has and that a module has, used
; by functions and in tables.
declare i32 @printf(ptr, ...)
declare extern_weak i64 @nowhere.f(i64)
declare extern_weak i64 @strlen(ptr)
declare extern_weak i64 @atol(ptr)
@nowhere.data = extern_weak global i64
@nowhere.constant = extern_weak constant [4 x i8]
@environ = extern_weak global ptr
@format = private constant [5 x i8] c"%ld \00"
@text = private constant [6 x i8] c"12345\00"
@table = internal global [7 x ptr] [ptr @nowhere.f, ptr @strlen, ptr @nowhere.data, ptr @environ, ptr null, ptr @show, ptr @nowhere.constant]

define weak void @show(i64 %x) {
  call i32 (ptr, ...) @printf(ptr @format, i64 %x)
  ret void
}
define internal i1 @known(i64 %i) {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %p = load ptr, ptr %slot
  %r = icmp ne ptr %p, null
  ret i1 %r
}
define internal i64 @maybe(i64 %x) {
  %there = icmp ne ptr @nowhere.f, null
  br i1 %there, label %yes, label %no
yes:
  %r = call i64 @nowhere.f(i64 %x)
  ret i64 %r
no:
  %data = icmp eq ptr @nowhere.data, null
  %s = select i1 %data, i64 -5, i64 5
  ret i64 %s
}
define internal i64 @measure(ptr %text) {
  %there = icmp ne ptr @strlen, null
  br i1 %there, label %yes, label %no
yes:
  %a = call i64 @strlen(ptr %text)
  %b = call i64 @atol(ptr %text)
  %r = add i64 %a, %b
  ret i64 %r
no:
  ret i64 -1
}
define i32 @main() {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %known = call i1 @known(i64 %i)
  %n = zext i1 %known to i64
  %show = load ptr, ptr getelementptr ([7 x ptr], ptr @table, i64 0, i64 5)
  call void %show(i64 %n)
  %next = add i64 %i, 1
  %end = icmp eq i64 %next, 7
  br i1 %end, label %done, label %loop
done:
  %a = call i64 @maybe(i64 1)
  call void @show(i64 %a)
  %b = call i64 @measure(ptr @text)
  call void @show(i64 %b)
  %c = icmp ne ptr @environ, null
  %d = zext i1 %c to i64
  call void @show(i64 %d)
  ret i32 0
}
