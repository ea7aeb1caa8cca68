; Data of unusual kinds: packed structs with pointers, vectors of pointers, undefined and poison parts,
; zero-sized and hugely aligned variables, wide and narrow integers, offsets into what other modules
; define, casts between address spaces; read in functions other than main.
declare i32 @printf(ptr, ...)
@stdout = external global ptr
@environ = external global [4 x ptr]
%packed = type <{ i8, ptr, i16, ptr, i32 }>
@format = private constant [5 x i8] c"%ld \00"
@packed = internal global %packed <{ i8 1, ptr @one, i16 2, ptr getelementptr (%packed, ptr @packed, i64 0, i32 4), i32 3 }>
@vector = internal constant <2 x ptr> <ptr @one, ptr @two>, align 16
@vector.other = internal global <2 x ptr> <ptr @vector, ptr null>
@partly = internal global { i64, i64, ptr } { i64 undef, i64 44, ptr poison }
@nothing = internal global {} undef
@nothing.too = internal global [0 x i64] zeroinitializer, align 8
@at.nothing = internal constant [2 x ptr] [ptr @nothing, ptr @nothing.too]
@aligned = internal global i64 55, align 4096
@large = internal global [20971520 x i8] zeroinitializer, align 16
@large.end = internal constant ptr getelementptr ([20971520 x i8], ptr @large, i64 0, i64 20971519)
@external.part = internal constant ptr getelementptr ([4 x ptr], ptr @environ, i64 0, i64 0)
@initialized = externally_initialized global i64 66
@local = local_unnamed_addr global i64 77
@bit = internal global i1 true
@seven = internal global i7 -3
@wide = internal global i129 -5
@wide.array = internal constant [2 x i129] [i129 1, i129 340282366920938463463374607431768211457]
@number = internal constant i64 add (i64 ptrtoint (ptr @two to i64), i64 16)
@difference = internal constant i64 sub (i64 ptrtoint (ptr getelementptr (i8, ptr @large, i64 100) to i64), i64 ptrtoint (ptr @large to i64))
@other.space = internal constant ptr addrspace(1) addrspacecast (ptr @local to ptr addrspace(1))
@casted = internal constant ptr inttoptr (i64 ptrtoint (ptr @one to i64) to ptr)
@circle.a = internal global { ptr, i64 } { ptr @circle.b, i64 1 }
@circle.b = internal global { ptr, i64 } { ptr @circle.a, i64 2 }
@text = private constant [3 x i8] c"\00\FF\80"
@doubles = internal constant [3 x double] [double 0x7FF8000000000001, double -0.0, double 0x0000000000000001]
@extended = internal constant [2 x x86_fp80] [x86_fp80 0xK4000C90FDAA22168C235, x86_fp80 0xK3FFF8000000000000000]
@halves = internal constant [2 x half] [half 0xH3C00, half 0xHC000]

define internal i64 @one(i64 %x) {
  %r = add i64 %x, 1
  ret i64 %r
}
define internal i64 @two(i64 %x) {
  %r = add i64 %x, 2
  ret i64 %r
}
define void @show(i64 %x) {
  call i32 (ptr, ...) @printf(ptr @format, i64 %x)
  ret void
}
define internal void @structures() {
  %f = load ptr, ptr getelementptr (%packed, ptr @packed, i64 0, i32 1), align 1
  %a = call i64 %f(i64 10)
  call void @show(i64 %a)
  %p = load ptr, ptr getelementptr (%packed, ptr @packed, i64 0, i32 3), align 1
  %b = load i32, ptr %p, align 1
  %c = zext i32 %b to i64
  call void @show(i64 %c)
  %v = load <2 x ptr>, ptr @vector
  %g = extractelement <2 x ptr> %v, i64 1
  %d = call i64 %g(i64 20)
  call void @show(i64 %d)
  %w = load <2 x ptr>, ptr @vector.other
  %h = extractelement <2 x ptr> %w, i64 0
  %i = load ptr, ptr %h
  %e = call i64 %i(i64 30)
  call void @show(i64 %e)
  %j = load i64, ptr getelementptr ({ i64, i64, ptr }, ptr @partly, i64 0, i32 1)
  call void @show(i64 %j)
  ret void
}
define internal void @places() {
  %a = ptrtoint ptr @aligned to i64
  %b = and i64 %a, 4095
  call void @show(i64 %b)
  %c = load i64, ptr @aligned
  call void @show(i64 %c)
  %end = load ptr, ptr @large.end
  store i8 9, ptr %end
  %d = load i8, ptr getelementptr ([20971520 x i8], ptr @large, i64 0, i64 20971519)
  %e = zext i8 %d to i64
  call void @show(i64 %e)
  %f = load ptr, ptr @external.part
  %g = icmp eq ptr %f, @environ
  %h = zext i1 %g to i64
  call void @show(i64 %h)
  %n = load ptr, ptr getelementptr (ptr, ptr @at.nothing, i64 1)
  %o = icmp eq ptr %n, @nothing.too
  %p = zext i1 %o to i64
  call void @show(i64 %p)
  ret void
}
define internal void @numbers() {
  %a = load i64, ptr @initialized
  call void @show(i64 %a)
  %b = load i64, ptr @local
  call void @show(i64 %b)
  %c = load i1, ptr @bit
  %d = zext i1 %c to i64
  call void @show(i64 %d)
  %e = load i7, ptr @seven
  %f = sext i7 %e to i64
  call void @show(i64 %f)
  %g = load i129, ptr @wide
  %h = ashr i129 %g, 1
  %i = trunc i129 %h to i64
  call void @show(i64 %i)
  %j = load i129, ptr getelementptr (i129, ptr @wide.array, i64 1)
  %k = lshr i129 %j, 128
  %l = add i129 %j, %k
  %m = trunc i129 %l to i64
  call void @show(i64 %m)
  ret void
}
define internal void @expressions() {
  %a = load i64, ptr @number
  %b = sub i64 %a, 16
  %f = inttoptr i64 %b to ptr
  %c = call i64 %f(i64 40)
  call void @show(i64 %c)
  %d = load i64, ptr @difference
  call void @show(i64 %d)
  %g = load ptr addrspace(1), ptr @other.space
  %h = addrspacecast ptr addrspace(1) %g to ptr
  %i = load i64, ptr %h
  call void @show(i64 %i)
  %j = load ptr, ptr @casted
  %k = call i64 %j(i64 50)
  call void @show(i64 %k)
  %l = load ptr, ptr @circle.a
  %m = load ptr, ptr %l
  %n = getelementptr { ptr, i64 }, ptr %m, i64 0, i32 1
  %o = load i64, ptr %n
  call void @show(i64 %o)
  ret void
}
define internal void @floats() {
  %a = load double, ptr getelementptr (double, ptr @doubles, i64 1)
  %b = bitcast double %a to i64
  call void @show(i64 %b)
  %c = load i64, ptr @doubles
  call void @show(i64 %c)
  %d = load x86_fp80, ptr @extended
  %e = fmul x86_fp80 %d, 0xK400FF424000000000000
  %f = fptosi x86_fp80 %e to i64
  call void @show(i64 %f)
  %g = load i16, ptr getelementptr (half, ptr @halves, i64 1)
  %h = zext i16 %g to i64
  call void @show(i64 %h)
  ret void
}
@parts = internal constant [5 x ptr] [ptr @structures, ptr @places, ptr @numbers, ptr @expressions, ptr @floats]
define i32 @main() {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %slot = getelementptr ptr, ptr @parts, i64 %i
  %f = load ptr, ptr %slot
  call void %f()
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, 5
  br i1 %done, label %end, label %loop
end:
  ret i32 0
}
