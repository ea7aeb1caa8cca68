; A comparison of two parts of an inverted byte is stored as a bit:
; https://github.com/llvm/llvm-project/issues/71704
declare i32 @printf(ptr, ...)

@format = private constant [4 x i8] c"%d\0A\00"

define void @compare(ptr %input, ptr %output) noinline {
  %copy = alloca i8
  %byte = load i8, ptr %input
  %inverted = xor i8 %byte, -1
  %five = and i8 %inverted, 31
  %low = and i8 %five, 15
  %shifted = lshr i8 %five, 1
  %high = and i8 %shifted, 15
  store i8 %high, ptr %copy
  %differ = icmp ne i8 %low, %high
  store i1 %differ, ptr %output
  ret void
}

define i32 @main() {
entry:
  %input = alloca i8
  %output = alloca i8
  br label %loop

loop:
  %number = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %more, %loop ]
  %narrow = trunc i32 %number to i8
  store i8 %narrow, ptr %input
  store i8 0, ptr %output
  call void @compare(ptr %input, ptr %output)
  %bit = load i8, ptr %output
  %wide = zext i8 %bit to i32
  %turned = mul i32 %sum, 3
  %more = add i32 %turned, %wide
  %next = add i32 %number, 1
  %done = icmp eq i32 %next, 3000
  br i1 %done, label %out, label %loop

out:
  call i32 (ptr, ...) @printf(ptr @format, i32 %more)
  ret i32 0
}
