; Functions with large frames, whose attributes name a function of another module that nothing else names.
@format = private constant [4 x i8] c"%d\0A\00"
declare i32 @printf(ptr, ...)

define internal i32 @first(ptr %p) noinline {
  %x = load volatile i8, ptr %p
  %z = zext i8 %x to i32
  ret i32 %z
}

define i32 @large(i32 %x) noinline "probe-stack"="look_at_stack" {
  %frame = alloca [20000 x i8]
  %t = trunc i32 %x to i8
  store volatile i8 %t, ptr %frame
  %r = call i32 @first(ptr %frame)
  ret i32 %r
}

define i32 @main() "probe-stack"="look_at_stack" {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i32 [ 0, %entry ], [ %sum2, %loop ]
  %r = call i32 @large(i32 %i)
  %sum2 = add i32 %sum, %r
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, 100
  br i1 %more, label %loop, label %end
end:
  %1 = call i32 (ptr, ...) @printf(ptr @format, i32 %sum2)
  ret i32 0
}
