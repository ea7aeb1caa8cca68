; The other module of relative_distances_a.ll.
@theirs = hidden global i64 5
define hidden i64 @their.function() {
  ret i64 6
}
