; Calling conventions that keep other registers or pass arguments elsewhere, each as a first call through
; a table: fastcc, coldcc, preserve_all, preserve_none, regcall, win64, sysv,
; swifterror.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@table = internal constant [10 x ptr] [ptr @fast, ptr @cold, ptr @all, ptr @none, ptr @regcall, ptr @win, ptr @sysv, ptr @error, ptr @win.varargs, ptr @interior]

define internal fastcc i64 @fast(i64 %a, double %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h) {
  %n = fptosi double %b to i64
  %1 = sub i64 %a, %h
  %2 = mul i64 %1, %n
  ret i64 %2
}
define internal coldcc i64 @cold(i64 %a, i64 %b) {
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
define internal x86_regcallcc { i64, double, i64 } @regcall(i64 inreg %a, i64 inreg %b, i64 inreg %c, i64 inreg %d, i64 inreg %e, i64 inreg %f, i64 inreg %g, i64 inreg %h, double inreg %i) {
  %1 = sub i64 %a, %h
  %2 = mul i64 %1, %g
  %3 = fadd double %i, 1.5
  %4 = insertvalue { i64, double, i64 } poison, i64 %2, 0
  %5 = insertvalue { i64, double, i64 } %4, double %3, 1
  %6 = insertvalue { i64, double, i64 } %5, i64 %f, 2
  ret { i64, double, i64 } %6
}
define internal win64cc i64 @win(i64 %a, double %b, i64 %c, double %d, i64 %e, i64 %f) {
  %n = fptosi double %d to i64
  %m = call i64 @interior(i64 %a, i64 %c)
  %1 = add i64 %m, %n
  %2 = mul i64 %1, %f
  ret i64 %2
}
define internal win64cc i64 @win.varargs(i64 %a, ...) {
  %list = alloca ptr
  call void @llvm.va_start.p0(ptr %list)
  %p = load ptr, ptr %list
  %first = load i64, ptr %p
  %q = getelementptr i64, ptr %p, i64 4
  %last = load i64, ptr %q
  call void @llvm.va_end.p0(ptr %list)
  %r = call i64 @interior(i64 %first, i64 %last)
  %s = add i64 %r, %a
  ret i64 %s
}
define internal x86_64_sysvcc i64 @sysv(i64 %a, i64 %b) {
  %r = call i64 @interior(i64 %b, i64 %a)
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
define internal i64 @interior(i64 %a, i64 %b) noinline {
  %1 = mul i64 %a, 3
  %2 = add i64 %1, %b
  ret i64 %2
}
define internal ghccc void @ghc(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f) {
  %1 = add i64 %a, %f
  musttail call ghccc void @ghc.end(i64 %1, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f)
  ret void
}
define internal ghccc void @ghc.end(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f) {
  %1 = mul i64 %a, %e
  %p = inttoptr i64 %b to ptr
  store i64 %1, ptr %p
  ret void
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
  %f = call ptr @at(i64 7)
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
  %a = call fastcc i64 %f0(i64 1, double 2.0, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8)
  call void @show(i64 %a)
  %f1 = call ptr @at(i64 1)
  %b = call coldcc i64 %f1(i64 10, i64 5)
  call void @show(i64 %b)
  %f2 = call ptr @at(i64 2)
  %c = call preserve_allcc i64 %f2(i64 20, double 6.0)
  call void @show(i64 %c)
  %f3 = call ptr @at(i64 3)
  %d = call preserve_nonecc i64 %f3(i64 30, i64 7, i64 1)
  call void @show(i64 %d)
  %f4 = call ptr @at(i64 4)
  %e = call x86_regcallcc { i64, double, i64 } %f4(i64 inreg 1, i64 inreg 2, i64 inreg 3, i64 inreg 4, i64 inreg 5, i64 inreg 6, i64 inreg 7, i64 inreg 8, double inreg 9.0)
  %e0 = extractvalue { i64, double, i64 } %e, 0
  call void @show(i64 %e0)
  %e1 = extractvalue { i64, double, i64 } %e, 1
  %e2 = fmul double %e1, 2.0
  %e3 = fptosi double %e2 to i64
  call void @show(i64 %e3)
  %e4 = extractvalue { i64, double, i64 } %e, 2
  call void @show(i64 %e4)
  %f6 = call ptr @at(i64 5)
  %g = call win64cc i64 %f6(i64 1, double 2.0, i64 3, double 4.0, i64 5, i64 6)
  call void @show(i64 %g)
  %f7 = call ptr @at(i64 6)
  %h = call x86_64_sysvcc i64 %f7(i64 1, i64 2)
  call void @show(i64 %h)
  call void @show.error(i64 1)
  call void @show.error(i64 5)
  %f9 = call ptr @at(i64 8)
  %i = call win64cc i64 (i64, ...) %f9(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6)
  call void @show(i64 %i)
  ret i32 0
}
declare void @llvm.va_start.p0(ptr)
declare void @llvm.va_end.p0(ptr)
