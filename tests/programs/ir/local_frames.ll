; Functions that reach the variables of another one's frame: one is called with the frame, one finds
; it through a pointer to itself, one asks for the places in the frames of two functions, and a
; function with a frame to reach is called a second time while it runs.
declare void @llvm.localescape(...)
declare ptr @llvm.localrecover(ptr, ptr, i32)
declare ptr @llvm.localaddress()
declare i32 @printf(ptr, ...)

@format = private constant [13 x i8] c"%d %d %d %d\0A\00"
@prints = global i32 8
@chosen = global ptr @through_pointer

define internal void @set(ptr %frame, i32 %value) noinline {
  %a = call ptr @llvm.localrecover(ptr @outer, ptr %frame, i32 0)
  %b = call ptr @llvm.localrecover(ptr @outer, ptr %frame, i32 1)
  store i32 %value, ptr %a
  %next = add i32 %value, 1
  store i32 %next, ptr %b
  ret void
}

define void @through_pointer(ptr %frame) {
  %b = call ptr @llvm.localrecover(ptr @outer, ptr %frame, i32 1)
  %old = load i32, ptr %b
  %new = mul i32 %old, 10
  store i32 %new, ptr %b
  ret void
}

define i32 @of_two(ptr %first, ptr %second) {
  %a = call ptr @llvm.localrecover(ptr @outer, ptr %first, i32 0)
  %c = call ptr @llvm.localrecover(ptr @other, ptr %second, i32 0)
  %x = load i32, ptr %a
  %y = load i32, ptr %c
  %sum = add i32 %x, %y
  ret i32 %sum
}

define i32 @other(ptr %frame, i32 %value) noinline "frame-pointer"="all" {
  %padding = alloca [5 x i64]
  %c = alloca i32
  call void (...) @llvm.localescape(ptr %c)
  store volatile i64 0, ptr %padding
  store i32 %value, ptr %c
  %own = call ptr @llvm.localaddress()
  %sum = call i32 @of_two(ptr %frame, ptr %own)
  ret i32 %sum
}

define i32 @outer(i32 %depth) noinline "frame-pointer"="all" {
entry:
  %padding = alloca [3 x i64]
  %a = alloca i32
  %b = alloca i32
  call void (...) @llvm.localescape(ptr %a, ptr %b)
  store volatile i64 0, ptr %padding
  %frame = call ptr @llvm.localaddress()
  call void @set(ptr %frame, i32 %depth)
  %function = load ptr, ptr @chosen
  call void %function(ptr %frame)
  %sum = call i32 @other(ptr %frame, i32 100)
  %last = icmp eq i32 %depth, 0
  br i1 %last, label %end, label %again
again:
  %less = sub i32 %depth, 1
  %inner = call i32 @outer(i32 %less)
  br label %end
end:
  %result = phi i32 [ 0, %entry ], [ %inner, %again ]
  %x = load i32, ptr %a
  %y = load i32, ptr %b
  %add = add i32 %result, %y
  %left = load i32, ptr @prints
  %any_left = icmp sgt i32 %left, 0
  br i1 %any_left, label %print, label %return
print:
  %fewer = sub i32 %left, 1
  store i32 %fewer, ptr @prints
  call i32 (ptr, ...) @printf(ptr @format, i32 %depth, i32 %x, i32 %y, i32 %sum)
  br label %return
return:
  ret i32 %add
}

; Hot: a function with a frame to reach is called often.
define i32 @main() {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %total = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %depth = and i32 %i, 7
  %value = call i32 @outer(i32 %depth)
  %sum = add i32 %total, %value
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, 3000
  br i1 %done, label %end, label %loop
end:
  call i32 (ptr, ...) @printf(ptr @format, i32 %sum, i32 0, i32 0, i32 0)
  ret i32 0
}
