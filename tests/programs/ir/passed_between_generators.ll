; Values that code of the baseline code generator passes to code of LLVM's, and back: "stackrealign"
; leaves a function to LLVM.
@format = private constant [25 x i8] c"%lx %lx %lx %ld %ld %lx\0A\00"
@text = private constant [17 x i8] c"0123456789abcdef\00"
declare i32 @printf(ptr, ...)
declare i32 @__gcc_personality_v0(...)

define signext i33 @narrow(i64 %x) noinline {
  %r = trunc i64 %x to i33
  ret i33 %r
}

define i64 @widens(i33 signext %x) noinline "stackrealign" {
  %r = sext i33 %x to i64
  ret i64 %r
}

define i64 @calls_narrow(i64 %x) noinline "stackrealign" {
  %n = call signext i33 @narrow(i64 %x)
  %r = sext i33 %n to i64
  ret i64 %r
}

define i64 @takes_wide_member(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, { i128, i64 } %v) noinline "stackrealign" {
  %w = extractvalue { i128, i64 } %v, 0
  %r = trunc i128 %w to i64
  %m = extractvalue { i128, i64 } %v, 1
  %s = add i64 %r, %m
  ret i64 %s
}

define i64 @takes_aligned(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, ptr byval({ i64, i64 }) align 8 alignstack(16) %p) noinline "stackrealign" {
  %second = getelementptr i64, ptr %p, i64 1
  %x = load i64, ptr %p
  %y = load i64, ptr %second
  %r = sub i64 %x, %y
  ret i64 %r
}

define i32 @pure(i32 %x) noinline nounwind willreturn memory(none) {
  %r = add i32 %x, 1
  ret i32 %r
}

define i64 @invokes() noinline personality ptr @__gcc_personality_v0 {
  %unused = invoke i32 @pure(i32 3) to label %fine unwind label %landing
fine:
  ret i64 7
landing:
  %l = landingpad { ptr, i32 } cleanup
  ret i64 -1
}

; The two distances cancel each other.
define i64 @far_from_text(i64 %distance) noinline {
  %p = getelementptr i8, ptr getelementptr (i8, ptr @text, i64 -4294967296), i64 %distance
  %c = load i8, ptr %p
  %r = zext i8 %c to i64
  ret i64 %r
}

define i32 @main() {
  %pair = alloca { i64, i64 }
  store i64 11, ptr %pair
  %second = getelementptr i64, ptr %pair, i64 1
  store i64 4, ptr %second
  %1 = call i64 @calls_narrow(i64 81985529216486895)
  %n = call signext i33 @narrow(i64 7523094288207667809)
  %2 = call i64 @widens(i33 signext %n)
  %3 = call i64 @takes_wide_member(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, { i128, i64 } { i128 9876543210, i64 5 })
  %4 = call i64 @takes_aligned(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, ptr byval({ i64, i64 }) align 8 alignstack(16) %pair)
  %5 = call i64 @invokes()
  %6 = call i64 @far_from_text(i64 4294967297)
  %7 = call i32 (ptr, ...) @printf(ptr @format, i64 %1, i64 %2, i64 %3, i64 %4, i64 %5, i64 %6)
  ret i32 0
}
