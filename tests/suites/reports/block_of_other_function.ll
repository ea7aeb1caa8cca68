; The address of another function's block, which lli in lazy mode does not survive:
; https://github.com/llvm/llvm-project/issues/89203
declare i32 @printf(ptr, ...)

@format = private constant [7 x i8] c"%d %d\0A\00"
@targets = internal global [2 x ptr] [ptr blockaddress(@dispatch, %one), ptr blockaddress(@dispatch, %two)]

define i32 @dispatch(i64 %which) noinline {
  %slot = getelementptr [2 x ptr], ptr @targets, i64 0, i64 %which
  %target = load ptr, ptr %slot
  indirectbr ptr %target, [label %one, label %two]

one:
  ret i32 11

two:
  ret i32 22
}

define i32 @main() {
  %kept = alloca ptr
  store ptr blockaddress(@dispatch, %two), ptr %kept
  %from_here = load ptr, ptr %kept
  %slot = getelementptr [2 x ptr], ptr @targets, i64 0, i64 1
  %from_table = load ptr, ptr %slot
  %same = icmp eq ptr %from_here, %from_table
  %flag = zext i1 %same to i32
  %first = call i32 @dispatch(i64 0)
  %second = call i32 @dispatch(i64 1)
  %sum = add i32 %first, %second
  call i32 (ptr, ...) @printf(ptr @format, i32 %flag, i32 %sum)
  ret i32 0
}
