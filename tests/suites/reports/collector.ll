; Functions for the garbage collector of OCaml, whose tables LLVM writes behind the module's code.
; Found with LLVM's conventions.
declare i32 @printf(ptr, ...)

@format = private constant [5 x i8] c"%ld\0A\00"

define i64 @weigh(i64 %value) noinline gc "ocaml" {
  %twice = shl i64 %value, 1
  %result = or i64 %twice, 1
  ret i64 %result
}

define i64 @weigh_all(i64 %count) noinline gc "ocaml" {
entry:
  br label %loop

loop:
  %number = phi i64 [ 0, %entry ], [ %next, %loop ]
  %sum = phi i64 [ 0, %entry ], [ %more, %loop ]
  %weight = call i64 @weigh(i64 %number)
  %more = add i64 %sum, %weight
  %next = add i64 %number, 1
  %done = icmp eq i64 %next, %count
  br i1 %done, label %out, label %loop

out:
  ret i64 %more
}

define i32 @main() {
  %sum = call i64 @weigh_all(i64 3000)
  call i32 (ptr, ...) @printf(ptr @format, i64 %sum)
  ret i32 0
}
