; Thread-local variables of every model, internal, private and weak ones, their addresses by the intrinsic,
; by an alias and by plain use, in two threads and several functions.
declare i32 @printf(ptr, ...)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare nonnull ptr @llvm.threadlocal.address.p0(ptr nonnull)
@format = private constant [5 x i8] c"%ld \00"
@general = thread_local global i64 1
@local.dynamic = thread_local(localdynamic) global i64 2
@initial = internal thread_local(initialexec) global i64 3
@local.exec = internal thread_local(localexec) global i64 4
@inner = private thread_local global [3 x i64] [i64 5, i64 6, i64 7]
@zero = internal thread_local global [100 x i64] zeroinitializer, align 64
@weak = weak thread_local global i64 8
@once = linkonce_odr hidden thread_local global i64 9
@pointer = internal thread_local global ptr @function
@self = internal thread_local global { ptr, i8 } { ptr @format, i8 3 }, align 16

define internal i64 @function(i64 %x) {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @general)
  %n = load i64, ptr %p
  %m = add i64 %n, %x
  store i64 %m, ptr %p
  ret i64 %m
}
define internal i64 @sum() {
  %p1 = call ptr @llvm.threadlocal.address.p0(ptr @local.dynamic)
  %p2 = call ptr @llvm.threadlocal.address.p0(ptr @initial)
  %p3 = call ptr @llvm.threadlocal.address.p0(ptr @local.exec)
  %p4 = call ptr @llvm.threadlocal.address.p0(ptr @inner)
  %p5 = getelementptr i64, ptr %p4, i64 2
  %p6 = call ptr @llvm.threadlocal.address.p0(ptr @once)
  %a = load i64, ptr %p1
  %b = load i64, ptr %p2
  %c = load i64, ptr %p3
  %d = load i64, ptr %p5
  %e = load i64, ptr @weak
  %f = load i64, ptr %p6
  %s1 = add i64 %a, %b
  %s2 = add i64 %s1, %c
  %s3 = add i64 %s2, %d
  %s4 = add i64 %s3, %e
  %s5 = add i64 %s4, %f
  ret i64 %s5
}
define internal ptr @choose(i1 %which) {
  %a = call ptr @llvm.threadlocal.address.p0(ptr @inner)
  %b = call ptr @llvm.threadlocal.address.p0(ptr @zero)
  %r = select i1 %which, ptr %a, ptr %b
  ret ptr %r
}
define internal void @change(i64 %by) {
  %p1 = call ptr @llvm.threadlocal.address.p0(ptr @initial)
  store i64 %by, ptr %p1
  store i64 %by, ptr getelementptr (i64, ptr @inner, i64 2)
  %p = call ptr @choose(i1 false)
  %q = getelementptr i64, ptr %p, i64 99
  store i64 %by, ptr %q
  ret void
}
define internal i64 @aligned() {
  %p = call ptr @choose(i1 false)
  %n = ptrtoint ptr %p to i64
  %low = and i64 %n, 63
  %q = getelementptr i64, ptr %p, i64 99
  %v = load i64, ptr %q
  %r = add i64 %low, %v
  ret i64 %r
}
define internal ptr @work(ptr %by) {
  %n = ptrtoint ptr %by to i64
  call void @change(i64 %n)
  %pf = call ptr @llvm.threadlocal.address.p0(ptr @pointer)
  %f = load ptr, ptr %pf
  %g = call i64 %f(i64 %n)
  %s = call i64 @sum()
  %t = mul i64 %s, 1000
  %u = add i64 %t, %g
  %r = inttoptr i64 %u to ptr
  ret ptr %r
}
define internal void @show(i64 %x) {
  call i32 (ptr, ...) @printf(ptr @format, i64 %x)
  ret void
}
define i32 @main() {
  %thread = alloca i64
  %result = alloca ptr
  call i32 @pthread_create(ptr %thread, ptr null, ptr @work, ptr inttoptr (i64 50 to ptr))
  %id = load i64, ptr %thread
  call i32 @pthread_join(i64 %id, ptr %result)
  %a = load i64, ptr %result
  call void @show(i64 %a)
  %b = call i64 @sum()
  call void @show(i64 %b)
  %c = call i64 @aligned()
  call void @show(i64 %c)
  %d = call ptr @work(ptr inttoptr (i64 60 to ptr))
  %e = ptrtoint ptr %d to i64
  call void @show(i64 %e)
  %f = call i64 @aligned()
  call void @show(i64 %f)
  %g = call i64 @function(i64 1)
  call void @show(i64 %g)
  %h = call ptr @llvm.threadlocal.address.p0(ptr @self)
  %text = load ptr, ptr %h
  %same = icmp eq ptr %text, @format
  %i = zext i1 %same to i64
  call void @show(i64 %i)
  ret i32 0
}
