; Statepoints, whose stack maps every object has for itself.
declare i32 @puts(ptr)
@t = private constant [3 x i8] c"hi\00"
declare token @llvm.experimental.gc.statepoint.p0(i64, i32, ptr, i32, i32, ...)
declare ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token, i32, i32)
define void @safepoint() {
  call i32 @puts(ptr @t)
  ret void
}
define ptr addrspace(1) @f(ptr addrspace(1) %o) gc "statepoint-example" {
  %tok = call token (i64, i32, ptr, i32, i32, ...) @llvm.experimental.gc.statepoint.p0(i64 0, i32 0, ptr elementtype(void ()) @safepoint, i32 0, i32 0, i32 0, i32 0) [ "gc-live"(ptr addrspace(1) %o) ]
  %r = call ptr addrspace(1) @llvm.experimental.gc.relocate.p1(token %tok, i32 0, i32 0)
  ret ptr addrspace(1) %r
}
define i32 @main() {
  %r = call ptr addrspace(1) @f(ptr addrspace(1) null)
  %s = call ptr addrspace(1) @f(ptr addrspace(1) null)
  ret i32 0
}
