; A program that reads the stack map of its module: the functions, records and constants in it, and
; the identifiers of the records, whatever their order. One function with records is never called.
declare void @llvm.experimental.stackmap(i64, i32, ...)
declare void @llvm.experimental.patchpoint.void(i64, i32, ptr, i32, ...)
declare i32 @printf(ptr, ...)

@__LLVM_StackMaps = external hidden constant i8
@map = constant ptr @__LLVM_StackMaps
@format = private constant [19 x i8] c"%d %d %d %d %d %d\0A\00"

define i64 @point(i64 %x) noinline {
  %y = mul i64 %x, 3
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 77, i32 8, i64 %x, i64 %y, i64 5)
  call void (i64, i32, ptr, i32, ...) @llvm.experimental.patchpoint.void(i64 78, i32 20, ptr null, i32 0, i64 %y, i64 5)
  ret i64 %y
}

define void @uncalled(i64 %x) {
  call void (i64, i32, ...) @llvm.experimental.stackmap(i64 100, i32 0, i64 %x, i64 123456789012)
  ret void
}

define internal i32 @field(i64 %offset) {
  %begin = load ptr, ptr @map
  %place = getelementptr i8, ptr %begin, i64 %offset
  %value = load i32, ptr %place
  ret i32 %value
}

; The sum of the records' identifiers. A record has 16 bytes, 12 for each location, and, aligned to
; 8 bytes, 4 and 4 more for each live-out; after that, again aligned, the next record begins.
define i32 @identifiers() {
entry:
  %functions = call i32 @field(i64 4)
  %constants = call i32 @field(i64 8)
  %records = call i32 @field(i64 12)
  %functions64 = zext i32 %functions to i64
  %constants64 = zext i32 %constants to i64
  %functions_size = mul i64 %functions64, 24
  %constants_size = mul i64 %constants64, 8
  %tables_size = add i64 %functions_size, %constants_size
  %begin = add i64 %tables_size, 16
  br label %loop
loop:
  %at = phi i64 [ %begin, %entry ], [ %next_at, %loop ]
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %total = phi i32 [ 0, %entry ], [ %sum, %loop ]
  %id = call i32 @field(i64 %at)
  %sum = add i32 %total, %id
  %count_at = add i64 %at, 12
  %count = call i32 @field(i64 %count_at)
  %locations = lshr i32 %count, 16
  %locations64 = zext i32 %locations to i64
  %locations_size = mul i64 %locations64, 12
  %locations_end = add i64 %locations_size, 23
  %aligned = and i64 %locations_end, -8
  %live_outs_at = add i64 %at, %aligned
  %live_outs = call i32 @field(i64 %live_outs_at)
  %live_outs_count = lshr i32 %live_outs, 16
  %live_outs64 = zext i32 %live_outs_count to i64
  %live_outs_size = mul i64 %live_outs64, 4
  %live_outs_end = add i64 %live_outs_size, 11
  %live_outs_aligned = and i64 %live_outs_end, -8
  %next_at = add i64 %live_outs_at, %live_outs_aligned
  %next = add i32 %i, 1
  %done = icmp eq i32 %next, %records
  br i1 %done, label %end, label %loop
end:
  ret i32 %sum
}

define i32 @main() {
  %first = load i8, ptr @__LLVM_StackMaps
  %version = zext i8 %first to i32
  %functions = call i32 @field(i64 4)
  %constants = call i32 @field(i64 8)
  %records = call i32 @field(i64 12)
  %identifiers = call i32 @identifiers()
  %result = call i64 @point(i64 4)
  %returned = trunc i64 %result to i32
  call i32 (ptr, ...) @printf(ptr @format, i32 %version, i32 %functions, i32 %constants, i32 %records, i32 %identifiers, i32 %returned)
  ret i32 0
}
