; Alignments beyond a page.
@a = global i8 1, align 1048576
@b = internal global [3 x i8] c"abc", align 65536
declare i32 @printf(ptr, ...)
@f = private constant [9 x i8] c"%ld %ld\0A\00"
define i32 @main() align 4096 {
  %a = ptrtoint ptr @a to i64
  %ar = urem i64 %a, 1048576
  %b = ptrtoint ptr @b to i64
  %br = urem i64 %b, 65536
  call i32 (ptr, ...) @printf(ptr @f, i64 %ar, i64 %br)
  ret i32 0
}
