; An error in a register of its own, as Swift's convention has it: a function returns it, its caller
; hands it on, and the last one reads it. Found with LLVM's conventions.
declare i32 @printf(ptr, ...)

@format = private constant [9 x i8] c"%ld %ld\0A\00"
@problem = global i64 12

define swiftcc i64 @halve(i64 %number, ptr swifterror %error) noinline {
  %rest = urem i64 %number, 3
  %fails = icmp eq i64 %rest, 2
  br i1 %fails, label %fail, label %succeed

fail:
  store ptr @problem, ptr %error
  ret i64 0

succeed:
  %half = lshr i64 %number, 1
  ret i64 %half
}

define swiftcc i64 @hand_on(i64 %number, ptr swifterror %error) noinline {
  %result = call swiftcc i64 @halve(i64 %number, ptr swifterror %error)
  %more = add i64 %result, 100
  ret i64 %more
}

define i64 @try(i64 %number) noinline {
  %error = alloca swifterror ptr
  store ptr null, ptr %error
  %result = call swiftcc i64 @hand_on(i64 %number, ptr swifterror %error)
  %found = load ptr, ptr %error
  %address = ptrtoint ptr %found to i64
  %fine = icmp eq i64 %address, 0
  br i1 %fine, label %succeed, label %fail

fail:
  %code = load i64, ptr %found
  %negative = sub i64 0, %code
  ret i64 %negative

succeed:
  ret i64 %result
}

define i32 @main() {
entry:
  br label %loop

loop:
  %number = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %result = call i64 @try(i64 %number)
  %more = add i64 %sum, %result
  %next = add i64 %number, 1
  %done = icmp eq i64 %next, 5000
  br i1 %done, label %out, label %loop

out:
  call i32 (ptr, ...) @printf(ptr @format, i64 %number, i64 %more)
  ret i32 0
}
