; An alias of a thread-local variable, used in place of the variable: the two are one to the optimizer too.
declare i32 @printf(ptr, ...)
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull)
@format = private constant [5 x i8] c"%ld \00"
@variable = internal thread_local global i64 1
@name = thread_local alias i64, ptr @variable
define internal void @change(i64 %x) {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @name)
  store i64 %x, ptr %p
  ret void
}
define i64 @get() {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @variable)
  %r = load i64, ptr %p
  ret i64 %r
}
define i32 @main() {
  %a = call i64 @get()
  call i32 (ptr, ...) @printf(ptr @format, i64 %a)
  call void @change(i64 5)
  %b = call i64 @get()
  call i32 (ptr, ...) @printf(ptr @format, i64 %b)
  ret i32 0
}
