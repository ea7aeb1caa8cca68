; Pointers to functions in .ctors and .dtors, which run in the other order than those in .init_array
; and .fini_array, next to these.
declare i32 @puts(ptr)
@text.main = private constant [5 x i8] c"main\00"
@text.a = private constant [2 x i8] c"a\00"
@text.b = private constant [2 x i8] c"b\00"
@text.c = private constant [2 x i8] c"c\00"
@text.d = private constant [2 x i8] c"d\00"
@text.e = private constant [2 x i8] c"e\00"
@starts = internal constant [2 x ptr] [ptr @a, ptr @b], section ".ctors", align 8
@new.starts = internal constant [2 x ptr] [ptr @d, ptr @e], section ".init_array", align 8
@more.starts = internal constant ptr @c, section ".ctors", align 8
@numbered = internal constant [2 x ptr] [ptr @c, ptr @d], section ".ctors.65000", align 8
@ends = internal constant [2 x ptr] [ptr @a, ptr @b], section ".dtors", align 8
@new.ends = internal constant [2 x ptr] [ptr @c, ptr @d], section ".fini_array", align 8
@info = internal constant i32 7, section ".preinit_array_info"
@own.section = internal constant ptr @e, section ".ctors", align 8
@llvm.compiler.used = appending global [3 x ptr] [ptr @starts, ptr @new.starts, ptr @more.starts], section "llvm.metadata"
@llvm.used = appending global [5 x ptr] [ptr @numbered, ptr @ends, ptr @new.ends, ptr @info, ptr @own.section], section "llvm.metadata"
define internal void @a() {
  call i32 @puts(ptr @text.a)
  ret void
}
define internal void @b() {
  call i32 @puts(ptr @text.b)
  ret void
}
define internal void @c() {
  call i32 @puts(ptr @text.c)
  ret void
}
define internal void @d() {
  call i32 @puts(ptr @text.d)
  ret void
}
define internal void @e() {
  call i32 @puts(ptr @text.e)
  ret void
}
define i32 @main() {
  call i32 @puts(ptr @text.main)
  ret i32 0
}
