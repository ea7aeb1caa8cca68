; Intrinsics of matrices, in functions of their own and in what is inlined.

@text = private unnamed_addr constant [4 x i8] c"%g \00"
@numbers = internal global [6 x double] [double 1.0, double 2.0, double 3.0, double 4.0, double 5.0, double 6.0], align 8

declare i32 @printf(ptr, ...)
declare <4 x double> @llvm.matrix.multiply.v4f64.v6f64.v6f64(<6 x double>, <6 x double>, i32 immarg, i32 immarg, i32 immarg)
declare <6 x double> @llvm.matrix.transpose.v6f64(<6 x double>, i32 immarg, i32 immarg)
declare <6 x double> @llvm.matrix.column.major.load.v6f64.i64(ptr, i64, i1 immarg, i32 immarg, i32 immarg)
declare void @llvm.matrix.column.major.store.v6f64.i64(<6 x double>, ptr, i64, i1 immarg, i32 immarg, i32 immarg)

define internal <4 x double> @square(ptr %from) alwaysinline {
  %m = call <6 x double> @llvm.matrix.column.major.load.v6f64.i64(ptr %from, i64 2, i1 false, i32 2, i32 3)
  %t = call <6 x double> @llvm.matrix.transpose.v6f64(<6 x double> %m, i32 2, i32 3)
  %p = call <4 x double> @llvm.matrix.multiply.v4f64.v6f64.v6f64(<6 x double> %m, <6 x double> %t, i32 2, i32 3, i32 2)
  ret <4 x double> %p
}

define void @transpose_in_place(ptr %at) {
  %m = call <6 x double> @llvm.matrix.column.major.load.v6f64.i64(ptr %at, i64 2, i1 false, i32 2, i32 3)
  %t = call <6 x double> @llvm.matrix.transpose.v6f64(<6 x double> %m, i32 2, i32 3)
  call void @llvm.matrix.column.major.store.v6f64.i64(<6 x double> %t, ptr %at, i64 3, i1 false, i32 3, i32 2)
  ret void
}

define i32 @main() {
  br label %again

again:
  %i = phi i32 [ 0, %0 ], [ %next, %again ]
  %p = call <4 x double> @square(ptr @numbers)
  %a = extractelement <4 x double> %p, i32 0
  %b = extractelement <4 x double> %p, i32 1
  %d = extractelement <4 x double> %p, i32 3
  %x = call i32 (ptr, ...) @printf(ptr @text, double %a)
  %y = call i32 (ptr, ...) @printf(ptr @text, double %b)
  %z = call i32 (ptr, ...) @printf(ptr @text, double %d)
  call void @transpose_in_place(ptr @numbers)
  %next = add i32 %i, 1
  %more = icmp ult i32 %next, 5
  br i1 %more, label %again, label %done

done:
  ret i32 0
}
