; Functions that hand out the addresses of blocks of another function, which jumps to them.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@f = global ptr @first
@g = global ptr @target
define internal ptr @first() {
  ret ptr blockaddress(@target, %odd)
}
define internal ptr @second() {
  ret ptr blockaddress(@target, %even)
}
define internal i64 @target(i64 %x, ptr %to) {
  indirectbr ptr %to, [label %even, label %odd]
even:
  %a = mul i64 %x, 2
  ret i64 %a
odd:
  %b = add i64 %x, 1
  ret i64 %b
}
define i32 @main() {
  %f = load ptr, ptr @f
  %p = call ptr %f()
  %g = load ptr, ptr @g
  %a = call i64 %g(i64 10, ptr %p)
  call i32 (ptr, ...) @printf(ptr @format, i64 %a)
  %q = call ptr @second()
  %b = call i64 %g(i64 10, ptr %q)
  call i32 (ptr, ...) @printf(ptr @format, i64 %b)
  ret i32 0
}
