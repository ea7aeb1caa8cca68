$group = comdat any
@group = constant i32 6, comdat
define i32 @value() comdat($group) {
  ret i32 2
}
define i32 @value_elsewhere() {
  %own = call i32 @value()
  ret i32 %own
}
define ptr @group_elsewhere() {
  ret ptr @group
}
