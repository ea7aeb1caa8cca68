; Prefix data read through the address of its function: a number, the distance to a table, the
; address of another function, and the distance from the function itself.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@functions = internal constant [3 x ptr] [ptr @numbered, ptr @related, ptr @named]
@table = internal constant i64 12
define internal i64 @numbered(i64 %x) prefix i64 77 {
  %y = add i64 %x, 1
  ret i64 %y
}
define i64 @related(i64 %x) prefix i64 sub (i64 ptrtoint (ptr @table to i64), i64 ptrtoint (ptr @related to i64)) {
  %y = add i64 %x, 2
  ret i64 %y
}
define internal i64 @named(i64 %x) prefix ptr @numbered {
  %p = getelementptr i64, ptr @named, i64 -1
  %f = load ptr, ptr %p, align 1
  %r = call i64 %f(i64 %x)
  ret i64 %r
}
define i32 @main() {
  %a = load ptr, ptr @functions
  %a.p = getelementptr i64, ptr %a, i64 -1
  %a.v = load i64, ptr %a.p, align 1
  call i32 (ptr, ...) @printf(ptr @format, i64 %a.v)
  %a.r = call i64 %a(i64 10)
  call i32 (ptr, ...) @printf(ptr @format, i64 %a.r)
  %b.slot = getelementptr ptr, ptr @functions, i64 1
  %b = load ptr, ptr %b.slot
  %b.p = getelementptr i64, ptr %b, i64 -1
  %b.d = load i64, ptr %b.p, align 1
  %b.t = getelementptr i8, ptr %b, i64 %b.d
  %b.v = load i64, ptr %b.t
  call i32 (ptr, ...) @printf(ptr @format, i64 %b.v)
  %b.r = call i64 @related(i64 %b.v)
  call i32 (ptr, ...) @printf(ptr @format, i64 %b.r)
  %c.slot = getelementptr ptr, ptr @functions, i64 2
  %c = load ptr, ptr %c.slot
  %c.p = getelementptr i64, ptr %c, i64 -1
  %c.f = load ptr, ptr %c.p, align 1
  %c.same = icmp eq ptr %c.f, %a
  %c.n = zext i1 %c.same to i64
  call i32 (ptr, ...) @printf(ptr @format, i64 %c.n)
  %c.r = call i64 %c(i64 20)
  call i32 (ptr, ...) @printf(ptr @format, i64 %c.r)
  ret i32 0
}
