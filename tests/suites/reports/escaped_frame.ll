; A function that reads and writes variables of its caller's frame, as handlers of structured
; exceptions do (llvm.localescape). Found with LLVM's conventions.
;
; only: x86_64
declare void @llvm.localescape(...)
declare ptr @llvm.localrecover(ptr, ptr, i32)
declare ptr @llvm.localaddress()
declare i32 @printf(ptr, ...)

@format = private constant [7 x i8] c"%d %d\0A\00"

define void @handler(ptr %frame) noinline {
  %first = call ptr @llvm.localrecover(ptr @owner, ptr %frame, i32 0)
  %second = call ptr @llvm.localrecover(ptr @owner, ptr %frame, i32 1)
  %old = load i32, ptr %first
  %new = mul i32 %old, 5
  store i32 %new, ptr %second
  store i32 1, ptr %first
  ret void
}

define void @owner(i32 %value) noinline "frame-pointer"="all" {
  %first = alloca i32
  %second = alloca i32
  call void (...) @llvm.localescape(ptr %first, ptr %second)
  store i32 %value, ptr %first
  store i32 0, ptr %second
  %frame = call ptr @llvm.localaddress()
  call void @handler(ptr %frame)
  %left = load i32, ptr %first
  %right = load i32, ptr %second
  call i32 (ptr, ...) @printf(ptr @format, i32 %left, i32 %right)
  ret void
}

define i32 @main() {
  call void @owner(i32 8)
  call void @owner(i32 9)
  ret i32 0
}
