; Inline assembly and naked functions for AArch64 that name functions and data, internal and public ones,
; by operands and by itself, and that call and jump.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@internal.data = internal global [4 x i64] [i64 1, i64 2, i64 3, i64 4]
@public_data = global i64 50
@llvm.compiler.used = appending global [2 x ptr] [ptr @public_data, ptr @public_function], section "llvm.metadata"

define i64 @public_function(i64 %x) {
  %r = add i64 %x, 7
  ret i64 %r
}
define internal i64 @internal.function(i64 %x) {
  %r = mul i64 %x, 3
  ret i64 %r
}
define i64 @reads.memory() {
  %r = call i64 asm "ldr $0, $1", "=r,*m"(ptr elementtype(i64) getelementptr (i64, ptr @internal.data, i64 2))
  ret i64 %r
}
define i64 @reads.by.name() {
  %r = call i64 asm "adrp $0, :got:public_data\0Aldr $0, [$0, :got_lo12:public_data]\0Aldr $0, [$0]", "=&r"()
  ret i64 %r
}
define ptr @address.of.data() {
  %r = call ptr asm "adrp $0, $1\0Aadd $0, $0, :lo12:$1", "=r,S"(ptr @internal.data)
  ret ptr %r
}
define i64 @calls.by.register(i64 %x) {
  %r = call i64 asm sideeffect "blr $2", "={x0},{x0},r,~{x1},~{x2},~{x3},~{x4},~{x5},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{lr},~{memory},~{cc}"(i64 %x, ptr @internal.function)
  ret i64 %r
}
define i64 @calls.by.name(i64 %x) {
  %r = call i64 asm sideeffect "bl public_function", "={x0},{x0},~{x1},~{x2},~{x3},~{x4},~{x5},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{lr},~{memory},~{cc}"(i64 %x)
  ret i64 %r
}
define i64 @calls.operand(i64 %x) {
  %r = call i64 asm sideeffect "bl $2", "={x0},{x0},S,~{x1},~{x2},~{x3},~{x4},~{x5},~{x6},~{x7},~{x8},~{x9},~{x10},~{x11},~{x12},~{x13},~{x14},~{x15},~{x16},~{x17},~{lr},~{memory},~{cc}"(i64 %x, ptr @internal.function)
  ret i64 %r
}
define i64 @jumps(i64 %x) {
  callbr void asm sideeffect "cbz $0, ${1:l}", "r,!i"(i64 %x) to label %no [label %yes]
no:
  ret i64 0
yes:
  ret i64 1
}
define internal i64 @bare(i64 %x, i64 %y) naked noinline {
  call void asm sideeffect "add x0, x0, x1, lsl #2\0Aret", "~{x0}"()
  unreachable
}
define i64 @forwards(i64 %x, i64 %y) naked noinline nounwind {
  call void asm sideeffect "mov x9, x0\0Amov x0, x1\0Amov x1, x9\0Ab $0", "S,~{memory}"(ptr @bare)
  unreachable
}
define internal void @show(i64 %x) {
  call i32 (ptr, ...) @printf(ptr @format, i64 %x)
  ret void
}
@table = internal constant [5 x ptr] [ptr @calls.by.register, ptr @calls.by.name, ptr @calls.operand, ptr @bare, ptr @forwards]
define internal i64 @through(i64 %i, i64 %x) {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %f = load ptr, ptr %slot
  %r = call i64 %f(i64 %x, i64 2)
  ret i64 %r
}
define i32 @main() {
  %a = call i64 @reads.memory()
  call void @show(i64 %a)
  %b = call i64 @reads.by.name()
  call void @show(i64 %b)
  %c = call ptr @address.of.data()
  %d = icmp eq ptr %c, @internal.data
  %e = zext i1 %d to i64
  call void @show(i64 %e)
  %h = call i64 @through(i64 0, i64 10)
  call void @show(i64 %h)
  %i = call i64 @through(i64 1, i64 10)
  call void @show(i64 %i)
  %j = call i64 @through(i64 2, i64 20)
  call void @show(i64 %j)
  %k = call i64 @jumps(i64 0)
  call void @show(i64 %k)
  %l = call i64 @jumps(i64 5)
  call void @show(i64 %l)
  %m = call i64 @through(i64 4, i64 1)
  call void @show(i64 %m)
  %n = call i64 @through(i64 3, i64 1)
  call void @show(i64 %n)
  %o = call i64 @bare(i64 5, i64 6)
  call void @show(i64 %o)
  ret i32 0
}
