; For AArch64: functions with prefix data that refers to a function, with prologue data that runs, and with both, called
; through a table.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@table = internal constant [3 x ptr] [ptr @prefixed, ptr @prologued, ptr @both]
@value = internal global i64 5
define internal i64 @prefixed(i64 %x) prefix { ptr, ptr } { ptr @both, ptr @value } {
  %n = load i64, ptr @value
  %r = add i64 %n, %x
  ret i64 %r
}
define i64 @prologued(i64 %x) prologue i32 -721215457 {
  %r = call i64 @prefixed(i64 %x)
  ret i64 %r
}
define i64 @both(i64 %x) prefix i32 77 prologue [2 x i32] [i32 335544322, i32 -1] {
  %r = call i64 @prologued(i64 %x)
  %s = mul i64 %r, 2
  ret i64 %s
}
define internal i64 @through(i64 %i) {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %f = load ptr, ptr %slot
  %r = call i64 %f(i64 10)
  ret i64 %r
}
define i32 @main() {
  %a = call i64 @through(i64 0)
  call i32 (ptr, ...) @printf(ptr @format, i64 %a)
  %b = call i64 @through(i64 1)
  call i32 (ptr, ...) @printf(ptr @format, i64 %b)
  %c = call i64 @through(i64 2)
  call i32 (ptr, ...) @printf(ptr @format, i64 %c)
  ret i32 0
}
