; A private constant that could be copied into whoever names it, but for an alias that stands for a part of it.
declare i32 @puts(ptr)
@text = private unnamed_addr constant [12 x i8] c"head\00tail\00\00\00"
@tail = private alias i8, getelementptr (i8, ptr @text, i64 5)
@table = internal global [1 x ptr] [ptr @tail]
define i32 @main() {
  %p = load ptr, ptr @table
  call i32 @puts(ptr %p)
  ret i32 0
}
