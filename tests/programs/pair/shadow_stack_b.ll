declare void @llvm.gcroot(ptr, ptr)
declare i32 @depth()
define i32 @inner() noinline gc "shadow-stack" {
  %r = alloca ptr
  call void @llvm.gcroot(ptr %r, ptr null)
  store ptr null, ptr %r
  %d = call i32 @depth()
  ret i32 %d
}
