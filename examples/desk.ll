; A desk calculator with a dozen operations. Each run uses one of them.
;
;   bazel run -c opt //tools:firstcall -- --stats $PWD/examples/desk.ll gcd 84 36
;
; @operations has the address of every operation, so each operation has a stub. Only the operation
; that is called is compiled, together with the functions that it calls.

%operation = type { ptr, ptr }

@operations = internal constant [9 x %operation] [
  %operation { ptr @name.gcd, ptr @gcd },
  %operation { ptr @name.lcm, ptr @lcm },
  %operation { ptr @name.power, ptr @power },
  %operation { ptr @name.modpow, ptr @power_modulo_prime },
  %operation { ptr @name.binomial, ptr @binomial },
  %operation { ptr @name.ackermann, ptr @ackermann },
  %operation { ptr @name.collatz, ptr @collatz_steps_between },
  %operation { ptr @name.primes, ptr @primes_between },
  %operation { ptr @name.perfect, ptr @perfect_between }
]

@name.gcd = private unnamed_addr constant [4 x i8] c"gcd\00"
@name.lcm = private unnamed_addr constant [4 x i8] c"lcm\00"
@name.power = private unnamed_addr constant [6 x i8] c"power\00"
@name.modpow = private unnamed_addr constant [7 x i8] c"modpow\00"
@name.binomial = private unnamed_addr constant [9 x i8] c"binomial\00"
@name.ackermann = private unnamed_addr constant [10 x i8] c"ackermann\00"
@name.collatz = private unnamed_addr constant [8 x i8] c"collatz\00"
@name.primes = private unnamed_addr constant [7 x i8] c"primes\00"
@name.perfect = private unnamed_addr constant [8 x i8] c"perfect\00"
@format.result = private unnamed_addr constant [19 x i8] c"%s(%ld, %ld) = %ld\00"
@format.usage = private unnamed_addr constant [40 x i8] c"usage: desk OPERATION A B, OPERATION of\00"
@format.operation = private unnamed_addr constant [4 x i8] c" %s\00"
@line = private unnamed_addr constant [1 x i8] zeroinitializer

declare i32 @printf(ptr, ...)
declare i32 @puts(ptr)
declare i32 @strcmp(ptr, ptr)
declare i64 @strtol(ptr, ptr, i32)

define i64 @gcd(i64 %a, i64 %b) {
  %done = icmp eq i64 %b, 0
  br i1 %done, label %finish, label %step
step:
  %rest = srem i64 %a, %b
  %result = call i64 @gcd(i64 %b, i64 %rest)
  ret i64 %result
finish:
  ret i64 %a
}

define i64 @lcm(i64 %a, i64 %b) {
  %divisor = call i64 @gcd(i64 %a, i64 %b)
  %part = sdiv i64 %a, %divisor
  %result = mul i64 %part, %b
  ret i64 %result
}

define i64 @power(i64 %base, i64 %exponent) {
entry:
  br label %loop
loop:
  %left = phi i64 [ %exponent, %entry ], [ %fewer, %multiply ]
  %product = phi i64 [ 1, %entry ], [ %larger, %multiply ]
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %multiply, label %finish
multiply:
  %larger = mul i64 %product, %base
  %fewer = sub i64 %left, 1
  br label %loop
finish:
  ret i64 %product
}

define i64 @power_modulo_prime(i64 %base, i64 %exponent) {
entry:
  br label %loop
loop:
  %left = phi i64 [ %exponent, %entry ], [ %fewer, %multiply ]
  %product = phi i64 [ 1, %entry ], [ %rest, %multiply ]
  %more = icmp sgt i64 %left, 0
  br i1 %more, label %multiply, label %finish
multiply:
  %larger = mul i64 %product, %base
  %rest = srem i64 %larger, 1000003
  %fewer = sub i64 %left, 1
  br label %loop
finish:
  ret i64 %product
}

define i64 @factorial(i64 %n) {
  %small = icmp slt i64 %n, 2
  br i1 %small, label %one, label %recur
one:
  ret i64 1
recur:
  %less = sub i64 %n, 1
  %rest = call i64 @factorial(i64 %less)
  %result = mul i64 %n, %rest
  ret i64 %result
}

define i64 @binomial(i64 %n, i64 %k) {
  %others = sub i64 %n, %k
  %all = call i64 @factorial(i64 %n)
  %chosen = call i64 @factorial(i64 %k)
  %left = call i64 @factorial(i64 %others)
  %orders = mul i64 %chosen, %left
  %result = sdiv i64 %all, %orders
  ret i64 %result
}

define i64 @ackermann(i64 %m, i64 %n) {
  %m.zero = icmp eq i64 %m, 0
  br i1 %m.zero, label %base, label %inner
base:
  %next = add i64 %n, 1
  ret i64 %next
inner:
  %m.less = sub i64 %m, 1
  %n.zero = icmp eq i64 %n, 0
  br i1 %n.zero, label %once, label %twice
once:
  %single = call i64 @ackermann(i64 %m.less, i64 1)
  ret i64 %single
twice:
  %n.less = sub i64 %n, 1
  %nested = call i64 @ackermann(i64 %m, i64 %n.less)
  %outer = call i64 @ackermann(i64 %m.less, i64 %nested)
  ret i64 %outer
}

define i64 @collatz_steps(i64 %n) {
  %done = icmp sle i64 %n, 1
  br i1 %done, label %finish, label %step
step:
  %bit = and i64 %n, 1
  %odd = icmp eq i64 %bit, 1
  %triple = mul i64 %n, 3
  %up = add i64 %triple, 1
  %down = sdiv i64 %n, 2
  %next = select i1 %odd, i64 %up, i64 %down
  %rest = call i64 @collatz_steps(i64 %next)
  %result = add i64 %rest, 1
  ret i64 %result
finish:
  ret i64 0
}

define i64 @is_prime(i64 %n, i64 %ignored) {
entry:
  %small = icmp slt i64 %n, 2
  br i1 %small, label %no, label %loop
loop:
  %divisor = phi i64 [ 2, %entry ], [ %next, %continue ]
  %square = mul i64 %divisor, %divisor
  %beyond = icmp sgt i64 %square, %n
  br i1 %beyond, label %yes, label %try
try:
  %rest = srem i64 %n, %divisor
  %divides = icmp eq i64 %rest, 0
  br i1 %divides, label %no, label %continue
continue:
  %next = add i64 %divisor, 1
  br label %loop
yes:
  ret i64 1
no:
  ret i64 0
}

define i64 @is_perfect(i64 %n, i64 %ignored) {
entry:
  br label %loop
loop:
  %divisor = phi i64 [ 1, %entry ], [ %next, %continue ]
  %sum = phi i64 [ 0, %entry ], [ %larger, %continue ]
  %more = icmp slt i64 %divisor, %n
  br i1 %more, label %continue, label %finish
continue:
  %rest = srem i64 %n, %divisor
  %divides = icmp eq i64 %rest, 0
  %part = select i1 %divides, i64 %divisor, i64 0
  %larger = add i64 %sum, %part
  %next = add i64 %divisor, 1
  br label %loop
finish:
  %equal = icmp eq i64 %sum, %n
  %result = zext i1 %equal to i64
  ret i64 %result
}

define i64 @steps(i64 %n, i64 %ignored) {
  %result = call i64 @collatz_steps(i64 %n)
  ret i64 %result
}

define i64 @sum_between(ptr %function, i64 %from, i64 %to) {
entry:
  br label %loop
loop:
  %n = phi i64 [ %from, %entry ], [ %next, %continue ]
  %sum = phi i64 [ 0, %entry ], [ %larger, %continue ]
  %more = icmp sle i64 %n, %to
  br i1 %more, label %continue, label %finish
continue:
  %value = call i64 %function(i64 %n, i64 0)
  %larger = add i64 %sum, %value
  %next = add i64 %n, 1
  br label %loop
finish:
  ret i64 %sum
}

define i64 @collatz_steps_between(i64 %from, i64 %to) {
  %result = call i64 @sum_between(ptr @steps, i64 %from, i64 %to)
  ret i64 %result
}

define i64 @primes_between(i64 %from, i64 %to) {
  %result = call i64 @sum_between(ptr @is_prime, i64 %from, i64 %to)
  ret i64 %result
}

define i64 @perfect_between(i64 %from, i64 %to) {
  %result = call i64 @sum_between(ptr @is_perfect, i64 %from, i64 %to)
  ret i64 %result
}

define ptr @find_operation(ptr %name) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %continue ]
  %beyond = icmp eq i64 %i, 9
  br i1 %beyond, label %unknown, label %compare
compare:
  %entry.address = getelementptr [9 x %operation], ptr @operations, i64 0, i64 %i
  %candidate = load ptr, ptr %entry.address
  %difference = call i32 @strcmp(ptr %candidate, ptr %name)
  %equal = icmp eq i32 %difference, 0
  br i1 %equal, label %known, label %continue
continue:
  %next = add i64 %i, 1
  br label %loop
known:
  %function.address = getelementptr %operation, ptr %entry.address, i64 0, i32 1
  %function = load ptr, ptr %function.address
  ret ptr %function
unknown:
  ret ptr null
}

define i32 @explain() {
entry:
  %first = call i32 (ptr, ...) @printf(ptr @format.usage)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %entry.address = getelementptr [9 x %operation], ptr @operations, i64 0, i64 %i
  %name = load ptr, ptr %entry.address
  %printed = call i32 (ptr, ...) @printf(ptr @format.operation, ptr %name)
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, 9
  br i1 %done, label %finish, label %loop
finish:
  %ended = call i32 @puts(ptr @line)
  ret i32 2
}

define i32 @main(i32 %argc, ptr %argv) {
  %enough = icmp eq i32 %argc, 4
  br i1 %enough, label %find, label %usage
find:
  %name.address = getelementptr ptr, ptr %argv, i64 1
  %name = load ptr, ptr %name.address
  %function = call ptr @find_operation(ptr %name)
  %unknown = icmp eq ptr %function, null
  br i1 %unknown, label %usage, label %compute
compute:
  %a.address = getelementptr ptr, ptr %argv, i64 2
  %a.text = load ptr, ptr %a.address
  %a = call i64 @strtol(ptr %a.text, ptr null, i32 10)
  %b.address = getelementptr ptr, ptr %argv, i64 3
  %b.text = load ptr, ptr %b.address
  %b = call i64 @strtol(ptr %b.text, ptr null, i32 10)
  %result = call i64 %function(i64 %a, i64 %b)
  %printed = call i32 (ptr, ...) @printf(ptr @format.result, ptr %name, i64 %a, i64 %b, i64 %result)
  %ended = call i32 @puts(ptr @line)
  ret i32 0
usage:
  %status = call i32 @explain()
  ret i32 %status
}
