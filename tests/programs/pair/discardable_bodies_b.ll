; The other module of discardable_bodies_a.ll: what its available_externally bodies stand for.
@limit = constant i64 40
@shared = linkonce_odr global i64 5
@other_table = constant [3 x ptr] [ptr @preview, ptr @odr, ptr @hinted]

define i64 @preview(i64 %x) {
  %l = load i64, ptr @limit
  %n = load i64, ptr @shared
  %y = mul i64 %n, %x
  %r = add i64 %l, %y
  ret i64 %r
}
define linkonce_odr i64 @odr(i64 %x) {
  %n = load i64, ptr @shared
  %m = add i64 %n, %x
  store i64 %m, ptr @shared
  ret i64 %m
}
define linkonce_odr i64 @hinted(i64 %x) inlinehint {
  %y = call i64 @deep(i64 %x)
  ret i64 %y
}
define i64 @deep(i64 %x) {
  %y = call i64 @odr(i64 1)
  %r = add i64 %x, %y
  ret i64 %r
}
define i64 @other_total(i64 %x) {
  %f = load ptr, ptr getelementptr ([3 x ptr], ptr @other_table, i64 0, i64 1)
  %a = call i64 %f(i64 %x)
  %b = call i64 @hinted(i64 %a)
  ret i64 %b
}
