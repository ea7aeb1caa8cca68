@data = global i64 2
define i64 @f(i64 %x) {
  ret i64 2
}
