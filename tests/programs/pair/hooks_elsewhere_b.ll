@calls = internal global i32 0

define i32 @hooks_called() {
  %r = load i32, ptr @calls
  ret i32 %r
}

define void @__cyg_profile_func_enter(ptr %function, ptr %caller) {
  %n = load i32, ptr @calls
  %more = add i32 %n, 1
  store i32 %more, ptr @calls
  ret void
}

define void @__cyg_profile_func_exit(ptr %function, ptr %caller) {
  %n = load i32, ptr @calls
  %more = add i32 %n, 100
  store i32 %more, ptr @calls
  ret void
}
