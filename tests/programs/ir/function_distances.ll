; Distances between functions in data, added to the address of one to call the other.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@offsets = internal constant [2 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr @one to i64), i64 ptrtoint (ptr @one to i64)) to i32), i32 trunc (i64 sub (i64 ptrtoint (ptr @two to i64), i64 ptrtoint (ptr @one to i64)) to i32)]
define internal i64 @one() {
  ret i64 1
}
define internal i64 @two() {
  ret i64 2
}
define internal i64 @call(i64 %i) {
  %slot = getelementptr i32, ptr @offsets, i64 %i
  %offset = load i32, ptr %slot
  %wide = sext i32 %offset to i64
  %f = getelementptr i8, ptr @one, i64 %wide
  %r = call i64 %f()
  ret i64 %r
}
define i32 @main() {
  %a = call i64 @call(i64 0)
  call i32 (ptr, ...) @printf(ptr @format, i64 %a)
  %b = call i64 @call(i64 1)
  call i32 (ptr, ...) @printf(ptr @format, i64 %b)
  ret i32 0
}
