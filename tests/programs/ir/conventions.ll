; Calling conventions and attributes that other front ends use, each through a first call: musttail,
; fastcc, preserve_most, swiftcc with swiftself, nest, prefix data, an ifunc, a table of block
; addresses in data.
declare i32 @printf(ptr, ...)
@format = private constant [6 x i8] c"%ld \0A\00"

define fastcc i64 @fast(i64 %a, i64 %b, i64 %c, i64 %d, i64 %e, i64 %f, i64 %g, i64 %h) {
  %1 = sub i64 %a, %h
  %2 = mul i64 %1, %g
  ret i64 %2
}
define preserve_mostcc i64 @preserving(i64 %a) {
  %1 = add i64 %a, 5
  ret i64 %1
}
define swiftcc i64 @method(i64 %x, ptr swiftself %self) {
  %field = load i64, ptr %self
  %1 = add i64 %x, %field
  ret i64 %1
}
define i64 @nested(ptr nest %chain, i64 %x) {
  %outer = load i64, ptr %chain
  %1 = mul i64 %x, %outer
  ret i64 %1
}
define i64 @loop(i64 %n, i64 %sum) {
  %done = icmp eq i64 %n, 0
  br i1 %done, label %end, label %more
more:
  %less = sub i64 %n, 1
  %larger = add i64 %sum, %n
  %r = musttail call i64 @loop(i64 %less, i64 %larger)
  ret i64 %r
end:
  ret i64 %sum
}
define i64 @prefixed() prefix i64 77 {
  ret i64 1
}
@chosen = ifunc i64 (i64), ptr @choose
define internal i64 @implementation(i64 %x) {
  %1 = mul i64 %x, 3
  ret i64 %1
}
define internal ptr @choose() {
  ret ptr @implementation
}
@labels = internal constant [2 x ptr] [ptr blockaddress(@jump, %first), ptr blockaddress(@jump, %second)]
define i64 @jump(i64 %i) {
  %slot = getelementptr [2 x ptr], ptr @labels, i64 0, i64 %i
  %to = load ptr, ptr %slot
  indirectbr ptr %to, [label %first, label %second]
first:
  ret i64 111
second:
  ret i64 222
}
define void @show(i64 %x) {
  %1 = call i32 (ptr, ...) @printf(ptr @format, i64 %x)
  ret void
}
define i32 @main() {
  %cell = alloca i64
  store i64 9, ptr %cell
  %a = call fastcc i64 @fast(i64 1, i64 2, i64 3, i64 4, i64 5, i64 6, i64 7, i64 8)
  call void @show(i64 %a)
  %b = call preserve_mostcc i64 @preserving(i64 10)
  call void @show(i64 %b)
  %c = call swiftcc i64 @method(i64 20, ptr swiftself %cell)
  call void @show(i64 %c)
  %d = call i64 @nested(ptr nest %cell, i64 30)
  call void @show(i64 %d)
  %e = call i64 @loop(i64 100000, i64 0)
  call void @show(i64 %e)
  %f = call i64 @chosen(i64 40)
  call void @show(i64 %f)
  %g = call i64 @jump(i64 1)
  call void @show(i64 %g)
  %h = call i64 @prefixed()
  call void @show(i64 %h)
  ret i32 0
}
