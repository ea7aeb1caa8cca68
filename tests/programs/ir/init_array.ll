; Pointers to functions in the sections that start-up code goes through, in their order, next to
; llvm.global_ctors.
declare i32 @puts(ptr)
@text.main = private constant [5 x i8] c"main\00"
@text.1 = private constant [6 x i8] c"first\00"
@text.2 = private constant [7 x i8] c"second\00"
@text.3 = private constant [6 x i8] c"third\00"
@text.4 = private constant [7 x i8] c"fourth\00"
@text.5 = private constant [6 x i8] c"fifth\00"
@text.6 = private constant [5 x i8] c"last\00"
@late = internal constant ptr @third, section ".init_array", align 8
@numbered = internal constant ptr @second, section ".init_array.00200", align 8
@before = internal constant ptr @first, section ".preinit_array", align 8
@out = internal constant [1 x ptr] [ptr @fifth], section ".fini_array", align 8
@out.numbered = internal constant ptr @last, section ".fini_array.00100", align 8
@llvm.used = appending global [5 x ptr] [ptr @late, ptr @numbered, ptr @before, ptr @out, ptr @out.numbered], section "llvm.metadata"
@llvm.global_ctors = appending global [1 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 65535, ptr @fourth, ptr null }]
define internal void @first() {
  call i32 @puts(ptr @text.1)
  ret void
}
define internal void @second() {
  call i32 @puts(ptr @text.2)
  ret void
}
define internal void @third() {
  call i32 @puts(ptr @text.3)
  ret void
}
define void @fourth() {
  call i32 @puts(ptr @text.4)
  ret void
}
define internal void @fifth() {
  call i32 @puts(ptr @text.5)
  ret void
}
define internal void @last() {
  call i32 @puts(ptr @text.6)
  ret void
}
define i32 @main() {
  call i32 @puts(ptr @text.main)
  ret i32 0
}
