; An alias of a thread-local variable, for which LLVM emits no emulated one:
; https://github.com/llvm/llvm-project/issues/79732
declare i32 @printf(ptr, ...)

@format = private constant [7 x i8] c"%d %d\0A\00"
@count = thread_local global i32 6
@tally = thread_local alias i32, ptr @count

declare ptr @llvm.threadlocal.address.p0(ptr)

define void @add(i32 %more) noinline {
  %address = call ptr @llvm.threadlocal.address.p0(ptr @tally)
  %old = load i32, ptr %address
  %new = add i32 %old, %more
  store i32 %new, ptr %address
  ret void
}

define i32 @main() {
  call void @add(i32 10)
  call void @add(i32 20)
  %count = call ptr @llvm.threadlocal.address.p0(ptr @count)
  %tally = call ptr @llvm.threadlocal.address.p0(ptr @tally)
  %left = load i32, ptr %count
  %right = load i32, ptr %tally
  call i32 (ptr, ...) @printf(ptr @format, i32 %left, i32 %right)
  ret i32 0
}
