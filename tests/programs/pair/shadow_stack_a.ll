; LLVM's shadow stack: one list of frames with roots, through the functions of two modules.
declare i32 @printf(ptr, ...)
declare void @llvm.gcroot(ptr, ptr)
declare i32 @inner()
@fmt = private constant [4 x i8] c"%d\0A\00"
@llvm_gc_root_chain = external global ptr
define i32 @depth() noinline {
  br label %loop
loop:
  %n = phi i32 [ 0, %0 ], [ %m, %body ]
  %p = phi ptr [ @llvm_gc_root_chain, %0 ], [ %e, %body ]
  %e = load ptr, ptr %p
  %z = icmp eq ptr %e, null
  br i1 %z, label %end, label %body
body:
  %m = add i32 %n, 1
  br label %loop
end:
  ret i32 %n
}
define i32 @main() gc "shadow-stack" {
  %r = alloca ptr
  call void @llvm.gcroot(ptr %r, ptr null)
  store ptr null, ptr %r
  %d = call i32 @inner()
  call i32 (ptr, ...) @printf(ptr @fmt, i32 %d)
  ret i32 0
}
