; A program that reads the header of its own stack map. Found with LLVM's conventions.
;
; only: x86_64
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare i64 @llvm.experimental.patchpoint.i64(i64, i32, ptr, i32, ...)
declare i32 @printf(ptr, ...)

@__LLVM_StackMaps = external hidden constant i8
@format = private constant [16 x i8] c"%d %d %d %d %d\0A\00"

define i64 @sum(i64 %left, i64 %right) noinline {
  %result = add i64 %left, %right
  ret i64 %result
}

define i64 @marked(i64 %value) noinline {
  %triple = mul i64 %value, 3
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 5, i32 8, i64 %value, i64 %triple)
  %result = add i64 %triple, 1
  ret i64 %result
}

define i64 @patched(i64 %value) noinline {
  %result = call i64 (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.i64(i64 6, i32 20, ptr @sum, i32 2, i64 %value, i64 30, i64 9)
  ret i64 %result
}

define i32 @main() {
  %version = load i8, ptr @__LLVM_StackMaps
  %wide = zext i8 %version to i32
  %functions_at = getelementptr i8, ptr @__LLVM_StackMaps, i64 4
  %functions = load i32, ptr %functions_at
  %records_at = getelementptr i8, ptr @__LLVM_StackMaps, i64 12
  %records = load i32, ptr %records_at
  %left = call i64 @marked(i64 4)
  %right = call i64 @patched(i64 12)
  %a = trunc i64 %left to i32
  %b = trunc i64 %right to i32
  call i32 (ptr, ...) @printf(ptr @format, i32 %wide, i32 %functions, i32 %records, i32 %a, i32 %b)
  ret i32 0
}
