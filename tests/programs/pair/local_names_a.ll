; Internal and private functions, variables and aliases, and unnamed globals and functions, of the same
; names and numbers in two modules: called, in tables of pointers, and compared across the modules.
declare i32 @printf(ptr, ...)
declare void @other_show(ptr)
declare i64 @other_sum(i64)
@other_table = external constant [6 x ptr]

@0 = private unnamed_addr constant [15 x i8] c"%s %ld %ld %d\0A\00"
@1 = internal global i64 11
@2 = private global ptr @1
@word = private unnamed_addr constant [2 x i8] c"a\00"
@cell = internal global i64 1
@hidden = private global i64 100
@same = internal alias i64 (i64), ptr @twice
@table = internal constant [6 x ptr] [ptr @twice, ptr @thrice, ptr @3, ptr @1, ptr @cell, ptr @same]

define internal i64 @twice(i64 %x) {
  %old = load i64, ptr @cell
  %new = add i64 %old, 1
  store i64 %new, ptr @cell
  %r = mul i64 %x, 2
  ret i64 %r
}
define private i64 @thrice(i64 %x) {
  %a = load i64, ptr @hidden
  %b = call i64 @same(i64 %x)
  %r = add i64 %a, %b
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
  %r = sub i64 %x, 1
  ret i64 %r
}
define void @show(ptr %name, i64 %a, i64 %b, i1 %c) {
  %d = zext i1 %c to i32
  call i32 (ptr, ...) @printf(ptr @0, ptr %name, i64 %a, i64 %b, i32 %d)
  ret void
}
define internal i64 @sum(i64 %x) {
  %f0 = load ptr, ptr @table
  %f1 = load ptr, ptr getelementptr ([6 x ptr], ptr @table, i64 0, i64 1)
  %f2 = load ptr, ptr getelementptr ([6 x ptr], ptr @table, i64 0, i64 2)
  %a = call i64 %f0(i64 %x)
  %b = call i64 %f1(i64 %a)
  %c = call i64 %f2(i64 %b)
  ret i64 %c
}
define internal i1 @equal(i64 %i) {
  %p = getelementptr [6 x ptr], ptr @table, i64 0, i64 %i
  %q = getelementptr [6 x ptr], ptr @other_table, i64 0, i64 %i
  %a = load ptr, ptr %p
  %b = load ptr, ptr %q
  %r = icmp eq ptr %a, %b
  ret i1 %r
}
define i32 @main() {
  %a = call i64 @sum(i64 5)
  %b = call i64 @other_sum(i64 5)
  %c = call i1 @equal(i64 0)
  call void @show(ptr @word, i64 %a, i64 %b, i1 %c)
  %d = call i64 @sum(i64 6)
  %e = call i64 @other_sum(i64 6)
  %f = call i1 @equal(i64 2)
  call void @show(ptr @word, i64 %d, i64 %e, i1 %f)
  %g = load i64, ptr @cell
  %h = load i64, ptr @1
  %i = call i1 @equal(i64 4)
  call void @show(ptr @word, i64 %g, i64 %h, i1 %i)
  %f5 = load ptr, ptr getelementptr ([6 x ptr], ptr @table, i64 0, i64 5)
  %j = call i64 %f5(i64 21)
  %k = icmp eq ptr %f5, @twice
  call void @show(ptr @word, i64 %j, i64 0, i1 %k)
  call void @other_show(ptr @word)
  ret i32 0
}
