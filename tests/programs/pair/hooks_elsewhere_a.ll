; Functions that request hooks without declaring them: the code generator refers to them.
@format = private constant [4 x i8] c"%d\0A\00"
declare i32 @printf(ptr, ...)
declare i32 @hooks_called()

define i32 @twice(i32 %x) noinline "instrument-function-entry-inlined"="__cyg_profile_func_enter" "instrument-function-exit-inlined"="__cyg_profile_func_exit" {
  %r = add i32 %x, %x
  ret i32 %r
}

define i32 @main() "instrument-function-entry"="__cyg_profile_func_enter" {
  %1 = call i32 @twice(i32 3)
  %2 = call i32 @twice(i32 %1)
  %3 = call i32 @twice(i32 %2)
  %4 = call i32 (ptr, ...) @printf(ptr @format, i32 %3)
  %5 = call i32 @hooks_called()
  %6 = call i32 (ptr, ...) @printf(ptr @format, i32 %5)
  ret i32 0
}
