; Swift's convention: errors that are thrown, passed on, caught and counted in loops, the register of
; the context, results in four registers and in memory, indirect calls, and the attributes without
; the convention.
declare i32 @printf(ptr, ...)
@format = private constant [10 x i8] c"%ld %ld \0A\00"
@error = global [4 x i64] [i64 5, i64 6, i64 7, i64 8]
@functions = global [2 x ptr] [ptr @throws, ptr @passes]
%four = type { i64, i64, i64, i64 }
%mixed = type { double, double, float, i64, double }
%large = type { [6 x i64] }

define internal swiftcc i64 @throws(i64 %i, ptr swiftself %self, ptr swifterror %error) noinline {
  %rest = urem i64 %i, 7
  %is_bad = icmp eq i64 %rest, 3
  br i1 %is_bad, label %bad, label %good
bad:
  %index = and i64 %i, 3
  %p = getelementptr i64, ptr @error, i64 %index
  store ptr %p, ptr %error
  ret i64 1
good:
  %x = load i64, ptr %self
  %y = add i64 %x, 1
  store i64 %y, ptr %self
  ret i64 %i
}

; Looks at the error at once, as operand of a comparison.
define internal swiftcc i64 @passes(i64 %i, ptr swiftself %self, ptr swifterror %error) noinline {
  %a = call swiftcc i64 @throws(i64 %i, ptr swiftself %self, ptr swifterror %error)
  %p = load ptr, ptr %error
  %is_bad = icmp ne ptr %p, null
  br i1 %is_bad, label %bad, label %good
bad:
  ret i64 -7
good:
  %b = call i64 @plain(i64 %a, i64 %i)
  ret i64 %b
}

; Has values that live across calls, in the registers that the callee preserves.
define internal i64 @plain(i64 %a, i64 %b) noinline {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %loop ]
  %s = phi i64 [ %a, %entry ], [ %s2, %loop ]
  %t = phi i64 [ %b, %entry ], [ %s, %loop ]
  %u = phi i64 [ 3, %entry ], [ %t, %loop ]
  %v = phi i64 [ 5, %entry ], [ %u, %loop ]
  %w = phi i64 [ 7, %entry ], [ %v, %loop ]
  %s1 = call i64 @add(i64 %s, i64 %w)
  %s2 = xor i64 %s1, %u
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, 4
  br i1 %more, label %loop, label %end
end:
  ret i64 %s2
}
define internal i64 @add(i64 %a, i64 %b) noinline {
  %c = add i64 %a, %b
  ret i64 %c
}

; Catches, and goes on; the error's variable is read, written and passed by turns.
define internal i64 @catches(i64 %n) noinline {
entry:
  %error = alloca swifterror ptr
  %self = alloca i64
  store i64 0, ptr %self
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i1, %next ]
  %sum = phi i64 [ 0, %entry ], [ %sum3, %next ]
  %caught = phi i64 [ 0, %entry ], [ %caught2, %next ]
  store ptr null, ptr %error
  %which = and i64 %i, 1
  %slot = getelementptr ptr, ptr @functions, i64 %which
  %f = load ptr, ptr %slot
  %r = call swiftcc i64 %f(i64 %i, ptr swiftself %self, ptr swifterror %error)
  %sum1 = add i64 %sum, %r
  %p = load ptr, ptr %error
  %is_bad = icmp ne ptr %p, null
  br i1 %is_bad, label %bad, label %next
bad:
  %q = load ptr, ptr %error
  %v = load i64, ptr %q
  %caught1 = add i64 %caught, %v
  %sum2 = mul i64 %sum1, 3
  br label %next
next:
  %sum3 = phi i64 [ %sum1, %loop ], [ %sum2, %bad ]
  %caught2 = phi i64 [ %caught, %loop ], [ %caught1, %bad ]
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %loop, label %end
end:
  %x = load i64, ptr %self
  call void @show(i64 %x, i64 %caught2)
  ret i64 %sum3
}

; Throws and has results in all registers.
define internal swiftcc %four @fours(i64 %x, ptr swiftself %self, ptr swifterror %error, double %d) noinline {
  %e = fptosi double %d to i64
  %c = icmp ugt i64 %x, %e
  br i1 %c, label %bad, label %good
bad:
  store ptr %self, ptr %error
  br label %good
good:
  %y = phi i64 [ 4, %0 ], [ 40, %bad ]
  %a = insertvalue %four undef, i64 %x, 0
  %b = insertvalue %four %a, i64 %e, 1
  %f = insertvalue %four %b, i64 %y, 2
  %s = load i64, ptr %self
  %g = insertvalue %four %f, i64 %s, 3
  ret %four %g
}
define internal swiftcc %mixed @mixes(double %a, float %b, i64 %c) noinline {
  %m0 = insertvalue %mixed undef, double %a, 0
  %a1 = fadd double %a, 1.0
  %m1 = insertvalue %mixed %m0, double %a1, 1
  %m2 = insertvalue %mixed %m1, float %b, 2
  %m3 = insertvalue %mixed %m2, i64 %c, 3
  %b1 = fpext float %b to double
  %m4 = insertvalue %mixed %m3, double %b1, 4
  ret %mixed %m4
}
define internal swiftcc void @fills(ptr sret(%large) %result, i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h, i64 %i, ptr swiftself %self) noinline {
  store i64 %a, ptr %result
  %p = getelementptr i64, ptr %result, i64 1
  %s = load i64, ptr %self
  store i64 %s, ptr %p
  %q = getelementptr i64, ptr %result, i64 2
  %z = shl i64 %i, 8
  %y = or i64 %z, %f
  store i64 %y, ptr %q
  ret void
}

; Values live for long, so that they would have the registers of the context and the error.
define internal i64 @results(i64 %n) noinline {
entry:
  %error = alloca swifterror ptr
  %self = alloca i64
  %large = alloca %large
  br label %loop
loop:
  %i = phi i64 [ 1, %entry ], [ %i1, %loop ]
  %s0 = phi i64 [ 0, %entry ], [ %s5, %loop ]
  %s1 = phi i64 [ 11, %entry ], [ %s0, %loop ]
  %s2 = phi i64 [ 12, %entry ], [ %s1, %loop ]
  %s3 = phi i64 [ 13, %entry ], [ %s2, %loop ]
  %s4 = phi i64 [ 14, %entry ], [ %s3, %loop ]
  store i64 %i, ptr %self
  store ptr null, ptr %error
  %r = call swiftcc %four @fours(i64 %i, ptr swiftself %self, ptr swifterror %error, double 5.5)
  %r0 = extractvalue %four %r, 0
  %r1 = extractvalue %four %r, 1
  %r2 = extractvalue %four %r, 2
  %r3 = extractvalue %four %r, 3
  %m = call swiftcc %mixed @mixes(double 2.0, float 3.0, i64 %i)
  %m1 = extractvalue %mixed %m, 1
  %m3 = extractvalue %mixed %m, 3
  %m4 = extractvalue %mixed %m, 4
  %m5 = fmul double %m1, %m4
  %m6 = fptosi double %m5 to i64
  call swiftcc void @fills(ptr sret(%large) %large, i64 %i, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8, i64 9, ptr swiftself %self)
  %p = getelementptr i64, ptr %large, i64 2
  %l = load i64, ptr %p
  %a = add i64 %r0, %r1
  %b = mul i64 %r2, %r3
  %c = add i64 %a, %b
  %d = add i64 %c, %m3
  %e = add i64 %d, %m6
  %f = add i64 %e, %l
  %g = mul i64 %s4, 3
  %h = xor i64 %f, %g
  %error1 = load ptr, ptr %error
  %is_bad = icmp eq ptr %error1, %self
  %k = select i1 %is_bad, i64 1000, i64 0
  %j = add i64 %h, %k
  %s5 = add i64 %j, %s2
  %i1 = add i64 %i, 1
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %loop, label %end
end:
  %t = add i64 %s5, %s4
  ret i64 %t
}

; The attributes with C's convention.
define internal i64 @in_c(i64 %i, ptr swifterror %error, ptr swiftself %self) noinline {
  %p = load ptr, ptr %error
  %is_null = icmp eq ptr %p, null
  br i1 %is_null, label %throw, label %keep
throw:
  store ptr %self, ptr %error
  ret i64 %i
keep:
  ret i64 -1
}
define internal i64 @calls_c() noinline {
  %error = alloca swifterror ptr
  store ptr null, ptr %error
  %a = call i64 @in_c(i64 20, ptr swifterror %error, ptr swiftself @error)
  %b = call i64 @in_c(i64 30, ptr swifterror %error, ptr swiftself null)
  %p = load ptr, ptr %error
  %v = load i64, ptr %p
  call void @show(i64 %a, i64 %b)
  ret i64 %v
}

define void @show(i64 %a, i64 %b) noinline {
  call i32 (ptr, ...) @printf(ptr @format, i64 %a, i64 %b)
  ret void
}
define i32 @main() {
  %a = call i64 @catches(i64 50)
  %b = call i64 @results(i64 20)
  call void @show(i64 %a, i64 %b)
  %c = call i64 @calls_c()
  call void @show(i64 %c, i64 0)
  ret i32 0
}
