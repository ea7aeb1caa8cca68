; Thread-local variables without names are as different as others.
@0 = internal thread_local global i32 1
@1 = internal thread_local global i32 2
@2 = private thread_local global i64 0
@format = private constant [11 x i8] c"%d %d %ld\0A\00"
declare i32 @printf(ptr, ...)

define void @set(i32 %value) noinline optnone {
  store volatile i32 %value, ptr @0
  store volatile i64 -1, ptr @2
  ret void
}

define i32 @main() {
  call void @set(i32 10)
  %a = load volatile i32, ptr @0
  %b = load volatile i32, ptr @1
  %c = load volatile i64, ptr @2
  %r = call i32 (ptr, ...) @printf(ptr @format, i32 %a, i32 %b, i64 %c)
  ret i32 0
}
