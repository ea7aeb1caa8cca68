; Aliases of functions, data and other aliases, with offsets, weak, hidden and internal ones: called,
; written through, in tables and compared with what they name.
declare i32 @printf(ptr, ...)
@format = private constant [13 x i8] c"%ld %ld %ld\0A\00"
%pair = type { i64, [3 x i64] }
@base = internal global %pair { i64 1, [3 x i64] [i64 2, i64 3, i64 4] }
@whole = alias %pair, ptr @base
@second = alias i64, getelementptr (%pair, ptr @base, i64 0, i32 1, i64 1)
@third = internal alias i64, getelementptr (i8, ptr @second, i64 8)
@end = hidden alias i8, getelementptr (%pair, ptr @base, i64 1)
@text = private constant [12 x i8] c"head\00tail\00\00\00"
@tail = private unnamed_addr alias [5 x i8], getelementptr (i8, ptr @text, i64 5)
@weak.f = weak alias i64 (i64), ptr @f
@odr.f = weak_odr alias i64 (i64), ptr @f
@inner.f = internal alias i64 (i64), ptr @g
@private.f = private alias i64 (i64), ptr @inner.f
@protected.f = protected alias i64 (i64), ptr @f
@dso.f = dso_local alias i64 (i64), ptr @f
@unnamed.f = unnamed_addr alias i64 (i64), ptr @h
@functions = constant [7 x ptr] [ptr @weak.f, ptr @odr.f, ptr @inner.f, ptr @private.f, ptr @protected.f, ptr @dso.f, ptr @unnamed.f]
@data = internal global [5 x ptr] [ptr @whole, ptr @second, ptr @third, ptr @end, ptr @tail]
@functions.too = alias ptr, getelementptr (ptr, ptr @functions, i64 2)

define i64 @f(i64 %x) {
  %n = load i64, ptr @second
  %r = add i64 %n, %x
  ret i64 %r
}
define internal i64 @g(i64 %x) {
  %n = load i64, ptr @third
  %y = call i64 @weak.f(i64 %n)
  %r = mul i64 %y, %x
  ret i64 %r
}
define private i64 @h(i64 %x) {
  %a = call i64 @private.f(i64 %x)
  %b = call i64 @odr.f(i64 %a)
  ret i64 %b
}
define internal i64 @call(ptr %table, i64 %i, i64 %x) {
  %slot = getelementptr ptr, ptr %table, i64 %i
  %f = load ptr, ptr %slot
  %r = call i64 %f(i64 %x)
  ret i64 %r
}
define internal i64 @size() {
  %a = load ptr, ptr @data
  %b = load ptr, ptr getelementptr (ptr, ptr @data, i64 3)
  %x = ptrtoint ptr %a to i64
  %y = ptrtoint ptr %b to i64
  %r = sub i64 %y, %x
  ret i64 %r
}
define internal void @change() {
  %a = load ptr, ptr getelementptr (ptr, ptr @data, i64 1)
  store i64 30, ptr %a
  store i64 40, ptr @third
  store i64 10, ptr @whole
  ret void
}
define internal i64 @distance(ptr %p, ptr %q) {
  %x = ptrtoint ptr %p to i64
  %y = ptrtoint ptr %q to i64
  %r = sub i64 %y, %x
  ret i64 %r
}
define i32 @main() {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %a = call i64 @call(ptr @functions, i64 %i, i64 7)
  %f = getelementptr ptr, ptr @functions, i64 %i
  %g = load ptr, ptr %f
  %is.f = icmp eq ptr %g, @f
  %is.g = icmp eq ptr %g, @g
  %b = zext i1 %is.f to i64
  %c = zext i1 %is.g to i64
  call i32 (ptr, ...) @printf(ptr @format, i64 %a, i64 %b, i64 %c)
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, 7
  br i1 %done, label %after, label %loop
after:
  call void @change()
  %d = load i64, ptr @base
  %e = load i64, ptr getelementptr (%pair, ptr @base, i64 0, i32 1, i64 1)
  %h = load i64, ptr getelementptr (%pair, ptr @whole, i64 0, i32 1, i64 2)
  call i32 (ptr, ...) @printf(ptr @format, i64 %d, i64 %e, i64 %h)
  %j = call i64 @size()
  %k = call i64 @distance(ptr @text, ptr @tail)
  %l = call i64 @call(ptr @functions.too, i64 0, i64 2)
  call i32 (ptr, ...) @printf(ptr @format, i64 %j, i64 %k, i64 %l)
  ret i32 0
}
