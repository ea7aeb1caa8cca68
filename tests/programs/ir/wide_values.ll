; Arguments and results of types that take several or special registers: i128, i129, i7, wide vectors,
; x86_fp80, half, bfloat, fp128, structs and arrays; each called for the first time through a table.
declare i32 @printf(ptr, ...)
%mixed = type { i64, double, i8, float }
@format = private constant [5 x i8] c"%ld \00"
@table = internal constant [10 x ptr] [ptr @wide, ptr @odd, ptr @vector.long, ptr @vector.double, ptr @extended, ptr @halves, ptr @brain, ptr @quad, ptr @struct, ptr @array]
define internal ptr @at(i64 %i) {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %f = load ptr, ptr %slot
  ret ptr %f
}
define internal i128 @wide(i128 %a, i64 %b, i128 %c, i128 %d) {
  %e = sext i64 %b to i128
  %f = mul i128 %a, %d
  %g = sub i128 %f, %c
  %h = add i128 %g, %e
  ret i128 %h
}
define internal i129 @odd(i129 %a, i7 %b, i1 %c) {
  %x = sext i7 %b to i129
  %y = zext i1 %c to i129
  %z = add i129 %a, %x
  %w = shl i129 %z, 3
  %v = or i129 %w, %y
  ret i129 %v
}
define internal <8 x i64> @vector.long(<8 x i64> %a, <8 x i64> %b, i64 %c) {
  %d = mul <8 x i64> %a, %b
  %e = insertelement <8 x i64> %d, i64 %c, i64 5
  ret <8 x i64> %e
}
define internal <4 x double> @vector.double(<4 x double> %a, <4 x double> %b, <4 x double> %c, <4 x double> %d, <4 x double> %e, <4 x double> %f, <4 x double> %g, <4 x double> %h, <4 x double> %i) {
  %j = fsub <4 x double> %a, %i
  %k = fmul <4 x double> %j, %h
  ret <4 x double> %k
}
define internal x86_fp80 @extended(x86_fp80 %a, double %b) {
  %c = fpext double %b to x86_fp80
  %d = fdiv x86_fp80 %a, %c
  ret x86_fp80 %d
}
define internal half @halves(half %a, half %b, <4 x half> %c) {
  %d = fadd half %a, %b
  %e = extractelement <4 x half> %c, i64 2
  %f = fmul half %d, %e
  ret half %f
}
define internal float @brain(ptr %p) {
  %a = load bfloat, ptr %p
  %b = fpext bfloat %a to float
  ret float %b
}
@brains = private constant [2 x bfloat] [bfloat 1.5, bfloat 24.0]
define internal fp128 @quad(fp128 %a, fp128 %b) {
  %c = fadd fp128 %a, %b
  %d = fmul fp128 %c, %b
  ret fp128 %d
}
define internal %mixed @struct(%mixed %a, i64 %b) {
  %x = extractvalue %mixed %a, 0
  %y = add i64 %x, %b
  %r = insertvalue %mixed %a, i64 %y, 0
  %s = insertvalue %mixed %r, float 6.0, 3
  ret %mixed %s
}
define internal [9 x i64] @array([9 x i64] %a, [2 x { i8, i64 }] %b) {
  %x = extractvalue [9 x i64] %a, 8
  %y = extractvalue [2 x { i8, i64 }] %b, 1, 1
  %z = add i64 %x, %y
  %r = insertvalue [9 x i64] %a, i64 %z, 0
  ret [9 x i64] %r
}
define void @show(i64 %x) {
  call i32 (ptr, ...) @printf(ptr @format, i64 %x)
  ret void
}
define i32 @main() {
  %f0 = call ptr @at(i64 0)
  %a = call i128 %f0(i128 5000000000000000000, i64 -9, i128 77, i128 300)
  %a0 = trunc i128 %a to i64
  call void @show(i64 %a0)
  %a1 = lshr i128 %a, 64
  %a2 = trunc i128 %a1 to i64
  call void @show(i64 %a2)
  %f1 = call ptr @at(i64 1)
  %b = call i129 %f1(i129 170141183460469231731687303715884105728, i7 -3, i1 true)
  %b0 = trunc i129 %b to i64
  call void @show(i64 %b0)
  %b1 = lshr i129 %b, 70
  %b2 = trunc i129 %b1 to i64
  call void @show(i64 %b2)
  %f2 = call ptr @at(i64 2)
  %c = call <8 x i64> %f2(<8 x i64> <i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8>, <8 x i64> <i64 9, i64 10, i64 11, i64 12, i64 13, i64 14, i64 15, i64 16>, i64 -1)
  %c0 = extractelement <8 x i64> %c, i64 7
  call void @show(i64 %c0)
  %c1 = extractelement <8 x i64> %c, i64 5
  call void @show(i64 %c1)
  %f3 = call ptr @at(i64 3)
  %v = insertelement <4 x double> <double 1.0, double 2.0, double 3.0, double 4.0>, double 9.0, i64 2
  %d = call <4 x double> %f3(<4 x double> %v, <4 x double> zeroinitializer, <4 x double> zeroinitializer, <4 x double> zeroinitializer, <4 x double> zeroinitializer, <4 x double> zeroinitializer, <4 x double> zeroinitializer, <4 x double> %v, <4 x double> <double 1.0, double 1.0, double 1.0, double 1.0>)
  %d0 = extractelement <4 x double> %d, i64 2
  %d1 = fptosi double %d0 to i64
  call void @show(i64 %d1)
  %f4 = call ptr @at(i64 4)
  %wide.one = uitofp i64 3 to x86_fp80
  %e = call x86_fp80 %f4(x86_fp80 %wide.one, double 0.125)
  %e0 = fptosi x86_fp80 %e to i64
  call void @show(i64 %e0)
  %f5 = call ptr @at(i64 5)
  %h = call half %f5(half 1.5, half 2.5, <4 x half> <half 1.0, half 2.0, half 3.0, half 4.0>)
  %h0 = fptosi half %h to i64
  call void @show(i64 %h0)
  %f6 = call ptr @at(i64 6)
  %i0 = call float %f6(ptr getelementptr (bfloat, ptr @brains, i64 1))
  %i1 = fptosi float %i0 to i64
  call void @show(i64 %i1)
  %f7 = call ptr @at(i64 7)
  %q = sitofp i64 1000001 to fp128
  %j = call fp128 %f7(fp128 %q, fp128 %q)
  %j0 = fptosi fp128 %j to i64
  call void @show(i64 %j0)
  %f8 = call ptr @at(i64 8)
  %k = call %mixed %f8(%mixed { i64 1, double 2.5, i8 3, float 4.0 }, i64 10)
  %k0 = extractvalue %mixed %k, 0
  call void @show(i64 %k0)
  %k1 = extractvalue %mixed %k, 3
  %k2 = fptosi float %k1 to i64
  call void @show(i64 %k2)
  %f9 = call ptr @at(i64 9)
  %l = call [9 x i64] %f9([9 x i64] [i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9], [2 x { i8, i64 }] [{ i8, i64 } { i8 1, i64 2 }, { i8, i64 } { i8 3, i64 40 }])
  %l0 = extractvalue [9 x i64] %l, 0
  call void @show(i64 %l0)
  %l1 = extractvalue [9 x i64] %l, 7
  call void @show(i64 %l1)
  ret i32 0
}
