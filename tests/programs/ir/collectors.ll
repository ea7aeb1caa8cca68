; Functions with the garbage collectors that LLVM knows, of which two have tables of their frames.
declare i32 @printf(ptr, ...)
declare void @llvm.gcroot(ptr, ptr)
@format = private constant [17 x i8] c"%ld %ld %ld %ld\0A\00"
@cell = internal global i64 5

define i64 @of_ocaml(i64 %x) gc "ocaml" {
  %root = alloca ptr
  call void @llvm.gcroot(ptr %root, ptr null)
  store ptr @cell, ptr %root
  %sum = call i64 @of_erlang(i64 %x)
  %there = load ptr, ptr %root
  %value = load i64, ptr %there
  %result = add i64 %sum, %value
  ret i64 %result
}
define i64 @of_erlang(i64 %x) gc "erlang" {
  %result = add i64 %x, 1
  ret i64 %result
}
define i64 @of_statepoints(i64 %x) gc "statepoint-example" {
  %result = mul i64 %x, 3
  ret i64 %result
}
define i64 @of_coreclr(i64 %x) gc "coreclr" {
  %result = mul i64 %x, 5
  ret i64 %result
}
define i32 @main() {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %a = call i64 @of_ocaml(i64 %i)
  %more = add i64 %sum, %a
  %next = add i64 %i, 1
  %is_done = icmp eq i64 %next, 10000
  br i1 %is_done, label %end, label %loop
end:
  %b = call i64 @of_erlang(i64 3)
  %c = call i64 @of_statepoints(i64 3)
  %d = call i64 @of_coreclr(i64 3)
  call i32 (ptr, ...) @printf(ptr @format, i64 %more, i64 %b, i64 %c, i64 %d)
  ret i32 0
}
