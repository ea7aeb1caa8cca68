; ifuncs: called in a loop, their addresses in data and passed on, an internal one, one of which an alias
; exists, one with a resolver that calls a function and reads data. No resolver runs again once all are called.
declare i32 @printf(ptr, ...)
@format = private constant [13 x i8] c"%ld %ld %ld\0A\00"
@runs = internal global i64 0
@wanted = internal global i64 1
@candidates = internal constant [2 x ptr] [ptr @add, ptr @subtract]
@public = ifunc i64 (i64, i64), ptr @resolve.public
@local = internal ifunc i64 (i64, i64), ptr @resolve.local
@other.name = alias i64 (i64, i64), ptr @public
@table = internal constant [3 x ptr] [ptr @public, ptr @local, ptr @other.name]

define internal i64 @add(i64 %x, i64 %y) {
  %r = add i64 %x, %y
  ret i64 %r
}
define internal i64 @subtract(i64 %x, i64 %y) {
  %r = sub i64 %x, %y
  ret i64 %r
}
define internal i64 @which() {
  %r = load i64, ptr @wanted
  ret i64 %r
}
define internal ptr @resolve.public() {
  %n = load i64, ptr @runs
  %m = add i64 %n, 1
  store i64 %m, ptr @runs
  %i = call i64 @which()
  %slot = getelementptr ptr, ptr @candidates, i64 %i
  %f = load ptr, ptr %slot
  ret ptr %f
}
define internal ptr @resolve.local() {
  %n = load i64, ptr @runs
  %m = add i64 %n, 100
  store i64 %m, ptr @runs
  ret ptr @add
}
define internal i64 @apply(ptr %f, i64 %x) {
  %r = call i64 %f(i64 %x, i64 3)
  ret i64 %r
}
define internal i64 @loop(i64 %times) {
  br label %body
body:
  %i = phi i64 [ 0, %0 ], [ %next, %body ]
  %sum = phi i64 [ 0, %0 ], [ %more, %body ]
  %a = call i64 @public(i64 %sum, i64 1)
  %more = call i64 @local(i64 %a, i64 5)
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %times
  br i1 %done, label %end, label %body
end:
  ret i64 %more
}
define internal i64 @at(i64 %i, i64 %x) {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %f = load ptr, ptr %slot
  %r = call i64 @apply(ptr %f, i64 %x)
  ret i64 %r
}
define i32 @main() {
  %a = call i64 @loop(i64 1000)
  %b = call i64 @apply(ptr @public, i64 10)
  %c = call i64 @apply(ptr @local, i64 10)
  call i32 (ptr, ...) @printf(ptr @format, i64 %a, i64 %b, i64 %c)
  %d = call i64 @at(i64 0, i64 20)
  %e = call i64 @at(i64 1, i64 20)
  %f = call i64 @at(i64 2, i64 20)
  call i32 (ptr, ...) @printf(ptr @format, i64 %d, i64 %e, i64 %f)
  %p = load ptr, ptr @table
  %same = icmp eq ptr %p, @public
  %g = zext i1 %same to i64
  %h = call i64 @other.name(i64 1, i64 1)
  %n = load i64, ptr @runs
  call i64 @loop(i64 100)
  call i64 @at(i64 2, i64 30)
  %m = load i64, ptr @runs
  %more = sub i64 %m, %n
  call i32 (ptr, ...) @printf(ptr @format, i64 %g, i64 %h, i64 %more)
  ret i32 0
}
