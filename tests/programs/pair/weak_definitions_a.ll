; weak, weak_odr, linkonce, common and comdat definitions in two modules, used by functions and by data
; of both: the first definition counts, unless the other one is strong.
declare i32 @printf(ptr, ...)
@format = private constant [17 x i8] c"%ld %ld %ld %ld\0A\00"

$any.f = comdat any
$group = comdat any
$alone = comdat nodeduplicate
@weak.data = weak global i64 1
@weak.list = weak constant [2 x ptr] [ptr @weak.f, ptr @weak.data]
@strong.data = weak global i64 2
@common.data = common global [4 x i64] zeroinitializer, align 16
@common.small = common global i64 0
@odr.data = weak_odr constant i64 3
@group = linkonce_odr global i64 31, comdat
@group.count = linkonce_odr global i64 310, comdat($group)
@alone = internal global i64 4, comdat
@table = internal constant [8 x ptr] [ptr @weak.f, ptr @strong.f, ptr @once.f, ptr @any.f, ptr @weak.data, ptr @strong.data, ptr @common.data, ptr @odr.data]
@other.table = external global [8 x ptr]
@protected.data = external global i64
@hidden.data = external hidden global i64
declare protected i64 @protected.f(i64)
declare hidden i64 @hidden.f(i64)
declare i64 @other.call(i64, i64)

define weak i64 @weak.f(i64 %x) {
  %n = load i64, ptr @weak.data
  %m = add i64 %n, %x
  store i64 %m, ptr @weak.data
  ret i64 %m
}
define weak i64 @strong.f(i64 %x) {
  ret i64 -1
}
define linkonce i64 @once.f(i64 %x) {
  %r = call i64 @weak.f(i64 %x)
  %s = add i64 %r, 10
  ret i64 %s
}
define linkonce_odr i64 @any.f(i64 %x) comdat {
  %n = load i64, ptr @group
  %c = load i64, ptr @group.count
  %s = add i64 %n, %c
  %r = add i64 %s, %x
  store i64 %r, ptr @group.count
  ret i64 %r
}
define internal i64 @call(i64 %i, i64 %x) {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %f = load ptr, ptr %slot
  %r = call i64 %f(i64 %x)
  ret i64 %r
}
define internal i64 @at(i64 %i) {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %p = load ptr, ptr %slot
  %r = load i64, ptr %p
  ret i64 %r
}
define internal i64 @equal() {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %mask = phi i64 [ 0, %0 ], [ %more, %loop ]
  %a = getelementptr ptr, ptr @table, i64 %i
  %b = getelementptr ptr, ptr @other.table, i64 %i
  %p = load ptr, ptr %a
  %q = load ptr, ptr %b
  %same = icmp eq ptr %p, %q
  %bit = zext i1 %same to i64
  %double = shl i64 %mask, 1
  %more = or i64 %double, %bit
  %next = add i64 %i, 1
  %end = icmp eq i64 %next, 8
  br i1 %end, label %done, label %loop
done:
  ret i64 %more
}
define i32 @main() {
  %a = call i64 @call(i64 0, i64 5)
  %b = call i64 @call(i64 1, i64 6)
  %c = call i64 @call(i64 2, i64 7)
  %d = call i64 @call(i64 3, i64 8)
  call i32 (ptr, ...) @printf(ptr @format, i64 %a, i64 %b, i64 %c, i64 %d)
  %e = call i64 @other.call(i64 0, i64 5)
  %f = call i64 @other.call(i64 1, i64 6)
  %g = call i64 @other.call(i64 2, i64 7)
  %h = call i64 @other.call(i64 3, i64 8)
  call i32 (ptr, ...) @printf(ptr @format, i64 %e, i64 %f, i64 %g, i64 %h)
  %i = call i64 @at(i64 4)
  %j = call i64 @at(i64 5)
  store i64 77, ptr getelementptr ([4 x i64], ptr @common.data, i64 0, i64 0)
  store i64 78, ptr @common.small
  %k = call i64 @at(i64 6)
  %l = call i64 @at(i64 7)
  call i32 (ptr, ...) @printf(ptr @format, i64 %i, i64 %j, i64 %k, i64 %l)
  %m = call i64 @equal()
  %n = load i64, ptr @common.small
  %o = load i64, ptr @alone
  %first = load ptr, ptr @weak.list
  %p = call i64 %first(i64 100)
  call i32 (ptr, ...) @printf(ptr @format, i64 %m, i64 %n, i64 %o, i64 %p)
  %q = load i64, ptr @protected.data
  %r = load i64, ptr @hidden.data
  %s = call i64 @protected.f(i64 1)
  %t = call i64 @hidden.f(i64 2)
  call i32 (ptr, ...) @printf(ptr @format, i64 %q, i64 %r, i64 %s, i64 %t)
  ret i32 0
}
