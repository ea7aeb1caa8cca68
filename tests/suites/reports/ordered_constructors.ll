; Constructors and destructors with priorities, two of which are equal. LLVM's convention for
; llvm.global_ctors.
declare i32 @puts(ptr)

@a = private constant [2 x i8] c"a\00"
@b = private constant [2 x i8] c"b\00"
@c = private constant [2 x i8] c"c\00"
@m = private constant [5 x i8] c"main\00"
@y = private constant [2 x i8] c"y\00"
@z = private constant [2 x i8] c"z\00"
@llvm.global_ctors = appending global [3 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 500, ptr @second, ptr null }, { i32, ptr, ptr } { i32 500, ptr @third, ptr null }, { i32, ptr, ptr } { i32 200, ptr @first, ptr null }]
@llvm.global_dtors = appending global [2 x { i32, ptr, ptr }] [{ i32, ptr, ptr } { i32 200, ptr @very_last, ptr null }, { i32, ptr, ptr } { i32 900, ptr @last, ptr null }]

define internal void @first() {
  call i32 @puts(ptr @a)
  ret void
}

define internal void @second() {
  call i32 @puts(ptr @b)
  ret void
}

define internal void @third() {
  call i32 @puts(ptr @c)
  ret void
}

define internal void @last() {
  call i32 @puts(ptr @y)
  ret void
}

define internal void @very_last() {
  call i32 @puts(ptr @z)
  ret void
}

define i32 @main() {
  call i32 @puts(ptr @m)
  ret i32 0
}
