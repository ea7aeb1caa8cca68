; Functions that ask where their frame is, before and after loops in which hot code is left.
@format = private constant [10 x i8] c"%d %d %d\0A\00"
declare i32 @printf(ptr, ...)
declare ptr @llvm.eh.dwarf.cfa(i32)
declare ptr @llvm.frameaddress.p0(i32)
declare void @llvm.eh.unwind.init()

define i32 @keeps_its_frame(i64 %n) {
entry:
  %before = call ptr @llvm.eh.dwarf.cfa(i32 0)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %n
  br i1 %more, label %loop, label %end
end:
  %after = call ptr @llvm.eh.dwarf.cfa(i32 0)
  %same = icmp eq ptr %before, %after
  %r = zext i1 %same to i32
  ret i32 %r
}

; The registers that it saves at its entry are its caller's.
define i64 @saves_all(i64 %n) {
entry:
  call void @llvm.eh.unwind.init()
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %j = add i64 %i, 1
  %more = icmp ult i64 %j, %n
  br i1 %more, label %loop, label %end
end:
  ret i64 %j
}

; What its caller passes lies in the caller's frame, which is the same for both calls.
define internal ptr @own_frame() noinline "frame-pointer"="all" {
  %frame = call ptr @llvm.eh.dwarf.cfa(i32 0)
  ret ptr %frame
}

define i32 @main() {
  %1 = call i32 @keeps_its_frame(i64 5000)
  %2 = call i64 @saves_all(i64 5000)
  %3 = trunc i64 %2 to i32
  %first = call ptr @own_frame()
  %second = call ptr @own_frame()
  %same = icmp eq ptr %first, %second
  %4 = zext i1 %same to i32
  %5 = call i32 (ptr, ...) @printf(ptr @format, i32 %1, i32 %3, i32 %4)
  ret i32 0
}
