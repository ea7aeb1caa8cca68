; Addresses of blocks: in public and internal constants, written into a variable, subtracted in data,
; handed from the function to another one and back.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@internal.labels = internal constant [3 x ptr] [ptr blockaddress(@run, %add), ptr blockaddress(@run, %double), ptr blockaddress(@run, %stop)]
@labels = global { i64, ptr, [2 x ptr] } { i64 4, ptr blockaddress(@run, %stop), [2 x ptr] [ptr blockaddress(@run, %double), ptr blockaddress(@own, %b)] }
@offsets = private unnamed_addr constant [2 x i32] [i32 trunc (i64 sub (i64 ptrtoint (ptr blockaddress(@relative, %one) to i64), i64 ptrtoint (ptr blockaddress(@relative, %base) to i64)) to i32), i32 trunc (i64 sub (i64 ptrtoint (ptr blockaddress(@relative, %two) to i64), i64 ptrtoint (ptr blockaddress(@relative, %base) to i64)) to i32)]
@steps = internal constant [5 x i8] c"\00\01\01\00\02"

define internal i64 @run(ptr %table, i64 %start) {
entry:
  br label %next
next:
  %i = phi i64 [ 0, %entry ], [ %i.a, %add ], [ %i.b, %double ]
  %sum = phi i64 [ %start, %entry ], [ %sum.a, %add ], [ %sum.b, %double ]
  %step = getelementptr i8, ptr @steps, i64 %i
  %code = load i8, ptr %step
  %index = zext i8 %code to i64
  %slot = getelementptr ptr, ptr %table, i64 %index
  %to = load ptr, ptr %slot
  indirectbr ptr %to, [label %add, label %double, label %stop]
add:
  %sum.a = add i64 %sum, 3
  %i.a = add i64 %i, 1
  br label %next
double:
  %sum.b = mul i64 %sum, 2
  %i.b = add i64 %i, 1
  br label %next
stop:
  ret i64 %sum
}
define internal ptr @pass(ptr %label) noinline {
  %known = load ptr, ptr getelementptr ({ i64, ptr, [2 x ptr] }, ptr @labels, i64 0, i32 2, i64 1)
  %same = icmp eq ptr %known, %label
  %n = zext i1 %same to i64
  call i32 (ptr, ...) @printf(ptr @format, i64 %n)
  ret ptr %label
}
define i64 @own(i1 %which) {
  %label = select i1 %which, ptr blockaddress(@own, %a), ptr blockaddress(@own, %b)
  %to = call ptr @pass(ptr %label)
  indirectbr ptr %to, [label %a, label %b]
a:
  ret i64 10
b:
  ret i64 20
}
define internal i64 @relative(i64 %i) {
  %slot = getelementptr i32, ptr @offsets, i64 %i
  %offset = load i32, ptr %slot
  %wide = sext i32 %offset to i64
  %to = getelementptr i8, ptr blockaddress(@relative, %base), i64 %wide
  indirectbr ptr %to, [label %base, label %one, label %two]
base:
  ret i64 0
one:
  ret i64 100
two:
  ret i64 200
}
define internal i64 @same() {
  %a = load ptr, ptr getelementptr (ptr, ptr @internal.labels, i64 2)
  %b = load ptr, ptr getelementptr ({ i64, ptr, [2 x ptr] }, ptr @labels, i64 0, i32 1)
  %r = icmp eq ptr %a, %b
  %n = zext i1 %r to i64
  ret i64 %n
}
define i32 @main() {
  %a = call i64 @run(ptr @internal.labels, i64 5)
  call i32 (ptr, ...) @printf(ptr @format, i64 %a)
  %b = call i64 @own(i1 true)
  call i32 (ptr, ...) @printf(ptr @format, i64 %b)
  %c = call i64 @own(i1 false)
  call i32 (ptr, ...) @printf(ptr @format, i64 %c)
  %d = call i64 @relative(i64 1)
  call i32 (ptr, ...) @printf(ptr @format, i64 %d)
  %e = call i64 @same()
  call i32 (ptr, ...) @printf(ptr @format, i64 %e)
  ret i32 0
}
