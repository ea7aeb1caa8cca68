; The other module of weak_definitions_a.ll.
$any.f = comdat any
$group = comdat any
$alone = comdat nodeduplicate
@weak.data = weak global i64 1000
@weak.list = weak constant [2 x ptr] [ptr @strong.f, ptr @strong.data]
@strong.data = global i64 2000
@common.data = common global [8 x i64] zeroinitializer, align 32
@common.small = common global i64 0
@odr.data = weak_odr constant i64 3
@group = linkonce_odr global i64 31, comdat
@group.count = linkonce_odr global i64 310, comdat($group)
@alone = internal global i64 40, comdat
@other.table = global [8 x ptr] [ptr @weak.f, ptr @strong.f, ptr @once.f, ptr @any.f, ptr @weak.data, ptr @strong.data, ptr @common.data, ptr @odr.data]
@protected.data = protected global i64 51
@hidden.data = hidden global i64 52

define weak i64 @weak.f(i64 %x) {
  ret i64 -100
}
define i64 @strong.f(i64 %x) {
  %n = load i64, ptr @strong.data
  %m = add i64 %n, %x
  store i64 %m, ptr @strong.data
  ret i64 %m
}
define linkonce i64 @once.f(i64 %x) {
  ret i64 -200
}
define linkonce_odr i64 @any.f(i64 %x) comdat {
  %n = load i64, ptr @group
  %c = load i64, ptr @group.count
  %s = add i64 %n, %c
  %r = add i64 %s, %x
  store i64 %r, ptr @group.count
  ret i64 %r
}
define protected i64 @protected.f(i64 %x) {
  %p = load ptr, ptr getelementptr ([8 x ptr], ptr @other.table, i64 0, i64 5)
  %n = load i64, ptr %p
  %a = load i64, ptr @alone
  %s = add i64 %n, %a
  %r = add i64 %s, %x
  ret i64 %r
}
define hidden i64 @hidden.f(i64 %x) {
  %r = call i64 @protected.f(i64 %x)
  %s = sub i64 0, %r
  ret i64 %s
}
define i64 @other.call(i64 %i, i64 %x) {
  %slot = getelementptr ptr, ptr @other.table, i64 %i
  %f = load ptr, ptr %slot
  %r = call i64 %f(i64 %x)
  ret i64 %r
}
