; As merged_returns.ll, with the convention of GHC: its code never returns from tail calls, because
; its stack is not that of C.
declare i32 @printf(ptr, ...)
@format = private constant [9 x i8] c"%ld %ld\0A\00"
@result = internal global [2 x i64] zeroinitializer
@continuations = internal constant [2 x ptr] [ptr @walk, ptr @finish]

define internal ghccc void @walk(ptr %base, ptr %sp, ptr %hp, i64 %r1, i64 %r2, i64 %r3) {
  %done = icmp eq i64 %r2, 0
  br i1 %done, label %last, label %more
last:
  tail call ghccc void @finish(ptr %base, ptr %sp, ptr %hp, i64 %r1, i64 %r2, i64 %r3)
  br label %common.ret
more:
  %sum = add i64 %r1, %r2
  %less = sub i64 %r2, 1
  %next = load ptr, ptr %base
  tail call ghccc void %next(ptr %base, ptr %sp, ptr %hp, i64 %sum, i64 %less, i64 %r3)
  br label %common.ret
common.ret:
  ret void
}
define internal ghccc void @finish(ptr %base, ptr %sp, ptr %hp, i64 %r1, i64 %r2, i64 %r3) {
  store i64 %r1, ptr %hp
  %p = getelementptr i64, ptr %hp, i64 1
  store i64 %r3, ptr %p
  ret void
}
define i32 @main() {
  call ghccc void @walk(ptr @continuations, ptr null, ptr @result, i64 0, i64 1000000, i64 7)
  %a = load i64, ptr @result
  %b = load i64, ptr getelementptr (i64, ptr @result, i64 1)
  call i32 (ptr, ...) @printf(ptr @format, i64 %a, i64 %b)
  ret i32 0
}
