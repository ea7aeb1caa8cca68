; What LLVM gets wrong for AArch64 if it does not optimize: arithmetic of bfloat, comparisons that
; ignore their operands, vectors in memory whose elements do not fill bytes.
declare i32 @printf(ptr, ...)
declare bfloat @llvm.sqrt.bf16(bfloat)
@format = private constant [9 x i8] c"%lx %ld\0A\00"

define internal bfloat @adds(bfloat %x) noinline {
  %y = fadd bfloat %x, 1.5
  ret bfloat %y
}
define internal i64 @bfloats(i64 %i) noinline {
  %x = uitofp i64 %i to bfloat
  %y = call bfloat @adds(bfloat %x)
  %r = call bfloat @llvm.sqrt.bf16(bfloat %y)
  %m = fmul bfloat %r, %y
  %n = fneg bfloat %m
  %c = fcmp olt bfloat %n, -20.0
  %bits = bitcast bfloat %n to i16
  %a = zext i16 %bits to i64
  %b = zext i1 %c to i64
  %d = shl i64 %b, 20
  %e = or i64 %a, %d
  ret i64 %e
}
define internal <4 x bfloat> @vectors(<4 x bfloat> %v) noinline {
  %w = fadd <4 x bfloat> %v, %v
  ret <4 x bfloat> %w
}

define internal i64 @ignores(double %x, i1 %flag) noinline {
  %never = fcmp false double %x, %x
  %is_one = select i1 %never, i1 true, i1 %flag
  br i1 %is_one, label %one, label %other
one:
  %always = fcmp true double %x, 1.0
  br i1 %always, label %right, label %other
right:
  ret i64 10
other:
  ret i64 20
}

define internal i64 @elements(i64 %i) noinline {
  %m = alloca i64
  store i64 %i, ptr %m
  %v = load <8 x i7>, ptr %m
  %w = add <8 x i7> %v, <i7 1, i7 2, i7 3, i7 4, i7 5, i7 6, i7 7, i7 8>
  store <8 x i7> %w, ptr %m
  %r = load i64, ptr %m
  ret i64 %r
}

define void @show(i64 %a, i64 %b) noinline {
  call i32 (ptr, ...) @printf(ptr @format, i64 %a, i64 %b)
  ret void
}
define i32 @main(i32 %argc, ptr %argv) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = call i64 @bfloats(i64 %i)
  %x = sitofp i64 %i to double
  %flag = trunc i64 %i to i1
  %b = call i64 @ignores(double %x, i1 %flag)
  call void @show(i64 %a, i64 %b)
  %f = uitofp i64 %i to bfloat
  %v = insertelement <4 x bfloat> <bfloat 1.0, bfloat 2.0, bfloat 3.0, bfloat 4.0>, bfloat %f, i32 2
  %w = call <4 x bfloat> @vectors(<4 x bfloat> %v)
  %c = bitcast <4 x bfloat> %w to i64
  %m = mul i64 %i, 72340172838076673
  %d = call i64 @elements(i64 %m)
  call void @show(i64 %c, i64 %d)
  %next = add i64 %i, 1
  %more = icmp ult i64 %next, 20
  br i1 %more, label %loop, label %end
end:
  ret i32 0
}
