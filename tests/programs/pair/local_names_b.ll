; The other module of local_names_a.ll.
declare i32 @printf(ptr, ...)

@0 = private unnamed_addr constant [18 x i8] c"%s %ld %ld %s %d\0A\00"
@1 = internal global i64 22000
@2 = private global ptr @1
@word = private unnamed_addr constant [2 x i8] c"b\00"
@cell = internal global i64 1000
@hidden = private global i64 7
@same = internal alias i64 (i64), ptr @twice
@other_table = constant [6 x ptr] [ptr @twice, ptr @thrice, ptr @3, ptr @1, ptr @cell, ptr @same]

define internal i64 @twice(i64 %x) {
  %old = load i64, ptr @cell
  %new = add i64 %old, 10
  store i64 %new, ptr @cell
  %r = mul i64 %x, 20
  ret i64 %r
}
define private i64 @thrice(i64 %x) {
  %a = load i64, ptr @hidden
  %b = call i64 @same(i64 %x)
  %r = sub i64 %b, %a
  ret i64 %r
}
define internal i64 @3(i64 %x) {
  %to = load ptr, ptr @2
  %n = load i64, ptr %to
  %sum = add i64 %n, %x
  store i64 %sum, ptr %to
  %r = call i64 @4(i64 %sum)
  ret i64 %r
}
define private i64 @4(i64 %x) {
  %r = add i64 %x, 3
  ret i64 %r
}
define i64 @other_sum(i64 %x) {
  %a = call i64 @twice(i64 %x)
  %b = call i64 @thrice(i64 %a)
  %c = call i64 @3(i64 %b)
  ret i64 %c
}
define void @other_show(ptr %name) {
  %a = load i64, ptr @cell
  %b = load i64, ptr @1
  %c = icmp eq ptr %name, @word
  %d = zext i1 %c to i32
  call i32 (ptr, ...) @printf(ptr @0, ptr %name, i64 %a, i64 %b, ptr @word, i32 %d)
  ret void
}
