; Variables in a section of their own, found through its start and stop symbols.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@a = internal constant ptr @one, section "registry", align 8
@b = internal constant ptr @two, section "registry", align 8
@__start_registry = external hidden global [0 x ptr]
@__stop_registry = external hidden global [0 x ptr]
@llvm.used = appending global [2 x ptr] [ptr @a, ptr @b], section "llvm.metadata"
define internal i64 @one() {
  ret i64 1
}
define internal i64 @two() {
  ret i64 2
}
define i32 @main() {
  br label %loop
loop:
  %p = phi ptr [ @__start_registry, %0 ], [ %q, %loop ]
  %f = load ptr, ptr %p
  %n = call i64 %f()
  call i32 (ptr, ...) @printf(ptr @format, i64 %n)
  %q = getelementptr ptr, ptr %p, i64 1
  %done = icmp eq ptr %q, @__stop_registry
  br i1 %done, label %end, label %loop
end:
  ret i32 0
}
