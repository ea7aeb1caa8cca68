; Constructors and destructors with priorities, ones tied to data and comdats, llvm.used and
; llvm.compiler.used, and functions handed to atexit and __cxa_atexit.
declare i32 @puts(ptr)
declare i32 @atexit(ptr)
declare i32 @__cxa_atexit(ptr, ptr, ptr)
@__dso_handle = external hidden global i8
$keyed = comdat any
$gone = comdat any
@keyed = linkonce_odr global ptr @text.keyed, comdat
@text.65535 = private constant [6 x i8] c"65535\00"
@text.100 = private constant [4 x i8] c"100\00"
@text.200 = private constant [4 x i8] c"200\00"
@text.101 = private constant [4 x i8] c"101\00"
@text.keyed = private constant [6 x i8] c"keyed\00"
@text.late = private constant [5 x i8] c"late\00"
@text.exit = private constant [5 x i8] c"exit\00"
@text.cxa = private constant [4 x i8] c"cxa\00"
@text.main = private constant [5 x i8] c"main\00"
@data = internal global ptr null
@kept = internal global ptr @text.late
@llvm.used = appending global [2 x ptr] [ptr @kept, ptr @unreferenced], section "llvm.metadata"
@llvm.compiler.used = appending global [2 x ptr] [ptr @keyed, ptr @first], section "llvm.metadata"
@llvm.global_ctors = appending global [5 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 65535, ptr @last, ptr null },
  { i32, ptr, ptr } { i32 200, ptr @second, ptr @data },
  { i32, ptr, ptr } { i32 100, ptr @first, ptr null },
  { i32, ptr, ptr } { i32 65535, ptr @keyed.constructor, ptr @keyed },
  { i32, ptr, ptr } { i32 101, ptr @between, ptr null }]
@llvm.global_dtors = appending global [3 x { i32, ptr, ptr }] [
  { i32, ptr, ptr } { i32 101, ptr @between, ptr null },
  { i32, ptr, ptr } { i32 65535, ptr @last, ptr null },
  { i32, ptr, ptr } { i32 200, ptr @second, ptr @data }]

define internal void @first() {
  call void @say(ptr @text.100)
  store ptr @text.200, ptr @data
  ret void
}
define internal void @second() {
  %text = load ptr, ptr @data
  call void @say(ptr %text)
  ret void
}
define internal void @between() {
  call void @say(ptr @text.101)
  ret void
}
define private void @last() {
  call void @say(ptr @text.65535)
  ret void
}
define linkonce_odr void @keyed.constructor() comdat($keyed) {
  %text = load ptr, ptr @keyed
  call void @say(ptr %text)
  call i32 @atexit(ptr @exit.handler)
  ret void
}
define internal void @unreferenced() {
  ret void
}
define internal void @exit.handler() {
  call void @say(ptr @text.exit)
  ret void
}
define internal void @cxa.handler(ptr %text) {
  call void @say(ptr %text)
  %again = icmp eq ptr %text, @text.cxa
  br i1 %again, label %more, label %end
more:
  call i32 @__cxa_atexit(ptr @cxa.handler, ptr @text.late, ptr @__dso_handle)
  br label %end
end:
  ret void
}
define internal void @say(ptr %text) {
  call i32 @puts(ptr %text)
  ret void
}
define i32 @main() {
  call i32 @__cxa_atexit(ptr @cxa.handler, ptr @text.cxa, ptr @__dso_handle)
  call void @say(ptr @text.main)
  ret i32 3
}
