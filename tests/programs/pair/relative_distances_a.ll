; Distances in data to a function and a variable that another module defines.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@theirs = external hidden global i64
declare hidden i64 @their.function()
@distance = internal constant [2 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr @theirs to i64), i64 ptrtoint (ptr @distance to i64)) to i32), i32 trunc (i64 sub (i64 ptrtoint (ptr @their.function to i64), i64 ptrtoint (ptr @distance to i64)) to i32)]
define ptr @at(i64 %i) {
  %slot = getelementptr i32, ptr @distance, i64 %i
  %offset = load i32, ptr %slot
  %wide = sext i32 %offset to i64
  %f = getelementptr i8, ptr @distance, i64 %wide
  ret ptr %f
}
define i32 @main() {
  %p = call ptr @at(i64 0)
  %a = load i64, ptr %p
  call i32 (ptr, ...) @printf(ptr @format, i64 %a)
  %q = call ptr @at(i64 1)
  %b = call i64 %q()
  call i32 (ptr, ...) @printf(ptr @format, i64 %b)
  ret i32 0
}
