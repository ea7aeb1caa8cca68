; Private unnamed_addr constants that refer to functions and to each other, and constants whose address
; is their meaning, used by several functions and by data.
declare i32 @printf(ptr, ...)
%shape = type { ptr, ptr, i64 }
@format = private unnamed_addr constant [12 x i8] c"%s %ld %ld\0A\00", align 1
@square.name = private unnamed_addr constant [7 x i8] c"square\00"
@circle.name = private unnamed_addr constant [7 x i8] c"circle\00"
@square = private unnamed_addr constant %shape { ptr @square.name, ptr @square.area, i64 4 }
@circle = private unnamed_addr constant %shape { ptr @circle.name, ptr @circle.area, i64 0 }
@copy = private constant %shape { ptr @square.name, ptr @square.area, i64 4 }
@shapes = private unnamed_addr constant [3 x ptr] [ptr @square, ptr @circle, ptr @copy]
@last = private unnamed_addr constant ptr getelementptr inbounds ([3 x ptr], ptr @shapes, i64 0, i64 2)
@middle = internal unnamed_addr constant ptr getelementptr inbounds (i8, ptr @circle.name, i64 3)
@tag.a = private constant i8 0
@tag.b = private constant i8 0
@tags = internal global [2 x ptr] [ptr @tag.a, ptr @tag.b]

define internal i64 @square.area(i64 %x) {
  %r = mul i64 %x, %x
  ret i64 %r
}
define internal i64 @circle.area(i64 %x) {
  %s = call i64 @square.area(i64 %x)
  %r = mul i64 %s, 3
  ret i64 %r
}
define internal i64 @area(ptr %shape, i64 %x) {
  %slot = getelementptr %shape, ptr %shape, i64 0, i32 1
  %f = load ptr, ptr %slot
  %r = call i64 %f(i64 %x)
  ret i64 %r
}
define void @show(ptr %slot) {
  %shape = load ptr, ptr %slot
  %name = load ptr, ptr %shape
  %corners = getelementptr %shape, ptr %shape, i64 0, i32 2
  %n = load i64, ptr %corners
  %a = call i64 @area(ptr %shape, i64 7)
  call i32 (ptr, ...) @printf(ptr @format, ptr %name, i64 %a, i64 %n)
  ret void
}
define internal i64 @kind(ptr %tag) {
  %is.a = icmp eq ptr %tag, @tag.a
  %is.b = icmp eq ptr %tag, @tag.b
  %b = select i1 %is.b, i64 2, i64 0
  %r = select i1 %is.a, i64 1, i64 %b
  ret i64 %r
}
define internal ptr @tag.of(i64 %i) {
  %slot = getelementptr ptr, ptr @tags, i64 %i
  %tag = load ptr, ptr %slot
  ret ptr %tag
}
define i32 @main() {
  call void @show(ptr @shapes)
  call void @show(ptr getelementptr ([3 x ptr], ptr @shapes, i64 0, i64 1))
  %last = load ptr, ptr @last
  call void @show(ptr %last)
  %a = call ptr @tag.of(i64 0)
  %b = call ptr @tag.of(i64 1)
  %ka = call i64 @kind(ptr %a)
  %kb = call i64 @kind(ptr %b)
  %m = load ptr, ptr @middle
  call i32 (ptr, ...) @printf(ptr @format, ptr %m, i64 %ka, i64 %kb)
  %direct = call i64 @area(ptr @circle, i64 2)
  %none = call i64 @kind(ptr @copy)
  call i32 (ptr, ...) @printf(ptr @format, ptr @square.name, i64 %direct, i64 %none)
  ret i32 0
}
