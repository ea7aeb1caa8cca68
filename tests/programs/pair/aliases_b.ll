; The other module of aliases_a.ll.
@fields = internal global [3 x i64] [i64 5, i64 6, i64 7]
@field = alias i64, getelementptr (i64, ptr @fields, i64 1)
@strong.field = alias i64, getelementptr (i64, ptr @fields, i64 2)
@named = alias i64 (i64), ptr @inner
@weak.f = alias i64 (i64), ptr @inner
@both.f = weak alias i64 (i64), ptr @inner
@theirs = constant [5 x ptr] [ptr @named, ptr @weak.f, ptr @both.f, ptr @chosen, ptr @field]
@chosen = ifunc i64 (i64), ptr @choose

define internal i64 @inner(i64 %x) {
  %n = load i64, ptr @field
  %r = add i64 %n, %x
  ret i64 %r
}
define internal i64 @negative(i64 %x) {
  %r = sub i64 0, %x
  ret i64 %r
}
define internal ptr @choose() {
  ret ptr @negative
}
