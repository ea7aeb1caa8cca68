; musttail calls, deep, whose callees have more arguments on the stack than their callers, or fewer,
; which tailcc and swifttailcc allow.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"

define tailcc i64 @grow(i64 %n, i64 %a) {
  %done = icmp slt i64 %n, 0
  br i1 %done, label %end, label %more
more:
  %m = sub i64 %n, 1
  %r = musttail call tailcc i64 @shrink(i64 %m, i64 %a, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8)
  ret i64 %r
end:
  ret i64 %a
}
define tailcc i64 @shrink(i64 %n, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %i) {
  %s = add i64 %a, %i
  %t = sub i64 %s, %h
  %r = musttail call tailcc i64 @grow(i64 %n, i64 %t)
  ret i64 %r
}
define swifttailcc i64 @swift.a(i64 %n, ptr swiftself %self, ptr swiftasync %context) {
  %done = icmp eq i64 %n, 0
  br i1 %done, label %end, label %more
more:
  %m = sub i64 %n, 1
  %r = musttail call swifttailcc i64 @swift.b(i64 %m, i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, ptr swiftself %self, ptr swiftasync %context)
  ret i64 %r
end:
  %x = load i64, ptr %self
  %y = load i64, ptr %context
  %z = add i64 %x, %y
  ret i64 %z
}
define swifttailcc i64 @swift.b(i64 %n, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, ptr swiftself %self, ptr swiftasync %context) {
  %x = load i64, ptr %self
  %y = add i64 %x, %g
  store i64 %y, ptr %self
  %r = musttail call swifttailcc i64 @swift.a(i64 %n, ptr swiftself %self, ptr swiftasync %context)
  ret i64 %r
}
define void @show(i64 %x) {
  call i32 (ptr, ...) @printf(ptr @format, i64 %x)
  ret void
}
define i32 @main() {
  %g = call tailcc i64 @grow(i64 100000, i64 0)
  call void @show(i64 %g)
  %cell = alloca i64
  %other = alloca i64
  store i64 3, ptr %cell
  store i64 50000000, ptr %other
  %h = call swifttailcc i64 @swift.a(i64 100000, ptr swiftself %cell, ptr swiftasync %other)
  call void @show(i64 %h)
  ret i32 0
}
