; Strong definitions that two modules have in COMDAT groups of the same name: there is one of each.
; A static linker takes those of the first module.
$group = comdat any
@group = constant i32 5, comdat
declare i32 @printf(ptr, ...)
declare i32 @value_elsewhere()
declare ptr @group_elsewhere()
@format = private constant [10 x i8] c"%d %d %d\0A\00"
define i32 @value() comdat($group) {
  ret i32 1
}
define i32 @main() {
  %own = call i32 @value()
  %elsewhere = call i32 @value_elsewhere()
  %place = call ptr @group_elsewhere()
  %is_same = icmp eq ptr %place, @group
  %same = zext i1 %is_same to i32
  call i32 (ptr, ...) @printf(ptr @format, i32 %own, i32 %elsewhere, i32 %same)
  ret i32 0
}
