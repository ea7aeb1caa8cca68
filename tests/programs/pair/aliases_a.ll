; Aliases that another module defines, some instead of weak definitions, ones with offsets, a weak one and
; an ifunc: called and in data of both.
declare i32 @printf(ptr, ...)
@format = private constant [13 x i8] c"%ld %ld %ld\0A\00"
declare i64 @named(i64)
declare i64 @chosen(i64)
@field = external global i64
@strong.field = weak global i64 -1
declare i64 @both.f(i64)
@table = internal global [5 x ptr] [ptr @named, ptr @weak.f, ptr @both.f, ptr @chosen, ptr @field]
@theirs = external constant [5 x ptr]

define weak i64 @weak.f(i64 %x) {
  %r = add i64 %x, 1
  ret i64 %r
}
define internal i64 @call(i64 %i, i64 %x) {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %f = load ptr, ptr %slot
  %r = call i64 %f(i64 %x)
  ret i64 %r
}
define i32 @main() {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %a = call i64 @call(i64 %i, i64 10)
  %p = getelementptr ptr, ptr @table, i64 %i
  %q = getelementptr ptr, ptr @theirs, i64 %i
  %x = load ptr, ptr %p
  %y = load ptr, ptr %q
  %same = icmp eq ptr %x, %y
  %b = zext i1 %same to i64
  %f = load ptr, ptr %q
  %c = call i64 %f(i64 10)
  call i32 (ptr, ...) @printf(ptr @format, i64 %a, i64 %b, i64 %c)
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, 4
  br i1 %done, label %after, label %loop
after:
  %d = load i64, ptr @field
  store i64 60, ptr @field
  %e = load i64, ptr @strong.field
  %g = call i64 @named(i64 0)
  call i32 (ptr, ...) @printf(ptr @format, i64 %d, i64 %e, i64 %g)
  ret i32 0
}
