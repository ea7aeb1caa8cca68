; Weak aliases that give way to the definitions of another module.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@data = weak alias i64, ptr @my.data
@f = weak alias i64 (i64), ptr @my.f
@my.data = internal global i64 1
@table = global [2 x ptr] [ptr @f, ptr @data]
define internal i64 @my.f(i64 %x) {
  ret i64 1
}
define i32 @main() {
  %a = load i64, ptr @data
  call i32 (ptr, ...) @printf(ptr @format, i64 %a)
  %b = call i64 @f(i64 0)
  call i32 (ptr, ...) @printf(ptr @format, i64 %b)
  %g = load ptr, ptr @table
  %c = call i64 %g(i64 0)
  call i32 (ptr, ...) @printf(ptr @format, i64 %c)
  ret i32 0
}
