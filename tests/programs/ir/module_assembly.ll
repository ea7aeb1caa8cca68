; Module-level assembly that defines functions and data, public and local, and calls and reads what the IR
; defines; all used by IR functions and by data.
module asm ".text"
module asm ".globl assembly_add"
module asm ".type assembly_add,@function"
module asm "assembly_add:"
module asm "  leaq (%rdi,%rsi), %rax"
module asm "  ret"
module asm ".size assembly_add, .-assembly_add"
module asm ".type local_triple,@function"
module asm "local_triple:"
module asm "  leaq (%rdi,%rdi,2), %rax"
module asm "  ret"
module asm ".globl assembly_calls"
module asm ".type assembly_calls,@function"
module asm "assembly_calls:"
module asm "  pushq %rdi"
module asm "  call ir_double@PLT"
module asm "  movq ir_data@GOTPCREL(%rip), %rcx"
module asm "  addq (%rcx), %rax"
module asm "  popq %rdi"
module asm "  jmp local_triple"
module asm ".data"
module asm ".p2align 3"
module asm ".globl assembly_data"
module asm "assembly_data: .quad 7"
module asm ".globl assembly_table"
module asm "assembly_table: .quad ir_double, assembly_add, local_triple, ir_data"
module asm ".set assembly_constant, 1234"
module asm ".globl assembly_constant"
module asm ".weak assembly_weak"
module asm "assembly_weak: .quad 8"
module asm ".section .rodata.strings,\22aMS\22,@progbits,1"
module asm ".globl assembly_text"
module asm "assembly_text: .asciz \22from assembly\22"

declare i32 @printf(ptr, ...)
declare i64 @assembly_add(i64, i64)
declare i64 @assembly_calls(i64)
@assembly_data = external global i64
@assembly_weak = external global i64
@assembly_text = external constant [14 x i8]
@assembly_table = external global [4 x ptr]
@ir_data = global i64 5
@table = internal constant [4 x ptr] [ptr @assembly_add, ptr @assembly_calls, ptr @assembly_data, ptr @assembly_text]
@format = private constant [8 x i8] c"%ld %s\0A\00"
@llvm.compiler.used = appending global [2 x ptr] [ptr @ir_double, ptr @ir_data], section "llvm.metadata"

define i64 @ir_double(i64 %x) {
  %r = mul i64 %x, 2
  ret i64 %r
}
define internal i64 @through(i64 %i, i64 %x, i64 %y) {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %f = load ptr, ptr %slot
  %r = call i64 %f(i64 %x, i64 %y)
  ret i64 %r
}
define internal i64 @through.assembly(i64 %i, i64 %x) {
  %slot = getelementptr ptr, ptr @assembly_table, i64 %i
  %f = load ptr, ptr %slot
  %r = call i64 %f(i64 %x, i64 1)
  ret i64 %r
}
define internal void @show(i64 %x) {
  %text = load ptr, ptr getelementptr (ptr, ptr @table, i64 3)
  call i32 (ptr, ...) @printf(ptr @format, i64 %x, ptr %text)
  ret void
}
define i32 @main() {
  %a = call i64 @assembly_add(i64 20, i64 3)
  call void @show(i64 %a)
  %b = call i64 @assembly_calls(i64 10)
  call void @show(i64 %b)
  %c = call i64 @through(i64 0, i64 1, i64 2)
  call void @show(i64 %c)
  store i64 50, ptr @ir_data
  %d = call i64 @through(i64 1, i64 100, i64 0)
  call void @show(i64 %d)
  %e = call i64 @through.assembly(i64 0, i64 4)
  call void @show(i64 %e)
  %f = call i64 @through.assembly(i64 1, i64 4)
  call void @show(i64 %f)
  %g = call i64 @through.assembly(i64 2, i64 4)
  call void @show(i64 %g)
  %h = load ptr, ptr getelementptr (ptr, ptr @assembly_table, i64 3)
  %i = load i64, ptr %h
  call void @show(i64 %i)
  %j = load i64, ptr @assembly_data
  %k = load i64, ptr @assembly_weak
  %l = add i64 %j, %k
  call void @show(i64 %l)
  ret i32 0
}
