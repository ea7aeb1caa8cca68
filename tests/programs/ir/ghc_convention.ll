; ghccc functions that pass all their state in registers and end by musttail calls through a table, entered
; from C's convention.
declare i32 @printf(ptr, ...)
@format = private constant [9 x i8] c"%ld %ld\0A\00"
@continuations = internal constant [2 x ptr] [ptr @add, ptr @finish]
@result = internal global [2 x i64] zeroinitializer
define internal ghccc void @add(ptr %base, ptr %sp, ptr %hp, i64 %r1, i64 %r2, i64 %r3) {
  %sum = add i64 %r1, %r2
  %less = sub i64 %r2, 1
  %done = icmp eq i64 %less, 0
  %i = zext i1 %done to i64
  %slot = getelementptr ptr, ptr %base, i64 %i
  %next = load ptr, ptr %slot
  musttail call ghccc void %next(ptr %base, ptr %sp, ptr %hp, i64 %sum, i64 %less, i64 %r3)
  ret void
}
define internal ghccc void @finish(ptr %base, ptr %sp, ptr %hp, i64 %r1, i64 %r2, i64 %r3) {
  store i64 %r1, ptr %hp
  %p = getelementptr i64, ptr %hp, i64 1
  store i64 %r3, ptr %p
  ret void
}
define i32 @main() {
  call ghccc void @add(ptr @continuations, ptr null, ptr @result, i64 0, i64 100, i64 7)
  %a = load i64, ptr @result
  %b = load i64, ptr getelementptr (i64, ptr @result, i64 1)
  call i32 (ptr, ...) @printf(ptr @format, i64 %a, i64 %b)
  ret i32 0
}
