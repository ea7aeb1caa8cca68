; Inline assembly in functions that names functions and data, internal and public ones, by operands
; and by itself, and that calls.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@internal.data = internal global [4 x i64] [i64 1, i64 2, i64 3, i64 4]
@public_data = global i64 50
@constant = private unnamed_addr constant i64 600
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
  %r = call i64 asm "movq $1, $0", "=r,*m"(ptr elementtype(i64) getelementptr (i64, ptr @internal.data, i64 2))
  ret i64 %r
}
define i64 @reads.by.name() {
  %r = call i64 asm "movq public_data@GOTPCREL(%rip), $0; movq ($0), $0", "=r"()
  ret i64 %r
}
define ptr @address.of.data() {
  %r = call ptr asm "leaq ${1:c}(%rip), $0", "=r,s"(ptr @internal.data)
  ret ptr %r
}
define ptr @address.of.constant() {
  %r = call ptr asm "leaq ${1:P}(%rip), $0", "=r,i"(ptr @constant)
  ret ptr %r
}
define i64 @calls.by.register(i64 %x) {
  %r = call i64 asm sideeffect "movq %rsp, %rbx; andq $$-16, %rsp; call *$2; movq %rbx, %rsp", "={ax},{di},r,~{rbx},~{rcx},~{rdx},~{rsi},~{rdi},~{r8},~{r9},~{r10},~{r11},~{memory},~{flags}"(i64 %x, ptr @internal.function)
  ret i64 %r
}
define i64 @calls.by.name(i64 %x) {
  %r = call i64 asm sideeffect "movq %rsp, %rbx; subq $$128, %rsp; andq $$-16, %rsp; call public_function@PLT; movq %rbx, %rsp", "={ax},{di},~{rbx},~{rcx},~{rdx},~{rsi},~{rdi},~{r8},~{r9},~{r10},~{r11},~{memory},~{flags}"(i64 %x)
  ret i64 %r
}
define i64 @calls.operand(i64 %x) {
  %r = call i64 asm sideeffect "movq %rsp, %rbx; subq $$128, %rsp; andq $$-16, %rsp; call ${2:P}; movq %rbx, %rsp", "={ax},{di},s,~{rbx},~{rcx},~{rdx},~{rsi},~{rdi},~{r8},~{r9},~{r10},~{r11},~{memory},~{flags}"(i64 %x, ptr @internal.function)
  ret i64 %r
}
define i64 @jumps(i64 %x) {
  callbr void asm sideeffect "testq $0, $0; jz ${1:l}", "r,!i,~{flags}"(i64 %x) to label %no [label %yes]
no:
  ret i64 0
yes:
  ret i64 1
}
define internal void @show(i64 %x) {
  call i32 (ptr, ...) @printf(ptr @format, i64 %x)
  ret void
}
@table = internal constant [3 x ptr] [ptr @calls.by.register, ptr @calls.by.name, ptr @calls.operand]
define internal i64 @through(i64 %i, i64 %x) {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %f = load ptr, ptr %slot
  %r = call i64 %f(i64 %x)
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
  %f = call ptr @address.of.constant()
  %g = load i64, ptr %f
  call void @show(i64 %g)
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
  ret i32 0
}
