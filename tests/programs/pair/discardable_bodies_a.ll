; available_externally, linkonce_odr, alwaysinline and inlinehint bodies in one module, the definitions
; that count in another: called, in data, and their variables shared.
declare i32 @printf(ptr, ...)
@format = private constant [13 x i8] c"%ld %ld %ld\0A\00"
@limit = available_externally constant i64 40
@shared = linkonce_odr global i64 5
@table = internal constant [4 x ptr] [ptr @preview, ptr @odr, ptr @always, ptr @hinted]
@other_table = external constant [3 x ptr]
declare i64 @other_total(i64)

define available_externally i64 @preview(i64 %x) inlinehint {
  %l = load i64, ptr @limit
  %y = call i64 @always(i64 %x)
  %r = add i64 %l, %y
  ret i64 %r
}
define linkonce_odr i64 @odr(i64 %x) {
  %n = load i64, ptr @shared
  %m = add i64 %n, %x
  store i64 %m, ptr @shared
  ret i64 %m
}
define internal i64 @always(i64 %x) alwaysinline {
  %n = load i64, ptr @shared
  %r = mul i64 %n, %x
  ret i64 %r
}
define linkonce_odr i64 @hinted(i64 %x) inlinehint {
  %y = call i64 @deep(i64 %x)
  ret i64 %y
}
define available_externally i64 @deep(i64 %x) alwaysinline {
  %y = call i64 @odr(i64 1)
  %r = add i64 %x, %y
  ret i64 %r
}
define internal i64 @through(i64 %i, i64 %x) noinline {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %f = load ptr, ptr %slot
  %r = call i64 %f(i64 %x)
  ret i64 %r
}
define internal i1 @same(i64 %i) {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %f = load ptr, ptr %slot
  %other = getelementptr ptr, ptr @other_table, i64 %i
  %g = load ptr, ptr %other
  %r = icmp eq ptr %f, %g
  ret i1 %r
}
define i32 @main() {
  %a = call i64 @preview(i64 2)
  %b = call i64 @through(i64 0, i64 3)
  %c = call i64 @through(i64 1, i64 4)
  call i32 (ptr, ...) @printf(ptr @format, i64 %a, i64 %b, i64 %c)
  %d = call i64 @through(i64 2, i64 5)
  %e = call i64 @through(i64 3, i64 6)
  %f = call i64 @other_total(i64 7)
  call i32 (ptr, ...) @printf(ptr @format, i64 %d, i64 %e, i64 %f)
  %g = call i1 @same(i64 0)
  %h = call i1 @same(i64 1)
  %i = zext i1 %g to i64
  %j = zext i1 %h to i64
  %k = load i64, ptr @shared
  call i32 (ptr, ...) @printf(ptr @format, i64 %i, i64 %j, i64 %k)
  ret i32 0
}
