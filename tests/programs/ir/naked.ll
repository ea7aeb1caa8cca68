; Naked functions: called directly, through a table, as a first call, and one that jumps to a function
; that its assembly takes as an operand.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@table = internal constant [2 x ptr] [ptr @bare, ptr @forwards]
define internal i64 @bare(i64 %x, i64 %y) naked noinline {
  call void asm sideeffect "leaq (%rdi,%rsi,4), %rax; retq", "~{rax}"()
  unreachable
}
define i64 @forwards(i64 %x, i64 %y) naked noinline nounwind {
  call void asm sideeffect "xchgq %rdi, %rsi; jmp ${0:P}", "s,~{memory}"(ptr @bare)
  unreachable
}
define internal i64 @through(i64 %i, i64 %x) {
  %slot = getelementptr ptr, ptr @table, i64 %i
  %f = load ptr, ptr %slot
  %r = call i64 %f(i64 %x, i64 2)
  ret i64 %r
}
define i32 @main() {
  %a = call i64 @through(i64 1, i64 1)
  call i32 (ptr, ...) @printf(ptr @format, i64 %a)
  %b = call i64 @through(i64 0, i64 1)
  call i32 (ptr, ...) @printf(ptr @format, i64 %b)
  %c = call i64 @bare(i64 5, i64 6)
  call i32 (ptr, ...) @printf(ptr @format, i64 %c)
  ret i32 0
}
