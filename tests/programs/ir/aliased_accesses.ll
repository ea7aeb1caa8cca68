; Accesses through a variable and through aliases of it: to the optimizer they are one object, and
; their addresses are equal.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@variable = internal global [2 x i64] [i64 1, i64 2]
@whole = internal alias [2 x i64], ptr @variable
@second = alias i64, getelementptr (i64, ptr @variable, i64 1)
@weak = weak alias i64, ptr @variable
@again = internal alias i64 (i64), ptr @function
define i64 @function(i64 %x) {
  %y = add i64 %x, 1
  ret i64 %y
}
define void @show(i64 %x) {
  call i32 (ptr, ...) @printf(ptr @format, i64 %x)
  ret void
}
define i64 @store(i64 %x) {
  %before = load i64, ptr @variable
  store i64 %x, ptr @whole
  %seen = load i64, ptr @variable
  %sum = add i64 %before, %seen
  store i64 %sum, ptr @weak
  %end = load i64, ptr @variable
  ret i64 %end
}
define i64 @store.second(i64 %x) {
  %slot = getelementptr i64, ptr @variable, i64 1
  store i64 %x, ptr @second
  %seen = load i64, ptr %slot
  ret i64 %seen
}
define i64 @compare() {
  %a = icmp eq ptr @whole, @variable
  %b = icmp eq ptr @again, @function
  %c = icmp eq ptr @second, getelementptr (i64, ptr @variable, i64 1)
  %a.n = zext i1 %a to i64
  %b.n = zext i1 %b to i64
  %c.n = zext i1 %c to i64
  %ab = add i64 %a.n, %b.n
  %abc = add i64 %ab, %c.n
  ret i64 %abc
}
define i32 @main() {
  %a = call i64 @store(i64 10)
  call void @show(i64 %a)
  %b = call i64 @store.second(i64 20)
  call void @show(i64 %b)
  %c = call i64 @compare()
  call void @show(i64 %c)
  %d = call i64 @again(i64 5)
  call void @show(i64 %d)
  ret i32 0
}
