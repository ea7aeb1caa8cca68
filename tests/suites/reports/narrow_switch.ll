; A switch over a narrowed choice between 0 and -1, in which only the default does something:
; https://github.com/llvm/llvm-project/issues/152630
declare i32 @printf(ptr, ...)

@format = private constant [13 x i8] c"%d defaults\0A\00"

define i32 @choose(i8 %value) noinline {
  %bit = trunc i8 %value to i1
  %wide = select i1 %bit, i32 0, i32 -1
  %narrow = trunc nsw i32 %wide to i8
  switch i8 %narrow, label %neither [
    i8 -1, label %either
    i8 0, label %either
  ]

neither:
  ret i32 1

either:
  ret i32 0
}

define i32 @main() {
entry:
  br label %loop

loop:
  %number = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %narrow = trunc i32 %number to i8
  %result = call i32 @choose(i8 %narrow)
  %more = add i32 %sum, %result
  %next = add i32 %number, 1
  %done = icmp eq i32 %next, 3000
  br i1 %done, label %out, label %loop

out:
  call i32 (ptr, ...) @printf(ptr @format, i32 %more)
  ret i32 0
}
