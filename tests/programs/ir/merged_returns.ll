; Tail calls of conventions that guarantee them, after an optimizer has merged the returns behind
; them into one block. There are so many of them that calls would need more than the stack.
declare i32 @printf(ptr, ...)
@format = private constant [9 x i8] c"%ld %ld\0A\00"
@steps = internal constant [2 x ptr] [ptr @swift.finish, ptr @swift.walk]

define internal tailcc i64 @walk(i64 %n, i64 %sum) noinline {
  %is_odd = trunc i64 %n to i1
  %less = sub i64 %n, 1
  br i1 %is_odd, label %odd, label %even
odd:
  %a = add i64 %sum, %n
  %r = tail call tailcc i64 @walk(i64 %less, i64 %a)
  br label %end
even:
  %done = icmp eq i64 %n, 0
  br i1 %done, label %end, label %more
more:
  %b = xor i64 %sum, %n
  %s = tail call tailcc i64 @walk(i64 %less, i64 %b)
  br label %end
end:
  %t = phi i64 [ %r, %odd ], [ %s, %more ], [ %sum, %even ]
  ret i64 %t
}

define internal swifttailcc void @swift.walk(i64 %n, i64 %sum, ptr swiftself %self) noinline {
  %less = sub i64 %n, 1
  %more = icmp ne i64 %n, 0
  %which = zext i1 %more to i64
  %slot = getelementptr ptr, ptr @steps, i64 %which
  %next = load ptr, ptr %slot
  %is_odd = trunc i64 %n to i1
  br i1 %is_odd, label %odd, label %even
odd:
  %a = add i64 %sum, %n
  tail call swifttailcc void %next(i64 %less, i64 %a, ptr swiftself %self)
  br label %end
even:
  %b = xor i64 %sum, %n
  tail call swifttailcc void %next(i64 %less, i64 %b, ptr swiftself %self)
  br label %end
end:
  ret void
}
define internal swifttailcc void @swift.finish(i64 %n, i64 %sum, ptr swiftself %self) noinline {
  store i64 %sum, ptr %self
  ret void
}

define i32 @main() {
  %a = call tailcc i64 @walk(i64 1000000, i64 0)
  %result = alloca i64
  call swifttailcc void @swift.walk(i64 1000000, i64 0, ptr swiftself %result)
  %b = load i64, ptr %result
  call i32 (ptr, ...) @printf(ptr @format, i64 %a, i64 %b)
  ret i32 0
}
