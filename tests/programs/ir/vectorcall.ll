; A calling convention that changes the names of functions in objects.
declare i32 @puts(ptr)
@t = private constant [3 x i8] c"hi\00"
define x86_vectorcallcc void @f(i64 %a) { 
  call i32 @puts(ptr @t)
  ret void 
}
define i32 @main() { 
  call x86_vectorcallcc void @f(i64 1)
  ret i32 0
}
