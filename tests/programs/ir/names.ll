; Names of every kind: quotes, spaces, other alphabets, what looks like a version.
declare i32 @puts(ptr)
@"a b\22c" = private constant [3 x i8] c"q1\00"
@"\C3\BC" = internal constant [3 x i8] c"q2\00"
define void @"f g\22h\5Ci"(ptr %x) { 
  call i32 @puts(ptr %x)
  ret void }
define internal void @"m@V1"(ptr %x) { 
  call void @"f g\22h\5Ci"(ptr %x)
  ret void }
define void @"n@@V2"(ptr %x) { 
  call void @"m@V1"(ptr %x)
  ret void }
@t = global [3 x ptr] [ptr @"f g\22h\5Ci", ptr @"m@V1", ptr @"n@@V2"]
define i32 @main() { 
  %f = load ptr, ptr @t
  call void %f(ptr @"a b\22c")
  call void @"n@@V2"(ptr @"\C3\BC")
  %p = getelementptr ptr, ptr @t, i64 2
  %g = load ptr, ptr %p
  call void %g(ptr @"a b\22c")
  ret i32 0 }
