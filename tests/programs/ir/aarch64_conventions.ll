; AArch64's calling conventions that keep other registers or pass arguments elsewhere, each as a first call
; through a table: its vector convention, preserve_most, preserve_all, preserve_none, swifterror, and one
; that returns by way of x8.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@table = internal constant [6 x ptr] [ptr @vector, ptr @most, ptr @all, ptr @none, ptr @error, ptr @large]
%struct = type { i64, i64, i64, i64 }

define internal aarch64_vector_pcs <2 x i64> @vector(<2 x i64> %a, <2 x i64> %b, <2 x i64> %c, <2 x i64> %d, <2 x i64> %e, <2 x i64> %f, <2 x i64> %g, <2 x i64> %h) {
  %1 = sub <2 x i64> %a, %h
  %2 = mul <2 x i64> %1, %g
  ret <2 x i64> %2
}
define internal preserve_mostcc i64 @most(i64 %a, i64 %b) {
  %r = call i64 @interior(i64 %a, i64 %b)
  ret i64 %r
}
define internal preserve_allcc i64 @all(i64 %a, double %b) {
  %n = fptosi double %b to i64
  %m = call i64 @interior(i64 %a, i64 %n)
  ret i64 %m
}
define internal preserve_nonecc i64 @none(i64 %a, i64 %b, i64 %c) {
  %m = call i64 @interior(i64 %a, i64 %b)
  %r = sub i64 %m, %c
  ret i64 %r
}
define internal swiftcc i64 @error(i64 %x, ptr swiftself %self, ptr swifterror %error) {
  %n = load i64, ptr %self
  %r = call i64 @interior(i64 %x, i64 %n)
  %bad = icmp sgt i64 %r, 10
  br i1 %bad, label %fail, label %fine
fail:
  store ptr @format, ptr %error
  ret i64 -1
fine:
  ret i64 %r
}
define internal void @large(ptr sret(%struct) %result, i64 %x) {
  store i64 %x, ptr %result
  %last = getelementptr %struct, ptr %result, i64 0, i32 3
  %y = mul i64 %x, %x
  store i64 %y, ptr %last
  ret void
}
define internal i64 @interior(i64 %a, i64 %b) noinline {
  %1 = mul i64 %a, 3
  %2 = add i64 %1, %b
  ret i64 %2
}
define internal ptr @at(i64 %i) {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %f = load ptr, ptr %slot
  ret ptr %f
}
define void @show(i64 %x) {
  call i32 (ptr, ...) @printf(ptr @format, i64 %x)
  ret void
}
define internal void @show.error(i64 %x) {
  %error = alloca swifterror ptr
  store ptr null, ptr %error
  %self = alloca i64
  store i64 4, ptr %self
  %f = call ptr @at(i64 4)
  %a = call swiftcc i64 %f(i64 %x, ptr swiftself %self, ptr swifterror %error)
  %e = load ptr, ptr %error
  call void @show(i64 %a)
  %same = icmp eq ptr %e, @format
  %b = zext i1 %same to i64
  call void @show(i64 %b)
  ret void
}
define i32 @main() {
  %f0 = call ptr @at(i64 0)
  %a = call aarch64_vector_pcs <2 x i64> %f0(<2 x i64> <i64 90, i64 80>, <2 x i64> zeroinitializer, <2 x i64> zeroinitializer, <2 x i64> zeroinitializer, <2 x i64> zeroinitializer, <2 x i64> zeroinitializer, <2 x i64> <i64 3, i64 5>, <2 x i64> <i64 1, i64 2>)
  %a0 = extractelement <2 x i64> %a, i32 0
  call void @show(i64 %a0)
  %a1 = extractelement <2 x i64> %a, i32 1
  call void @show(i64 %a1)
  %f1 = call ptr @at(i64 1)
  %b = call preserve_mostcc i64 %f1(i64 10, i64 5)
  call void @show(i64 %b)
  %f2 = call ptr @at(i64 2)
  %c = call preserve_allcc i64 %f2(i64 20, double 6.0)
  call void @show(i64 %c)
  %f3 = call ptr @at(i64 3)
  %d = call preserve_nonecc i64 %f3(i64 30, i64 7, i64 1)
  call void @show(i64 %d)
  call void @show.error(i64 1)
  call void @show.error(i64 5)
  %f5 = call ptr @at(i64 5)
  %result = alloca %struct
  call void %f5(ptr sret(%struct) %result, i64 12)
  %first = load i64, ptr %result
  call void @show(i64 %first)
  %p = getelementptr %struct, ptr %result, i64 0, i32 3
  %last = load i64, ptr %p
  call void @show(i64 %last)
  ret i32 0
}
