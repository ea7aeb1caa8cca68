; Tables of 32-bit distances between symbols: from a table to functions, to strings and to other tables, to
; an alias and with dso_local_equivalent and no_cfi, as relative vtables have.
declare i32 @printf(ptr, ...)
declare ptr @llvm.load.relative.i64(ptr, i64)
@format = private constant [8 x i8] c"%ld %s\0A\00"
@name.a = private constant [2 x i8] c"a\00"
@name.b = internal constant [2 x i8] c"b\00"
@strings = internal constant [2 x i32] [
  i32 trunc (i64 sub (i64 ptrtoint (ptr @name.a to i64), i64 ptrtoint (ptr @strings to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr @name.b to i64), i64 ptrtoint (ptr @strings to i64)) to i32)]
@table = dso_local constant { [1 x i32], [5 x i32] } { [1 x i32] [
  i32 trunc (i64 sub (i64 ptrtoint (ptr @strings to i64), i64 ptrtoint (ptr @table to i64)) to i32)], [5 x i32] [
  i32 trunc (i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr getelementptr ({ [1 x i32], [5 x i32] }, ptr @table, i32 0, i32 1, i32 0) to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr @g to i64), i64 ptrtoint (ptr getelementptr ({ [1 x i32], [5 x i32] }, ptr @table, i32 0, i32 1, i32 0) to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr dso_local_equivalent @h to i64), i64 ptrtoint (ptr getelementptr ({ [1 x i32], [5 x i32] }, ptr @table, i32 0, i32 1, i32 0) to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr no_cfi @f to i64), i64 ptrtoint (ptr getelementptr ({ [1 x i32], [5 x i32] }, ptr @table, i32 0, i32 1, i32 0) to i64)) to i32),
  i32 trunc (i64 sub (i64 ptrtoint (ptr @g.alias to i64), i64 ptrtoint (ptr getelementptr ({ [1 x i32], [5 x i32] }, ptr @table, i32 0, i32 1, i32 0) to i64)) to i32)] }
@g.alias = internal alias i64 (i64), ptr @g
define internal i64 @f(i64 %x) {
  %r = add i64 %x, 1
  ret i64 %r
}
define internal i64 @g(i64 %x) {
  %r = call i64 @call(i64 0, i64 %x)
  %s = mul i64 %r, 10
  ret i64 %s
}
define i64 @h(i64 %x) {
  %r = sub i64 0, %x
  ret i64 %r
}
define internal i64 @call(i64 %i, i64 %x) {
  %offset = shl i64 %i, 2
  %f = call ptr @llvm.load.relative.i64(ptr getelementptr ({ [1 x i32], [5 x i32] }, ptr @table, i32 0, i32 1, i32 0), i64 %offset)
  %r = call i64 %f(i64 %x)
  ret i64 %r
}
define internal ptr @string(i64 %i) {
  %strings = call ptr @llvm.load.relative.i64(ptr @table, i64 0)
  %offset = shl i64 %i, 2
  %s = call ptr @llvm.load.relative.i64(ptr %strings, i64 %offset)
  ret ptr %s
}
define i32 @main() {
  br label %loop
loop:
  %i = phi i64 [ 0, %0 ], [ %next, %loop ]
  %a = call i64 @call(i64 %i, i64 5)
  %odd = and i64 %i, 1
  %s = call ptr @string(i64 %odd)
  call i32 (ptr, ...) @printf(ptr @format, i64 %a, ptr %s)
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, 5
  br i1 %done, label %end, label %loop
end:
  ret i32 0
}
