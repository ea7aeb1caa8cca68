; A sum of masked bits that is shifted back, of which instruction selection has lost the carry:
; https://github.com/llvm/llvm-project/issues/128309
declare i32 @printf(ptr, ...)

@format = private constant [5 x i8] c"%lx\0A\00"

define i64 @shift(i64 %value) noinline {
  %high = shl i64 %value, 48
  %some = and i64 %high, 5764607523034234880
  %sum = add i64 %some, 2251799813685248
  %low = lshr i64 %sum, 48
  %result = and i64 %low, %value
  ret i64 %result
}

define i32 @main() {
entry:
  br label %loop

loop:
  %number = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %value = mul i64 %number, 4073709551615
  %result = call i64 @shift(i64 %value)
  %more = add i64 %sum, %result
  %next = add i64 %number, 1
  %done = icmp eq i64 %next, 20000
  br i1 %done, label %out, label %loop

out:
  call i32 (ptr, ...) @printf(ptr @format, i64 %more)
  ret i32 0
}
