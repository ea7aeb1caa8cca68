; Functions and data in sections of their own, some of the same name for different kinds, used by
; functions elsewhere.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00", section "strings_here"
@writable = internal global i64 5, section ".data.special"
@zero = internal global [10 x i64] zeroinitializer, section ".bss.special"
@constant = constant i64 7, section ".rodata.special"
@relocated = internal constant ptr @f, section ".data.rel.ro.special"
@custom = global ptr @g, section "my_data", align 8
@custom.constant = internal global i64 9, section "my_data", align 8
define i64 @f(i64 %x) section ".text.special" {
  %n = load i64, ptr @writable
  %r = add i64 %n, %x
  store i64 %r, ptr @writable
  ret i64 %r
}
define internal i64 @g(i64 %x) section "my_text" {
  %f = load ptr, ptr @relocated
  %a = call i64 %f(i64 %x)
  %b = load i64, ptr @constant
  store i64 %a, ptr getelementptr (i64, ptr @zero, i64 9)
  %r = add i64 %a, %b
  ret i64 %r
}
define internal i64 @h(i64 %x) section "my_text" align 64 {
  %g = load ptr, ptr @custom
  %a = call i64 %g(i64 %x)
  %b = load i64, ptr @custom.constant
  %r = mul i64 %a, %b
  ret i64 %r
}
define i32 @main() section ".text.startup" {
  %a = call i64 @h(i64 1)
  call i32 (ptr, ...) @printf(ptr @format, i64 %a)
  %b = call i64 @g(i64 1)
  call i32 (ptr, ...) @printf(ptr @format, i64 %b)
  %c = load i64, ptr getelementptr (i64, ptr @zero, i64 9)
  call i32 (ptr, ...) @printf(ptr @format, i64 %c)
  ret i32 0
}
