; musttail calls: between functions that call each other, through pointers and tables, with
; sret, of a varargs thunk, as first calls and deep. With arguments on the stack: stack_tail_calls.ll.
declare i32 @printf(ptr, ...)
declare i32 @vprintf(ptr, ptr)
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
%big = type { i64, i64, i64, i64 }
@format = private constant [5 x i8] c"%ld \00"
@two = private constant [14 x i8] c"<%ld %.1f %s>\00"
@word = private constant [5 x i8] c"word\00"
@steps = internal constant [2 x ptr] [ptr @even, ptr @odd]
@target = global ptr @variadic

define internal i1 @even(i64 %n) {
  %zero = icmp eq i64 %n, 0
  br i1 %zero, label %end, label %more
more:
  %m = sub i64 %n, 1
  %r = musttail call i1 @odd(i64 %m)
  ret i1 %r
end:
  ret i1 true
}
define internal i1 @odd(i64 %n) {
  %zero = icmp eq i64 %n, 0
  br i1 %zero, label %end, label %more
more:
  %m = sub i64 %n, 1
  %f = load ptr, ptr @steps
  %r = musttail call i1 %f(i64 %m)
  ret i1 %r
end:
  ret i1 false
}
define void @fill(ptr sret(%big) %to, i64 %x, ptr %from) {
  %p = getelementptr %big, ptr %from, i64 0, i32 3
  %n = load i64, ptr %p
  %m = add i64 %n, %x
  store i64 %m, ptr %to
  %q = getelementptr %big, ptr %to, i64 0, i32 3
  store i64 %x, ptr %q
  ret void
}
define void @forward(ptr sret(%big) %to, i64 %x, ptr %from) noinline {
  %p = getelementptr %big, ptr %from, i64 0, i32 3
  store i64 1000, ptr %p
  musttail call void @fill(ptr sret(%big) %to, i64 %x, ptr %from)
  ret void
}
define i32 @variadic(ptr %self, ...) {
  %list = alloca [24 x i8], align 16
  call void @llvm.va_start.p0(ptr %list)
  %format = load ptr, ptr %self
  %r = call i32 @vprintf(ptr %format, ptr %list)
  call void @llvm.va_end.p0(ptr %list)
  ret i32 %r
}
define i32 @thunk(ptr %self, ...) "thunk" {
  %adjusted = getelementptr ptr, ptr %self, i64 1
  %f = load ptr, ptr @target
  %r = musttail call i32 (ptr, ...) %f(ptr %adjusted, ...)
  ret i32 %r
}
define void @show(i64 %x) {
  call i32 (ptr, ...) @printf(ptr @format, i64 %x)
  ret void
}
define i32 @main() {
  %a = call i1 @odd(i64 300001)
  %b = zext i1 %a to i64
  call void @show(i64 %b)
  %from = alloca %big
  %to = alloca %big
  store %big { i64 1, i64 2, i64 3, i64 4 }, ptr %from
  call void @forward(ptr sret(%big) %to, i64 9, ptr %from)
  %c = load i64, ptr %to
  call void @show(i64 %c)
  %p = getelementptr %big, ptr %from, i64 0, i32 3
  %d = load i64, ptr %p
  call void @show(i64 %d)
  %object = alloca [2 x ptr]
  %second = getelementptr ptr, ptr %object, i64 1
  store ptr @two, ptr %second
  %e = call i32 (ptr, ...) @thunk(ptr %object, i64 5, double 2.5, ptr @word)
  %f = sext i32 %e to i64
  call void @show(i64 %f)
  ret i32 0
}
