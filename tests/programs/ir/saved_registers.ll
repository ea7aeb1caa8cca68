; Functions that save other registers than their calling convention says: all of them, or none. The
; third call of @f comes when hot code may have been replaced; its values live across both calls.
@text = private constant [5 x i8] c"call\00"
@noted = internal global i32 0
@format = private constant [9 x i8] c"%ld %ld\0A\00"
declare i32 @puts(ptr)
declare i32 @printf(ptr, ...)

define void @saves_all() noinline "no_caller_saved_registers" {
  %r = call i32 @puts(ptr @text)
  store volatile i32 %r, ptr @noted
  ret void
}

define i64 @saves_none(i64 %n) noinline "no_callee_saved_registers" {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %square = mul i64 %i, %i
  %more = add i64 %sum, %square
  %j = add i64 %i, 1
  call void asm sideeffect "xorl %ebx, %ebx; xorl %r12d, %r12d; xorl %r13d, %r13d; xorl %r14d, %r14d; xorl %r15d, %r15d", "~{rbx},~{r12},~{r13},~{r14},~{r15},~{dirflag},~{fpsr},~{flags}"()
  %again = icmp ult i64 %j, %n
  br i1 %again, label %loop, label %end
end:
  ret i64 %more
}

define i64 @f(i64 %a, i64 %b, i64 %c, i64 %d, i1 %calls) noinline {
entry:
  %x = mul i64 %a, %b
  %y = mul i64 %c, %d
  br i1 %calls, label %call, label %end
call:
  call void @saves_all() "no_caller_saved_registers"
  %sum = call i64 @saves_none(i64 %y) "no_callee_saved_registers"
  br label %end
end:
  %s = phi i64 [ 0, %entry ], [ %sum, %call ]
  %difference = sub i64 %x, %y
  %r = add i64 %difference, %s
  ret i64 %r
}

define i32 @main() {
  %1 = call i64 @f(i64 1, i64 2, i64 3, i64 4, i1 false)
  %2 = call i64 @f(i64 5, i64 6, i64 7, i64 8, i1 false)
  %3 = call i64 @f(i64 7, i64 3, i64 2, i64 5, i1 true)
  %4 = call i64 @f(i64 9, i64 9, i64 4, i64 5, i1 true)
  %5 = call i32 (ptr, ...) @printf(ptr @format, i64 %3, i64 %4)
  ret i32 0
}
