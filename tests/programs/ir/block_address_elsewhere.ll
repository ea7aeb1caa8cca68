; The address of a block in another function, before and after its own function runs, compared with
; data's.
declare i32 @printf(ptr, ...)
@format = private constant [5 x i8] c"%ld \00"
@label = global ptr blockaddress(@target, %odd)
define internal i64 @target(i64 %x, ptr %to) {
  %given = icmp ne ptr %to, null
  %label = select i1 %given, ptr %to, ptr blockaddress(@target, %even)
  indirectbr ptr %label, [label %even, label %odd]
even:
  %a = mul i64 %x, 2
  ret i64 %a
odd:
  %b = add i64 %x, 1
  ret i64 %b
}
define internal i64 @first() {
  %r = call i64 @target(i64 10, ptr blockaddress(@target, %odd))
  ret i64 %r
}
define internal i64 @second() {
  %r = call i64 @target(i64 10, ptr blockaddress(@target, %even))
  ret i64 %r
}
define internal i64 @same() {
  %p = load ptr, ptr @label
  %r = icmp eq ptr %p, blockaddress(@target, %odd)
  %n = zext i1 %r to i64
  ret i64 %n
}
define i32 @main() {
  %a = call i64 @first()
  call i32 (ptr, ...) @printf(ptr @format, i64 %a)
  %b = call i64 @second()
  call i32 (ptr, ...) @printf(ptr @format, i64 %b)
  %c = call i64 @target(i64 10, ptr null)
  call i32 (ptr, ...) @printf(ptr @format, i64 %c)
  %d = call i64 @same()
  call i32 (ptr, ...) @printf(ptr @format, i64 %d)
  ret i32 0
}
